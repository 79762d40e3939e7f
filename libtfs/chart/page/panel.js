// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Texts beside the table: what is selected, and the statistics of a range.

function element(tag, text, className) {
	const e = document.createElement(tag);
	if (text !== undefined)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

function details(pairs) {
	const list = element('dl');
	for (const [name, value] of pairs) {
		list.append(element('dt', name));
		list.append(element('dd', value));
	}
	return list;
}

// heads: [name, is a number]; rows of texts
function plainTable(caption, heads, rows, most = 200) {
	const table = element('table', undefined, 'sums');
	table.append(element('caption', caption));
	const tr = table.createTHead().insertRow();
	for (const [name, number] of heads) {
		const th = element('th', name, number ? 'number' : '');
		th.scope = 'col';
		tr.append(th);
	}
	const body = table.createTBody();
	for (const row of rows.slice(0, most)) {
		const line = body.insertRow();
		row.forEach((text, i) => line.append(element('td', text, heads[i][1] ? 'number' : '')));
	}
	if (rows.length > most) {
		const cell = body.insertRow().insertCell();
		cell.colSpan = heads.length;
		cell.textContent = `and ${(rows.length - most).toLocaleString('en')} more`;
	}
	return table;
}

const percent = share => `${(share * 100).toFixed(1)} %`;
const sum = ns => (ns ? duration(ns) : '–');
const number = n => n.toLocaleString('en');

class Panel {
	constructor(model) {
		this.model = model;
		this.box = document.getElementById('details');
	}

	clear() {
		const m = this.model;
		const lost = Number(m.meta.lost), uncounted = Number(m.meta.uncounted);
		const missing = Number(m.meta.missing);
		const unknown = `an unknown number, ${uncounted > 1 ? `${number(uncounted)} times` : 'once'}`;
		const known = !uncounted ? number(lost) : lost ? `${number(lost)}, and ${unknown}` : unknown;
		this.box.replaceChildren(element('h2', 'Recording'), details([
			...m.meta.files.map(f => [f.name, f.uname || `${f.cpus} CPUs`]),
			['Duration', duration(m.end)],
			['Events', m.time ? number(m.time.length) : '…'],
			['Lost events', known],
			...(missing ? [['Missing', `the last events of ${missing} CPU${missing > 1 ? 's' : ''}; ` +
				'how many is not known']] : []),
			...m.notes.map(note => ['Note', note]),
		]));
		this.box.append(element('p', 'Click a slice or an event for its details. Drag over the ' +
			'chart for the statistics of a range. Press ? for all keys.', 'hint'));
	}

	slice(row, i) {
		const m = this.model, flags = row.isOpen(i), name = m.nameOf(row.name[i]);
		const unknown = [];
		if (flags & OPEN.NO_BEGIN)
			unknown.push('its beginning was not recorded');
		if (flags & OPEN.NO_END)
			unknown.push('its end was not recorded');
		if (flags & OPEN.CUT)
			unknown.push('lost or missing events cut it');
		this.box.replaceChildren(element('h2', name), details([
			['On', row.kind === KIND.IRQ ? `CPU ${row.id}, interrupts` : m.rowLabel(row)],
			['Begin', `${m.stamp(row.begin[i])} s`],
			['End', `${m.stamp(row.end(i))} s`],
			['Duration', (unknown.length ? 'at least ' : '') + duration(row.dur[i])],
			['CPU', row.cpu[i]],
			...(unknown.length ? [['Unknown', unknown.join('; ')]] : []),
		]));
	}

	event(i, text) {
		const m = this.model, c = m.columns;
		this.box.replaceChildren(element('h2', m.types[c.evtype[i]]), details([
			['Time', `${m.stamp(m.time[i])} s`],
			['CPU', c.evcpu[i]],
			['Task', m.taskLabel(c.evtask[i])],
			...(m.meta.files.length > 1 ?
				[['File', m.meta.files[m.taskInputs[c.evtask[i]]].name]] : []),
		]));
		this.box.append(element('pre', text));
	}

	range(s) {
		const parts = [element('h2', `Range of ${duration(s.end - s.begin)}`), details([
			['From', `${this.model.stamp(s.begin)} s`],
			['To', `${this.model.stamp(s.end)} s`],
			['Events', number(s.events)],
			...(s.gaps ? [['Lost here', s.lost ? number(s.lost) : 'an unknown number']] : []),
			...(s.missing ? [['Missing here', `events of ${s.missing} CPU${s.missing > 1 ? 's' : ''}`]] : []),
			...(s.partial ? [['Not counted', `${s.partial} rows without slices`]] : []),
		])];
		if (s.cpus.length)
			parts.push(plainTable('CPUs', [['CPU'], ['Busy', 1], ['Share', 1]], s.cpus.map(c =>
				[c.name, duration(c.busy), percent(c.share)])));
		if (s.tasks.length)
			parts.push(plainTable('Tasks', [['Task'], ['Run', 1], ['Wait', 1], ['Blocked', 1],
							['Sleep', 1], ['Runs', 1]], s.tasks.map(t =>
				[t.name, sum(t.run), sum(t.wait), sum(t.blocked), sum(t.sleep),
				 number(t.runs)])));
		if (s.slices.length)
			parts.push(plainTable('Slices', [['Name'], ['Count', 1], ['Sum', 1], ['Mean', 1],
							 ['Max', 1]], s.slices.map(x =>
				[x.name, number(x.count), duration(x.sum), duration(x.sum / x.count),
				 duration(x.max)])));
		if (s.types.length)
			parts.push(plainTable('Events', [['Event'], ['Count', 1]],
					      s.types.map(t => [t.name, number(t.count)])));
		this.box.replaceChildren(...parts);
		this.box.scrollTop = 0;
	}
}

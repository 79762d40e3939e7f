// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// What stands beside the picture as text: tip, details, table, legend. Names are set as text only.

const byId = id => document.getElementById(id);
const TABLE_ROWS = 500;

function share(part, of) {
	return of ? `${(100 * part / of).toFixed(2)}%` : '–';
}

function signed(part, of) {
	return of ? `${part < 0 ? '−' : '+'}${(100 * Math.abs(part) / of).toFixed(2)}%` : '–';
}

// The frames from the outermost to that of a band's node, by name
function stackOf(data, bands, view, { band, i }) {
	const path = pathOf(band.tree, i);
	if (view === 'callers')
		return path.reverse();
	if (view === 'around' && band === bands[1])
		return [...path.reverse(), band.tree.name[0]];
	if (view === 'around')
		return [band.tree.name[0], ...path];
	return band.vanished ? pathOf(data.shown, band.tree.origin[i]) : path;
}

// What is known of a frame, in lines of text
function describe(data, { band, i }) {
	const t = band.tree, { unit } = data, { factor } = data.meta, total = data.whole.total[0], lines = [];
	if (band.vanished) {
		const before = data.tree.before.total[0];
		return [`${weightText(t.total[i], unit)} before (${share(t.total[i], before)}), none after`];
	}
	let line = `${weightText(t.total[i], unit)} · ${share(t.total[i], total)} of all`;
	if (band.zoom)
		line += ` · ${share(t.total[i], t.total[band.zoom])} of the zoomed frame`;
	lines.push(line);
	line = `self ${weightText(t.self[i], unit)} · ${share(t.self[i], total)}`;
	if (unit !== 'samples')
		line += ` · ${grouped(t.samples[i])} samples`;
	lines.push(line);
	if (t.before) {
		const b = t.before;
		lines.push(`before ${weightText(b.total[i], unit)} · ${share(b.total[i], b.total[0])}, self ` +
			weightText(b.self[i], unit));
		lines.push(`change ${signed(t.total[i] - b.total[i] * factor, total)}, self ` +
			signed(t.self[i] - b.self[i] * factor, total));
	}
	return lines;
}

function showTip(data, frame, x, y) {
	const tip = byId('tip');
	tip.hidden = !frame;
	if (!frame)
		return;
	const name = frame.band.tree.name[frame.i], head = document.createElement('b');
	const label = data.meta.families[data.family[name]].label, lines = describe(data, frame);
	head.textContent = data.names[name];
	const from = data.dsos[data.dso[name] - 1];
	if (from || label)
		lines.push([label, from].filter(s => s).join(' · '));
	tip.replaceChildren(head, document.createTextNode(`\n${lines.join('\n')}`));
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
	tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18}px`;
}

function showDetail(data, frame) {
	byId('detail').textContent = frame ?
		`${data.names[frame.band.tree.name[frame.i]]}: ${describe(data, frame).join('; ')}` : '';
	for (const id of ['zoom', 'copy-name', 'copy-stack', 'view-around'])
		byId(id).disabled = !frame && (id !== 'view-around' || data.state.view !== 'around');
}

function showLegend(data) {
	const legend = byId('legend'), theme = data.theme, parts = [], seen = new Set();
	const add = (color, text) => {
		const part = document.createElement('span'), box = document.createElement('i');
		box.style.background = color;
		part.append(box, text);
		parts.push(part);
	};
	if (data.meta.diff) {
		const steps = data.meta.steps[theme];
		add(steps[steps.length - 2], 'more than before');
		add(steps[1], 'less');
		add(steps[(steps.length - 1) / 2], 'same, or within chance');
	}
	for (let i = 1; i < data.names.length && !data.meta.diff; i++) {
		const { label } = data.meta.families[data.family[i]];
		if (!label || seen.has(label))
			continue;
		seen.add(label);
		add(data.meta.families[data.family[i]][theme][data.shade[i]], label);
	}
	legend.replaceChildren(...parts);
}

// The functions of what is zoomed to; by: the column that orders them; pick: called with a name
function showTable(data, band, by, pick) {
	const t = band.tree, { unit } = data, total = data.whole.total[0];
	const rows = data.rows = sumNames(t, band.zoom);
	const texts = data.names, order = {
		name: (a, b) => (texts[a.name] < texts[b.name] ? -1 : 1),
		self: (a, b) => b.self - a.self || b.total - a.total || a.name - b.name,
		total: (a, b) => b.total - a.total || a.name - b.name,
	};
	rows.sort(order[by]);
	const more = rows.length > TABLE_ROWS ? `; the first ${TABLE_ROWS}` : '';
	byId('caption').textContent = `${grouped(rows.length)} functions of what is shown${more}`;
	for (const b of document.querySelectorAll('th button'))
		b.closest('th').setAttribute('aria-sort', b.dataset.by === by ?
			by === 'name' ? 'ascending' : 'descending' : 'none');
	byId('table').tBodies[0].replaceChildren(...rows.slice(0, TABLE_ROWS).map(row => {
		const tr = document.createElement('tr'), name = document.createElement('button');
		name.type = 'button';
		name.textContent = name.title = texts[row.name];
		name.addEventListener('click', () => pick(row.name));
		tr.insertCell().append(name);
		for (const weight of [row.self, row.total]) {
			const cell = tr.insertCell();
			cell.className = 'n';
			cell.textContent = share(weight, total);
			cell.title = weightText(weight, unit);
		}
		return tr;
	}));
}

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = document.createElement('textarea');
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
	window.tc.copied = text;
	byId('detail').textContent = 'Copied.';
}

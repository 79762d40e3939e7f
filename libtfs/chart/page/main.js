// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// The parts together: what keys and the mouse do to the chart, the table and the texts.

class App {
	constructor(model, layout) {
		this.model = model;
		this.layout = layout;
		this.repeat = 0;
		this.hits = null;
		this.turn = 0;
		this.searchBox = document.getElementById('search');
		this.onlyMatches = document.getElementById('only');
		this.onlyActive = document.getElementById('active');
		this.status = document.getElementById('status');
		this.tip = document.getElementById('tip');
		this.view = new View(model, layout, () => this.viewChanged());
		this.overview = new Overview(model, this.view);
		this.panel = new Panel(model);
		this.mouse = new Mouse(this);
		this.table = null;
		this.setTheme(this.startTheme());
		this.connect();
	}

	connect() {
		document.addEventListener('keydown', e => onKey(this, e));
		const click = (id, action) => document.getElementById(id).addEventListener('click', action);
		click('theme', () => this.switchTheme());
		click('fit', () => this.view.fit());
		click('helpbutton', () => this.help());
		click('previous', () => this.nextHit(-1));
		click('next', () => this.nextHit(1));
		let wait = 0;
		this.searchBox.addEventListener('input', () => {
			clearTimeout(wait);
			wait = setTimeout(() => this.search(this.searchBox.value), 150);
		});
		this.onlyMatches.addEventListener('change', () => this.filter());
		this.onlyActive.addEventListener('change', () => this.filter());
		document.getElementById('searchform').addEventListener('submit', e => e.preventDefault());
		fillHelp();
	}

	// --- what is shown

	say(text) {
		this.status.textContent = text;
	}

	viewChanged() {
		this.overview.draw();
		const { begin, end } = this.view;
		if (this.table && (this.shownBegin !== begin || this.shownEnd !== end)) {
			this.shownBegin = begin;
			this.shownEnd = end;
			this.table.show(begin, end, this.onlyMatches.checked ? this.hits : null);
		}
		if (this.onlyActive.checked && this.placed !== `${begin} ${end}`) {
			clearTimeout(this.placing);
			this.placing = setTimeout(() => this.filter(), 150);
		}
		document.getElementById('span').textContent = `${duration(end - begin)} shown`;
	}

	sayMarkers() {
		const [a, b] = this.view.markers, out = document.getElementById('markers');
		const one = (t, i) => (t === null ? '' : `${i} ${this.model.stamp(t)} s  `);
		out.textContent = one(a, 1) + one(b, 2) + (a !== null && b !== null ?
			`2 − 1 = ${duration(b - a)}` : '');
	}

	startTheme() {
		try {
			const kept = localStorage.getItem('tc-theme');
			if (kept === 'dark' || kept === 'light')
				return kept;
		} catch (e) {
			// not allowed for this page
		}
		return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	}

	setTheme(theme) {
		this.theme = theme;
		document.documentElement.dataset.theme = theme;
		this.view.setTheme(theme);
	}

	switchTheme() {
		this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
		try {
			localStorage.setItem('tc-theme', this.theme);
		} catch (e) {
			// not kept then
		}
	}

	help() {
		const dialog = document.getElementById('help');
		if (dialog.open)
			dialog.close();
		else
			dialog.showModal();
	}

	togglePanels() {
		document.body.classList.toggle('nopanels');
	}

	// --- keys

	// A factor that grows while a key is held
	step(factor) {
		return factor / (1 + this.repeat * 0.12);
	}

	mouseTime() {
		const at = this.mouse.at;
		return at && at.x > GUTTER ? this.view.timeAt(at.x) : undefined;
	}

	scrollRows(direction) {
		this.view.scroll.scrollTop += direction * (this.view.height - AXIS) * 0.8;
	}

	nextRow(by) {
		const tracks = this.layout.tracks, i = tracks.indexOf(this.view.focusRow);
		const to = tracks[i < 0 ? 0 : Math.min(tracks.length - 1, Math.max(0, i + by))];
		this.view.focusRow = to;
		this.view.revealTrack(to);
		this.view.ask();
		if (to)
			this.say(to.row ? `row ${this.model.rowLabel(to.row)}` :
				`row events of ${this.layout.label(to.group)}`);
	}

	nextInRow(by) {
		const view = this.view, track = view.focusRow || this.layout.tracks[0], s = view.selected;
		if (!track || (track.row && !track.row.loaded))
			return;
		const middle = (view.begin + view.end) / 2;
		if (track.row) {
			const row = track.row, from = s && s.row === row ? s.i + by : row.sliceAt(middle, Infinity);
			if (from >= 0 && from < row.n)
				this.selectSlice(row, from);
			return;
		}
		const list = track.events, time = this.model.time;
		const at = s && s.event !== undefined ? bisectArray(list, s.event) + by :
			bisect(list.length, k => time[list[k]] < middle);
		if (at >= 0 && at < list.length)
			this.selectEvent(list[at]);
	}

	nextEvent(by) {
		const s = this.view.selected, list = this.onlyMatches.checked ? this.hits : null;
		const n = list ? list.length : this.model.time.length;
		let k = this.table.first;
		if (s && s.event !== undefined)
			k = (list ? bisectArray(list, s.event) : s.event) + by;
		else if (s)
			k = this.table.first;
		if (k >= 0 && k < n)
			this.selectEvent(list ? list[k] : k);
	}

	focus() {
		const { view, model } = this, s = view.selected;
		const range = s && s.row ? [s.row.begin[s.i], s.row.end(s.i)] :
			s ? [model.time[s.event], model.time[s.event]] : view.range;
		if (!range || this.focused === `${range}`) {
			this.focused = null;
			view.fit();
		} else {
			this.focused = `${range}`;
			view.focus(range[0], range[1]);
		}
	}

	markRange(keep) {
		const { view } = this, s = view.selected;
		if (s && s.row)
			this.setRange(s.row.begin[s.i], s.row.end(s.i), true);
		if (keep && view.range)
			view.kept.push(view.range);
		view.ask();
	}

	mark(i, remove) {
		const { view, model } = this, s = view.selected;
		let t = this.mouseTime();
		if (t === undefined && s)
			t = s.row ? (i ? s.row.end(s.i) : s.row.begin[s.i]) : model.time[s.event];
		if (t === undefined)
			t = (view.begin + view.end) / 2;
		view.markers[i] = remove ? null : Math.round(t);
		this.sayMarkers();
		this.say(remove ? `marker ${i + 1} removed` : `marker ${i + 1} at ${model.stamp(t)} s`);
		view.ask();
	}

	clear() {
		const view = this.view;
		this.tip.hidden = true;
		if (this.searchBox.value && (document.activeElement === this.searchBox ||
					     (!view.range && !view.selected))) {
			this.searchBox.value = '';
			this.search('');
			view.canvas.focus();
			return;
		}
		view.range = view.selected = null;
		view.kept = view.kept.slice(0, -1);
		this.table.select(-1);
		this.panel.clear();
		view.ask();
	}

	// --- what is selected

	hover(at) {
		const found = at && this.find(at.x, at.y);
		this.tip.hidden = !found;
		if (!found)
			return;
		const { row, i, event } = found, m = this.model;
		this.tip.textContent = row ? `${m.nameOf(row.name[i])}\n${row.isOpen(i) ? 'at least ' : ''}` +
			`${duration(row.dur[i])}, CPU ${row.cpu[i]}\nat ${m.stamp(row.begin[i])} s` :
			`${m.types[m.columns.evtype[event]]}\n${m.taskLabel(m.columns.evtask[event])}\n` +
			`at ${m.stamp(m.time[event])} s`;
		const box = this.view.canvas.getBoundingClientRect(), size = this.tip.getBoundingClientRect();
		const x = box.left + at.x + 14, y = box.top + at.y + 14;
		this.tip.style.left = `${x + size.width > innerWidth ? x - size.width - 28 : x}px`;
		this.tip.style.top = `${Math.min(y, innerHeight - size.height - 4)}px`;
	}

	find(x, y) {
		const view = this.view, track = y > AXIS ? this.layout.trackAt(view.yAt(y)) : null;
		const t = view.timeAt(x), slack = 3 * view.ns * view.scale;
		if (!track)
			return null;
		if (track.events) {
			const time = this.model.time, list = track.events;
			const k = bisect(list.length, i => time[list[i]] < t - slack);
			return k < list.length && time[list[k]] <= t + slack ? { event: list[k], track } : null;
		}
		if (!track.row.loaded)
			return null;
		const i = track.row.sliceAt(t, slack);
		return i < 0 ? null : { row: track.row, i, track };
	}

	selectAt(x, y) {
		const found = this.find(x, y);
		this.view.focusRow = this.layout.trackAt(this.view.yAt(y));
		if (!found)
			this.clear();
		else if (found.row)
			this.selectSlice(found.row, found.i);
		else
			this.selectEvent(found.event);
	}

	selectSlice(row, i) {
		const { view, model } = this;
		view.selected = { row, i };
		view.reveal(row.begin[i]);
		view.revealTrack(this.layout.tracks.find(t => t.row === row));
		this.panel.slice(row, i);
		this.table.select(this.eventOf(row, i));
		this.say(`${model.nameOf(row.name[i])} on ${model.rowLabel(row)}, ${duration(row.dur[i])}`);
		view.ask();
	}

	// The event that a slice began with: of its time, on its CPU; -1: there is none in the table
	eventOf(row, i) {
		const { time, columns: c, taskInputs } = this.model, t = row.begin[i];
		for (let k = bisectArray(time, t); k < time.length && time[k] === t; k++)
			if (c.evcpu[k] === row.cpu[i] && taskInputs[c.evtask[k]] === row.input)
				return k;
		return -1;
	}

	async selectEvent(event) {
		const { view, model } = this;
		view.selected = { event };
		view.reveal(model.time[event]);
		this.viewChanged();
		this.table.select(event);
		this.say(`${model.types[model.columns.evtype[event]]} at ${model.stamp(model.time[event])} s`);
		view.ask();
		const text = await this.table.texts.of(event);
		if (view.selected && view.selected.event === event)
			this.panel.event(event, text);
	}

	setRange(a, b, done) {
		const view = this.view;
		view.range = [Math.round(Math.min(a, b)), Math.round(Math.max(a, b))];
		view.ask();
		if (!done)
			return;
		this.statistics = statistics(this.model, view.range[0], view.range[1], this.shownRows());
		this.panel.range(this.statistics);
		this.say(`range of ${duration(view.range[1] - view.range[0])}, ` +
			`${number(this.statistics.events)} events`);
	}

	shownRows() {
		return this.layout.shown.flatMap(group => group.rows);
	}

	toggleGroup(y) {
		const track = this.layout.trackAt(y);
		if (!track)
			return;
		this.layout.toggle(track.group);
		this.filter();
	}

	// --- search

	async search(text) {
		const turn = ++this.turn, { model, view } = this, query = parseQuery(text);
		const count = document.getElementById('hits');
		count.textContent = query.error || '';
		this.searchBox.setAttribute('aria-invalid', !!query.error);
		if (query.error || !query.terms.length) {
			this.hits = view.nameHits = view.eventHits = null;
			this.filter();
			return null;
		}
		const search = new Search(query, model);
		const hits = await findEvents(search, model, BLOCK, b => this.table.texts.raw(b),
			() => turn !== this.turn, share => { count.textContent = percent(share); });
		if (!hits)
			return null;
		this.hits = hits;
		view.nameHits = search.nameHits();
		view.eventHits = this.groupHits(hits);
		count.textContent = `${number(hits.length)} events`;
		this.filter();
		return hits;
	}

	// Hits by group of rows
	groupHits(hits) {
		const { columns: c, taskInputs, tids } = this.model, groups = new Map();
		const add = (key, i) => {
			if (!groups.has(key))
				groups.set(key, []);
			groups.get(key).push(i);
		};
		for (const i of hits) {
			const task = c.evtask[i], input = taskInputs[task];
			add(`cpu:${input}:${c.evcpu[i]}`, i);
			add(`task:${input}:${tids[task] >>> 0}`, i);
		}
		return groups;
	}

	// Rows and events that match, or rows with something in view only, if that is wanted
	filter() {
		const { view, layout } = this, { begin, end } = view;
		const hits = this.onlyMatches.checked && view.eventHits, active = this.onlyActive.checked;
		// a task that sleeps in a system call is not active: its state decides, if that is known
		const rowsOf = group => (group.rows.length && group.rows[0].kind === KIND.STATE ?
			group.rows.slice(0, 1) : group.rows);
		const isActive = group => group.kind === 'cpu' || rowsOf(group).some(row =>
			!row.loaded || row.isActive(begin, end)) || (!group.rows.length && group.events);
		layout.place(hits || active ? group => (!hits || hits.has(group.key)) &&
			(!active || isActive(group)) : null);
		this.placed = `${begin} ${end}`;
		this.shownBegin = null;
		view.relayout();
	}

	nextHit(by) {
		const { view, model, hits } = this;
		if (!hits || !hits.length)
			return;
		const s = view.selected, now = s && s.event;
		let k = now === undefined || now === null ? bisect(hits.length, i =>
			model.time[hits[i]] < view.begin) : bisectArray(hits, now) + (by > 0 &&
			hits[bisectArray(hits, now)] !== now ? 0 : by);
		k = (k + hits.length) % hits.length;
		this.selectEvent(hits[k]);
		document.getElementById('hits').textContent = `${number(k + 1)} of ${number(hits.length)}`;
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Rows and where they are: a group for each CPU, pair and task, with tracks below each other.
// Pure: no document.

const HEIGHT = [11, 20, 16, 16, 16]; // by kind of row
const TICKS = 7;
const GROUP_GAP = 5;
const HOST = 24;

// Tracks: { y, h, row } with slices, or { y, h, events } with ticks; groups of them
class Layout {
	constructor(model) {
		this.model = model;
		this.collapsed = new Set();
		this.groups = [];
		this.addRows();
		this.place(null);
	}

	addRows() {
		const m = this.model, byKey = new Map();
		for (const row of m.rows) {
			const kind = row.kind <= KIND.RUN ? 'cpu' : row.kind === KIND.PAIRS ? 'pair' : 'task';
			const key = `${kind}:${row.input}:${row.id}`;
			if (!byKey.has(key)) {
				byKey.set(key, { key, kind, input: row.input, id: row.id, rows: [], events: null });
				this.groups.push(byKey.get(key));
			}
			byKey.get(key).rows.push(row);
		}
		this.byKey = byKey;
	}

	// CPUs and tasks that have events but no slices; ticks of the others
	addEvents() {
		const m = this.model;
		for (const [k, list] of m.ofCpu) {
			const input = Math.floor(k / 65536), cpu = k % 65536;
			this.withEvents(`cpu:${input}:${cpu}`, { kind: 'cpu', input, id: cpu }, list);
		}
		for (const [i, list] of m.ofTask)
			if (m.tids[i])
				this.withEvents(`task:${m.taskInputs[i]}:${m.tids[i] >>> 0}`,
						{ kind: 'task', input: m.taskInputs[i], id: m.tids[i] >>> 0 }, list);
		const order = { cpu: 0, pair: 1, task: 2 };
		const late = g => (g.kind === 'task' && !g.rows.length ? 1 : 0);
		this.groups.forEach((g, i) => { g.place = i; });
		this.groups.sort((a, b) => a.input - b.input || order[a.kind] - order[b.kind] ||
			(a.kind === 'cpu' ? a.id - b.id : late(a) - late(b) || a.place - b.place));
	}

	withEvents(key, group, list) {
		let g = this.byKey.get(key);
		if (!g) {
			g = { key, ...group, rows: [], events: null };
			this.byKey.set(key, g);
			this.groups.push(g);
		}
		g.events = list;
	}

	label(group) {
		const m = this.model;
		if (group.kind === 'cpu')
			return `CPU ${group.id}`;
		if (group.kind === 'pair')
			return m.pairs[group.id] || 'pairs';
		return `${m.taskNameOf(group)} ${group.id | 0}`;
	}

	// shown(group): is it wanted? null: all are
	place(shown) {
		const hosts = this.model.meta.files.length > 1;
		let y = 0, input = -1;
		this.shown = [];
		this.tracks = [];
		this.heads = [];
		for (const group of this.groups) {
			if (shown && !shown(group))
				continue;
			if (hosts && group.input !== input) {
				input = group.input;
				this.heads.push({ y, h: HOST, text: this.model.meta.files[input].name });
				y += HOST;
			}
			y = this.placeGroup(group, y);
			this.shown.push(group);
		}
		this.height = y;
	}

	placeGroup(group, y) {
		const main = group.rows.findIndex(row => row.kind !== KIND.IRQ);
		group.y = y;
		group.tracks = [];
		for (const [i, row] of group.rows.entries()) {
			if (this.collapsed.has(group.key) && i !== Math.max(0, main))
				continue;
			group.tracks.push({ y, h: HEIGHT[row.kind], row, group });
			y += HEIGHT[row.kind] + 1;
		}
		if (group.events && (!group.tracks.length || !this.collapsed.has(group.key))) {
			const h = group.tracks.length ? TICKS : HEIGHT[KIND.RUN] - 4;
			group.tracks.push({ y, h, events: group.events, group });
			y += h + 1;
		}
		group.h = y - group.y;
		this.tracks.push(...group.tracks);
		return y + GROUP_GAP;
	}

	toggle(group) {
		if (!this.collapsed.delete(group.key))
			this.collapsed.add(group.key);
	}

	// Tracks between two heights
	between(top, bottom) {
		const v = this.tracks, first = bisect(v.length, i => v[i].y + v[i].h < top);
		return v.slice(first, bisect(v.length, i => v[i].y < bottom));
	}

	trackAt(y) {
		return this.between(y, y + 1).find(t => t.y <= y && y <= t.y + t.h) || null;
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Sums over a range of time. Pure: no document. Times of slices are cut at the ends of the range;
// slices of unknown length count, and their known part is added.

function addTo(map, key, ns, open) {
	let s = map.get(key);
	if (!s)
		map.set(key, s = { count: 0, sum: 0, min: Infinity, max: 0, open: 0 });
	s.count++;
	s.sum += ns;
	s.min = Math.min(s.min, ns);
	s.max = Math.max(s.max, ns);
	s.open += open ? 1 : 0;
}

const bySum = map => Array.from(map, ([name, s]) => ({ name, ...s }))
	.sort((a, b) => b.sum - a.sum || b.count - a.count || (a.name < b.name ? -1 : 1));

// What a task did: ns of each kind of state
function addState(tasks, row, i, ns) {
	let t = tasks.get(row);
	if (!t)
		tasks.set(row, t = { run: 0, wait: 0, blocked: 0, sleep: 0, runs: 0 });
	switch (row.name[i]) {
	case STATE.RUNNING:
		t.run += ns;
		t.runs++;
		break;
	case STATE.RUNNABLE:
	case STATE.PREEMPTED:
		t.wait += ns;
		break;
	case STATE.BLOCKED:
		t.blocked += ns;
		break;
	case STATE.SLEEPING:
	case STATE.IDLE:
	case STATE.PARKED:
		t.sleep += ns;
	}
}

// Of rows that the caller shows: { events, types, slices, tasks, cpus, lost, gaps, missing }
function statistics(model, t0, t1, rows = model.rows) {
	const slices = new Map(), tasks = new Map(), cpus = new Map(), types = new Map();
	let partial = 0;
	for (const row of rows) {
		if (row.n < row.all)
			partial++;
		if (!row.loaded || !row.n)
			continue;
		const [first, last] = row.inRange(t0, t1);
		for (let i = first; i < last; i++) {
			const ns = Math.max(0, Math.min(row.end(i), t1) - Math.max(row.begin[i], t0));
			if (row.kind === KIND.STATE)
				addState(tasks, row, i, ns);
			else if (row.kind === KIND.RUN)
				addTo(cpus, row, ns, row.isOpen(i));
			else
				addTo(slices, row.name[i], ns, row.isOpen(i));
		}
	}
	const first = bisectArray(model.time, t0), end = bisectArray(model.time, t1);
	for (let i = first; i < end; i++) {
		const type = model.columns.evtype[i];
		types.set(type, (types.get(type) || 0) + 1);
	}
	let lost = 0, gaps = 0, missing = 0;
	for (const gap of model.gaps)
		if (gap.begin < t1 && gap.end > t0) {
			lost += gap.count;
			gaps += !gap.missing;
			missing += gap.missing;
		}
	return {
		begin: t0, end: t1, events: end - first, partial, lost, gaps, missing,
		types: Array.from(types, ([type, count]) => ({ name: model.types[type], count }))
			.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
		slices: bySum(slices).map(s => ({ ...s, name: model.nameOf(s.name) })),
		tasks: Array.from(tasks, ([row, t]) => ({ name: model.rowLabel(row), input: row.input,
							  tid: row.id | 0, ...t }))
			.sort((a, b) => b.run - a.run || a.tid - b.tid),
		cpus: Array.from(cpus, ([row, s]) => ({ name: model.rowLabel(row), input: row.input,
							cpu: row.id, busy: s.sum,
							share: s.sum / (t1 - t0) }))
			.sort((a, b) => a.input - b.input || a.cpu - b.cpu),
	};
}

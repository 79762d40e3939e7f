// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// The recording as chart/timeline.c wrote it. Pure: no document. Times are ns since the first event,
// in doubles, which are exact up to 104 days.

const KIND = { IRQ: 0, RUN: 1, STATE: 2, CALLS: 3, PAIRS: 4 };
const OPEN = { NO_BEGIN: 1, NO_END: 2, CUT: 4 };
const LONG = 0xffffffff;
const LOD_LAST = 64;
// States of meta.states by number
const STATE = { UNKNOWN: 0, RUNNING: 1, RUNNABLE: 2, PREEMPTED: 3, SLEEPING: 4, BLOCKED: 5,
		STOPPED: 6, PARKED: 7, IDLE: 8, DEAD: 9 };

const isQuiet = state => state === STATE.SLEEPING || state === STATE.IDLE || state === STATE.PARKED ||
	state === STATE.UNKNOWN;

// The first index below n for which before(i) is false; true for all that come before it
function bisect(n, before) {
	let low = 0, high = n;
	while (low < high) {
		const i = (low + high) >>> 1;
		if (before(i))
			low = i + 1;
		else
			high = i;
	}
	return low;
}

function bisectArray(v, at, low = 0, high = v.length) {
	while (low < high) {
		const i = (low + high) >>> 1;
		if (v[i] < at)
			low = i + 1;
		else
			high = i;
	}
	return low;
}

// Lists of indexes by key, which is below limit: a Map of those that are not empty
function group(keys, limit) {
	const at = new Uint32Array(limit + 1), n = keys.length, all = new Uint32Array(n);
	for (let i = 0; i < n; i++)
		at[keys[i] + 1]++;
	for (let k = 0; k < limit; k++)
		at[k + 1] += at[k];
	const lists = new Map();
	for (let k = 0; k < limit; k++)
		if (at[k + 1] > at[k])
			lists.set(k, all.subarray(at[k], at[k + 1]));
	for (let i = 0; i < n; i++)
		all[at[keys[i]]++] = i;
	return lists;
}

// One row: slices that follow each other, and levels of detail
class Row {
	constructor(model, index, c) {
		this.model = model;
		this.index = index;
		this.kind = c.rowkind[index];
		this.input = c.rowinput[index];
		this.id = c.rowid[index];
		this.depth = c.rowdepth[index];
		this.first = Number(c.rowbegin[index]);
		this.n = c.rown[index];
		this.all = Number(c.rowall[index]);
		this.at = 0;
		this.begin = this.dur = null;
		this.levels = [];
	}

	// Times of all slices. A begin or duration that did not fit is in the column of long ones.
	load() {
		const c = this.model.columns, n = this.n, end = this.at + n;
		const delta = c.slbegin.subarray(this.at, end);
		const short = c.sldur.subarray(this.at, end);
		const begin = new Float64Array(n), dur = new Float64Array(n);
		let time = this.first, long = this.longBegin, longDur = this.longDur;
		this.flags = new Map();
		for (let i = 0; i < n; i++) {
			time = delta[i] === LONG ? Number(c.longbegin[long++]) : time + delta[i];
			begin[i] = time;
			dur[i] = short[i];
			if (short[i] === LONG) {
				dur[i] = Number(c.longdur[longDur]);
				this.flags.set(i, c.longflags[longDur++]);
			}
		}
		this.name = c.slname.subarray(this.at, end);
		this.cpu = c.slcpu.subarray(this.at, end);
		this.dur = dur;
		this.begin = begin;
	}

	get loaded() {
		if (!this.begin && this.model.slicesLoaded)
			this.load();
		return !!this.begin;
	}

	end(i) {
		return this.begin[i] + this.dur[i];
	}

	// Slices [first, last) that reach into a range; one that takes no time if it begins there
	inRange(t0, t1) {
		const v = this.begin;
		let first = bisectArray(v, t0);
		while (first > 0 && this.end(first - 1) > t0)
			first--;
		return [first, bisectArray(v, t1, first)];
	}

	// The slice at a time, or -1
	sliceAt(t, slack) {
		const [first, last] = this.inRange(t - slack, t + slack);
		let best = -1, distance = Infinity;
		for (let i = first; i < last; i++) {
			const d = t < this.begin[i] ? this.begin[i] - t : Math.max(0, t - this.end(i));
			if (d <= distance) {
				best = i;
				distance = d;
			}
		}
		return best;
	}

	// Is anything in a range but sleep?
	isActive(t0, t1) {
		const [first, last] = this.inRange(t0, t1);
		if (this.kind !== KIND.STATE)
			return last > first;
		for (let i = first; i < last; i++)
			if (!isQuiet(this.name[i]))
				return true;
		return false;
	}

	isOpen(i) {
		return this.flags.get(i) || 0;
	}
}

class Model {
	constructor(meta, columns) {
		this.meta = meta;
		this.columns = columns;
		this.base = BigInt(meta.base);
		this.end = Math.max(1, Number(meta.end));
		this.names = splitTexts(columns.name);
		this.pairs = splitTexts(columns.pair);
		this.taskNames = splitTexts(columns.taskname);
		this.tids = new Int32Array(columns.tasktid.buffer);
		this.taskInputs = columns.taskinput;
		this.taskOf = new Map(Array.from(this.tids, (tid, i) =>
			[`${this.taskInputs[i]}:${tid}`, i]));
		this.notes = splitTexts(columns.note);
		this.slicesLoaded = false;
		this.firstTask = meta.states.length + meta.names;
		this.rows = Array.from(columns.rowkind, (_, i) => new Row(this, i, columns));
		this.addLevels();
		this.gaps = Array.from(columns.gapcpu, (cpu, i) => ({
			input: columns.gapinput[i], cpu, begin: Number(columns.gapbegin[i]),
			end: Number(columns.gapend[i]), count: Number(columns.gapcount[i]),
			missing: columns.gapmissing[i] !== 0 }));
	}

	addLevels() {
		const c = this.columns;
		let at = 0;
		this.rows.forEach((row, i) => {
			let n = c.lodn[i], first = Number(c.lodfirst[i]), size = 2 ** c.lodshift[i];
			while (n) {
				row.levels.push({ size, first, n, share: c.lodshare.subarray(at, at + n),
						  name: c.lodname.subarray(at, at + n) });
				at += n;
				if (n <= LOD_LAST)
					break;
				const last = Math.floor((first + n - 1) / 4);
				first = Math.floor(first / 4);
				n = last - first + 1;
				size *= 4;
			}
		});
	}

	// Once their columns are read
	slicesRead() {
		const { slbegin, sldur } = this.columns;
		let at = 0, begins = 0, durs = 0;
		for (const row of this.rows) {
			row.at = at;
			row.longBegin = begins;
			row.longDur = durs;
			for (const end = at + row.n; at < end; at++) {
				begins += slbegin[at] === LONG;
				durs += sldur[at] === LONG;
			}
		}
		this.slicesLoaded = true;
	}

	eventsRead() {
		const { evdelta, evtime, evcpu, evtask } = this.columns;
		const n = evdelta.length, time = new Float64Array(n);
		let at = 0, long = 0;
		for (let i = 0; i < n; i++) {
			at = evdelta[i] === LONG ? Number(evtime[long++]) : at + evdelta[i];
			time[i] = at;
		}
		this.time = time;
		this.types = splitTexts(this.columns.typename);
		// events of a CPU and of a task, as lists of numbers
		this.ofCpu = this.byCpu();
		this.ofTask = group(evtask, this.tids.length);
	}

	// Lists by 65536 x recording + CPU
	byCpu() {
		const { evcpu, evtask } = this.columns, n = evcpu.length, width = 65536;
		if (this.meta.files.length === 1)
			return group(evcpu, width);
		const key = new Uint32Array(n);
		for (let i = 0; i < n; i++)
			key[i] = this.taskInputs[evtask[i]] * width + evcpu[i];
		return group(key, this.meta.files.length * width);
	}

	taskIndex(input, tid) {
		const i = this.taskOf.get(`${input}:${tid | 0}`);
		return i === undefined ? -1 : i;
	}

	taskLabel(i) {
		return `${this.taskNames[i]}-${this.tids[i]}`;
	}

	// The name of a slice by its number: a state, a name of the model, or a task
	nameOf(number) {
		const states = this.meta.states.length;
		if (number < states)
			return this.meta.states[number];
		if (number < this.firstTask)
			return this.names[number - states];
		return this.taskLabel(number - this.firstTask);
	}

	// Of the slice's name, what the colour is of: threads of a program have one
	colourName(number) {
		return number < this.firstTask ? this.nameOf(number) :
			this.taskNames[number - this.firstTask];
	}

	rowLabel(row) {
		switch (row.kind) {
		case KIND.IRQ:
			return 'interrupts';
		case KIND.RUN:
			return `CPU ${row.id}`;
		case KIND.PAIRS:
			return this.pairs[row.id] || 'pairs';
		default:
			return `${this.taskNameOf(row)} ${row.id | 0}`;
		}
	}

	taskNameOf(row) {
		const i = this.taskIndex(row.input, row.id);
		return i < 0 ? '<...>' : this.taskNames[i];
	}

	// Time stamps as tc-report -t prints them
	stamp(t) {
		const ns = this.base + BigInt(Math.round(t));
		return `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, '0')}`;
	}
}

// A duration as a person reads it, all digits
function duration(ns) {
	const sign = ns < 0 ? '−' : '';
	ns = Math.round(Math.abs(ns));
	const group = (v, digits) => v.toFixed(digits).replace(/\.?0+$/, '');
	if (ns < 1000)
		return `${sign}${ns} ns`;
	if (ns < 1e6)
		return `${sign}${group(ns / 1e3, 3)} µs`;
	if (ns < 1e9)
		return `${sign}${group(ns / 1e6, 6)} ms`;
	return `${sign}${group(ns / 1e9, 9)} s`;
}

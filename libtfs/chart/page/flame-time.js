// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Samples over time: a column is a second (or another period), a row a fiftieth of it, from below.
// The first functions are pure.

const TIME_ROWS = 50;
const PERIODS = [3600e9, 60e9, 10e9, 1e9, 100e6, 10e6, 1e6, 100e3];
const COLUMNS_MAX = 2000;
const HEAT = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

// How many samples are in each cell: cells[column * TIME_ROWS + row]
function countCells(times) {
	const end = times.reduce((a, b) => Math.max(a, b), 0) + 1;
	let period = PERIODS.find(p => end / p >= 20) || PERIODS[PERIODS.length - 1];
	while (end / period > COLUMNS_MAX)
		period *= 10;
	const columns = Math.ceil(end / period), cells = new Uint32Array(columns * TIME_ROWS);
	for (const t of times)
		cells[cellAt(t, period)]++;
	return { period, columns, cells, end, most: cells.reduce((a, b) => Math.max(a, b), 0) };
}

function cellAt(t, period) {
	const column = Math.floor(t / period);
	return column * TIME_ROWS + Math.min(TIME_ROWS - 1, Math.floor((t - column * period) / period * TIME_ROWS));
}

function cellStart(cell, period) {
	return Math.round(Math.floor(cell / TIME_ROWS) * period + cell % TIME_ROWS * period / TIME_ROWS);
}

// A tree of what was sampled from one time up to another; each sample weighs 1
function rangeTree(t, times, nodes, from, to) {
	const n = t.n, self = new Float64Array(n), total = new Float64Array(n), at = new Int32Array(n);
	for (let i = 0; i < times.length; i++)
		if (times[i] >= from && times[i] < to)
			self[nodes[i]]++;
	total.set(self);
	for (let i = n - 1; i > 0; i--)
		total[t.parent[i]] += total[i];
	const kept = [];
	for (let i = 0; i < n; i++) {
		at[i] = kept.length;
		if (!i || total[i])
			kept.push(i);
	}
	return finishTree({ parent: Uint32Array.from(kept, i => at[t.parent[i]]),
		name: Uint32Array.from(kept, i => t.name[i]), self: Float64Array.from(kept, i => self[i]),
		samples: Float64Array.from(kept, i => self[i]), before: null });
}

// A color between those of HEAT; a single sample is seen, too
function heatColor(count, most) {
	const x = (0.15 + 0.85 * Math.sqrt(count / most)) * (HEAT.length - 1);
	const i = Math.min(Math.floor(x), HEAT.length - 2), part = x - i;
	return HEAT[i].map((c, k) => Math.round(c + (HEAT[i + 1][k] - c) * part));
}

// Seconds with as many digits as a period needs
function secondsText(ns) {
	return `${(ns / 1e9).toFixed(data.heat.period >= 1e9 ? 2 : 5)} s`;
}

function paintTimes() {
	const canvas = byId('heat'), { columns, cells, most } = data.heat, c = canvas.getContext('2d');
	const image = c.createImageData(columns, TIME_ROWS), range = data.state.range;
	canvas.width = columns;
	canvas.height = TIME_ROWS;
	for (let cell = 0; cell < cells.length; cell++) {
		const start = cellStart(cell, data.heat.period), at = 4 *
			((TIME_ROWS - 1 - cell % TIME_ROWS) * columns + Math.floor(cell / TIME_ROWS));
		const inside = !range || (start >= range[0] && start < range[1]);
		const color = cells[cell] ? heatColor(cells[cell], most) : [128, 128, 128];
		for (let k = 0; k < 3; k++)
			image.data[at + k] = color[k];
		image.data[at + 3] = cells[cell] ? (inside ? 255 : 70) : (range && inside ? 70 : 0);
	}
	c.putImageData(image, 0, 0);
	const shown = range ? `${secondsText(range[0])} to ${secondsText(range[1])}: ` +
		`${grouped(data.whole.total[0])} samples` : 'all of it; drag to select a range, click for a column';
	const unit = data.heat.period >= 1e9 ? `${data.heat.period / 1e9} s` : `${data.heat.period / 1e6} ms`;
	byId('range').textContent = `A column is ${unit}. Shown: ${shown}`;
	byId('all-time').disabled = !range;
	canvas.setAttribute('aria-label', `Samples over time. ${byId('range').textContent}. Left and right ` +
		'arrow keys select a column, with Shift they extend the range, Escape selects everything.');
}

function cellOf(e) {
	const box = byId('heat').getBoundingClientRect(), { columns } = data.heat;
	const clamp = (x, n) => Math.max(0, Math.min(n - 1, Math.floor(x * n)));
	return clamp((e.clientX - box.left) / box.width, columns) * TIME_ROWS +
		clamp((box.bottom - e.clientY) / box.height, TIME_ROWS);
}

function selectCells(a, b) {
	const { period } = data.heat, first = Math.min(a, b), last = Math.max(a, b);
	go({ range: [cellStart(first, period), cellStart(last + 1, period)], zoom: [], band: 0 });
}

function selectColumns(first, last) {
	const at = x => Math.max(0, Math.min(data.heat.columns - 1, x));
	selectCells(at(first) * TIME_ROWS, at(last) * TIME_ROWS + TIME_ROWS - 1);
}

function onTimeKey(e) {
	const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key], { period } = data.heat, range = data.state.range;
	if (e.key === 'Escape') {
		go({ range: null, zoom: [], band: 0 });
	} else if (step) {
		const first = range ? Math.floor(range[0] / period) : step > 0 ? -1 : data.heat.columns;
		const last = range ? Math.ceil(range[1] / period) - 1 : first;
		selectColumns(e.shiftKey ? first : first + step, e.shiftKey ? last + step : first + step);
	} else {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}

function toggleTimes() {
	byId('times').hidden = !byId('times').hidden;
	byId('view-times').setAttribute('aria-pressed', !byId('times').hidden);
	if (!byId('times').hidden)
		paintTimes();
	resize();
	showRoot();
}

function listenTimes() {
	const canvas = byId('heat');
	let down = -1;
	canvas.addEventListener('mousedown', e => { down = cellOf(e); });
	addEventListener('mouseup', e => {
		if (down < 0)
			return;
		const up = cellOf(e), column = Math.floor(down / TIME_ROWS);
		if (up === down)
			selectColumns(column, column);
		else
			selectCells(down, up);
		down = -1;
	});
	canvas.addEventListener('mousemove', e => {
		const cell = cellOf(e), { cells, period } = data.heat, tip = byId('tip');
		tip.hidden = false;
		tip.textContent = `${secondsText(cellStart(cell, period))}: ${grouped(cells[cell])} samples`;
		tip.style.left = `${Math.min(e.clientX + 14, innerWidth - 200)}px`;
		tip.style.top = `${e.clientY + 18}px`;
	});
	canvas.addEventListener('mouseleave', () => { byId('tip').hidden = true; });
	canvas.addEventListener('keydown', onTimeKey);
	byId('all-time').addEventListener('click', () => go({ range: null, zoom: [], band: 0 }));
}

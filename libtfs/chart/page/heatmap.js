// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// A heat map: columns are parts of the time, rows durations, colors how many values a cell has.

const VIRIDIS = [[0x44, 0x01, 0x54], [0x3b, 0x52, 0x8b], [0x21, 0x91, 0x8c], [0x5e, 0xc9, 0x62],
	[0xfd, 0xe7, 0x25]];
const EDGE = { left: 76, right: 44, top: 8, bottom: 26 };

const units = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9]];

function duration(ns) {
	const u = units.findLast(unit => Number(ns) >= unit[1]) || units[0];
	return `${Number((Number(ns) / u[1]).toPrecision(3))} ${u[0]}`;
}

// Seconds with nine digits, without rounding
function seconds(ns) {
	const digits = String(ns).padStart(10, '0');
	return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

// On a logarithmic scale; a single value differs from none
function color(n, largest) {
	const share = largest > 1 ? Math.log(n) / Math.log(largest) : 1, at = (0.15 + 0.85 * share) * 4;
	const i = Math.min(Math.floor(at), 3), f = at - i;
	return `rgb(${VIRIDIS[i].map((c, k) => Math.round(c * (1 - f) + VIRIDIS[i + 1][k] * f)).join(',')})`;
}

class Heatmap {
	constructor(meta, columns) {
		this.meta = meta;
		this.first = BigInt(meta.first);
		this.width = BigInt(meta.width);
		this.step = BigInt(meta.step);
		this.columns = columns;
		this.isLinear = Boolean(meta.linear);
		this.hasLines = true;
		this.selected = null;
		this.canvas = document.getElementById('map');
	}

	get rows() {
		return this.isLinear ? this.meta.linearRows : this.meta.high - this.meta.low + 1;
	}

	// Row 0 is the lowest that is drawn.
	count(column, row) {
		const m = this.meta;
		return this.isLinear ? this.columns.linear[column * m.linearRows + row] :
			this.columns.log[column * m.logRows + m.low + row];
	}

	low(row) {
		return this.isLinear ? this.step * BigInt(row) : this.columns.bounds[this.meta.low + row];
	}

	largest() {
		let most = 0;
		for (const n of this.isLinear ? this.columns.linear : this.columns.log)
			most = Math.max(most, n);
		return most;
	}

	// Everything about a cell, for people and for tests
	cell(column, row) {
		let all = 0, below = 0;
		for (let i = 0; i < this.rows; i++) {
			all += this.count(column, i);
			below += i <= row ? this.count(column, i) : 0;
		}
		return { from: this.first + this.width * BigInt(column),
			to: this.first + this.width * BigInt(column + 1), low: this.low(row),
			high: this.low(row + 1), count: this.count(column, row), all, below,
			p50: this.columns.p50[column], p99: this.columns.p99[column] };
	}

	describe() {
		const detail = document.getElementById('detail');
		if (!this.selected) {
			detail.textContent = '';
			return;
		}
		const c = this.cell(...this.selected), part = n => (c.all ? 100 * n / c.all : 0).toFixed(1);
		detail.textContent = `${seconds(c.from)} to ${seconds(c.to)} s, ${duration(c.low)} to ` +
			`${duration(c.high)}: ${c.count} of ${c.all} (${part(c.count)}%), ${part(c.below)}% took no ` +
			`longer; p50 ${duration(c.p50)}, p99 ${duration(c.p99)}`;
	}

	// Pixels of a duration, from the top
	y(value) {
		let at = 0;
		if (this.isLinear) {
			at = Number(value) / Number(this.step);
		} else {
			while (at < this.rows && this.low(at + 1) <= value)
				at++;
			if (at < this.rows)
				at += Number(value - this.low(at)) / Number(this.low(at + 1) - this.low(at));
		}
		return EDGE.top + this.h * (1 - Math.min(at, this.rows) / this.rows);
	}

	x(ns) {
		const all = Number(this.width) * this.meta.columns, at = Number(ns - this.first) / all;
		return EDGE.left + this.w * Math.min(Math.max(at, 0), 1);
	}

	draw() {
		const ratio = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
		this.canvas.width = box.width * ratio;
		this.canvas.height = box.height * ratio;
		this.w = box.width - EDGE.left - EDGE.right;
		this.h = box.height - EDGE.top - EDGE.bottom;
		const g = this.canvas.getContext('2d');
		g.scale(ratio, ratio);
		this.drawAxes(g);
		this.drawCells(g);
		this.drawGaps(g);
		if (this.hasLines)
			this.drawLines(g);
		if (this.selected)
			this.drawSelected(g);
	}

	drawAxes(g) {
		const every = Math.max(1, Math.round(this.rows / 10)), style = getComputedStyle(document.body);
		g.font = '12px sans-serif';
		g.fillStyle = style.color;
		g.textAlign = 'right';
		for (let row = 0; row <= this.rows; row += every)
			g.fillText(duration(this.low(row)), EDGE.left - 6,
				EDGE.top + this.h * (1 - row / this.rows) + 4);
		g.textAlign = 'center';
		for (let i = 0; i <= 8; i++) {
			const at = this.first + this.width * BigInt(Math.round(this.meta.columns * i / 8));
			g.fillText(`${seconds(at).slice(0, -5)} s`, EDGE.left + this.w * i / 8, EDGE.top + this.h + 18);
		}
	}

	drawCells(g) {
		const most = this.largest(), w = this.w / this.meta.columns, h = this.h / this.rows;
		for (let column = 0; column < this.meta.columns; column++) {
			for (let row = 0; row < this.rows; row++) {
				const n = this.count(column, row);
				if (!n)
					continue;
				g.fillStyle = color(n, most);
				g.fillRect(EDGE.left + column * w, EDGE.top + this.h - (row + 1) * h, w, h);
			}
		}
	}

	drawGaps(g) {
		g.strokeStyle = '#ee6677';
		for (const gap of this.meta.gaps) {
			const from = this.x(BigInt(gap.begin)), to = Math.max(this.x(BigInt(gap.end)), from + 2);
			g.save();
			g.beginPath();
			g.rect(from, EDGE.top, to - from, this.h);
			g.clip();
			g.beginPath();
			for (let x = from - this.h; x < to; x += 6) {
				g.moveTo(x, EDGE.top + this.h);
				g.lineTo(x + this.h, EDGE.top);
			}
			g.stroke();
			g.restore();
		}
	}

	drawLines(g) {
		g.strokeStyle = '#d55e00';
		g.lineWidth = 1.5;
		for (const [name, dash] of [['p50', []], ['p99', [4, 2]]]) {
			g.setLineDash(dash);
			g.beginPath();
			for (let column = 0; column < this.meta.columns; column++)
				if (this.cell(column, 0).all)
					g.lineTo(EDGE.left + this.w * (column + 0.5) / this.meta.columns,
						this.y(this.columns[name][column]));
			g.stroke();
		}
		g.setLineDash([]);
	}

	drawSelected(g) {
		const [column, row] = this.selected, w = this.w / this.meta.columns, h = this.h / this.rows;
		g.strokeStyle = '#d55e00';
		g.lineWidth = 2;
		g.strokeRect(EDGE.left + column * w, EDGE.top + this.h - (row + 1) * h, w, h);
	}

	select(column, row) {
		const limit = (n, max) => Math.min(Math.max(n, 0), max - 1);
		this.selected = [limit(column, this.meta.columns), limit(row, this.rows)];
		this.describe();
		this.draw();
	}

	setLinear(on) {
		this.isLinear = on;
		this.selected = null;
		document.getElementById('scale').setAttribute('aria-pressed', String(on));
		this.describe();
		this.draw();
	}

	setLines(on) {
		this.hasLines = on;
		document.getElementById('lines').setAttribute('aria-pressed', String(on));
		this.draw();
	}

	listen() {
		const at = event => [Math.floor((event.offsetX - EDGE.left) / this.w * this.meta.columns),
			Math.floor((EDGE.top + this.h - event.offsetY) / this.h * this.rows)];
		const move = (x, y) => this.selected ?
			this.select(this.selected[0] + x, this.selected[1] + y) : this.select(0, 0);
		const keys = { KeyL: () => this.setLinear(!this.isLinear), KeyP: () => this.setLines(!this.hasLines),
			ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, 1),
			ArrowDown: () => move(0, -1) };
		this.canvas.addEventListener('mousemove', event => this.select(...at(event)));
		document.addEventListener('keydown', event => {
			if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.code])
				return;
			event.preventDefault();
			keys[event.code]();
		});
		document.getElementById('scale').addEventListener('click', keys.KeyL);
		document.getElementById('lines').addEventListener('click', keys.KeyP);
		window.addEventListener('resize', () => this.draw());
	}
}

async function start() {
	const columns = {};
	for (const name of ['log', 'linear', 'bounds', 'p50', 'p99'])
		columns[name] = await readColumn(name);
	const map = new Heatmap(readMeta(), columns);
	window.tc = { ready: false, map };
	const missing = map.meta.gaps.filter(gap => gap.missing).length, lost = map.meta.gaps.length - missing;
	document.getElementById('title').textContent = map.meta.title;
	document.getElementById('sum').textContent = `${map.meta.total} durations in ${map.meta.columns} columns of ` +
		`${duration(map.width)}` + (lost ? `; events were lost in ${lost} places` : '') +
		(missing ? `; ${missing} CPU${missing > 1 ? 's lack their' : ' lacks its'} last events` : '');
	document.getElementById('legend').textContent =
		'The brighter, the more. Lines: p50, dashed p99. Hatched: events were lost or are missing.';
	map.listen();
	map.setLinear(map.isLinear);
	window.tc.ready = true;
}

start();

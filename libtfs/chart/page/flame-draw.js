// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Draws bands, each a tree with its boxes, on a canvas as large as what is seen of them.
//
// A band has: tree; zoom, the node that takes the whole width; up, whether callees are above their
// caller; first, the depth of its first row (1 leaves out the root); and, set by placeBands(), top
// and rows. Its heading, if there is one, has a row of its own.

const ROW = 19, FONT = '12px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';
const PAD = 5;
// Pixels below which a frame is a line without a box of its own
const BOX_MIN = 1;

const INK = {
	light: { text: '#18181b', page: '#ffffff', line: '#00000026', rest: '#d4d4d8', edge: '#18181b',
		hit: '#c026d3', hitText: '#ffffff', heading: '#52525b', caller: 0.55, others: 0.35 },
	dark: { text: '#f4f4f5', page: '#18181b', line: '#ffffff1f', rest: '#3f3f46', edge: '#fafafa',
		hit: '#e879f9', hitText: '#1c0420', heading: '#a1a1aa', caller: 0.5, others: 0.4 },
};

// Places the bands one below the other. Return: the height of all
function placeBands(bands) {
	let y = 0;
	for (const b of bands) {
		b.first = b.first || 0;
		b.rows = Math.max(b.tree.rows - b.first, 0);
		y += b.heading ? 2 * ROW : 0;
		b.top = y;
		y += b.rows * ROW;
	}
	return y;
}

function rowTop(band, depth) {
	const row = depth - band.first;
	return band.top + (band.up ? band.rows - 1 - row : row) * ROW;
}

// The box of a node in pixels of the whole picture
function boxOf(band, i, width) {
	const t = band.tree, z = band.zoom, scale = width / (t.total[z] || 1);
	if (i < z && t.end[i] >= t.end[z])
		return { x: 0, width, y: rowTop(band, t.depth[i]) };
	return { x: (t.start[i] - t.start[z]) * scale, width: t.total[i] * scale,
		y: rowTop(band, t.depth[i]) };
}

// The frame at a place of the picture, or null
function frameAt(bands, x, y, width) {
	for (const band of bands) {
		const t = band.tree, z = band.zoom, row = Math.floor((y - band.top) / ROW);
		if (y < band.top || row >= band.rows)
			continue;
		const depth = (band.up ? band.rows - 1 - row : row) + band.first;
		let i = z;
		if (depth <= t.depth[z]) {
			while (t.depth[i] > depth)
				i = t.parent[i];
		} else {
			i = nodeUnder(t, z, depth, t.start[z] + x * t.total[z] / width);
		}
		return i < 0 || !t.total[i] ? null : { band, i };
	}
	return null;
}

class Picture {
	// data: names, families and shades of names, meta; look: { theme, change, hit }
	constructor(canvas, data) {
		this.canvas = canvas;
		this.c = canvas.getContext('2d');
		this.data = data;
		this.boxes = 0;
	}

	resize(width, height) {
		const ratio = window.devicePixelRatio || 1;
		this.width = width;
		this.height = height;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.c.font = FONT;
		this.letter = this.c.measureText('0'.repeat(100)).width / 100;
	}

	// scroll: pixels of the picture above what is seen; marks: { selected, hover } frames or null
	draw(bands, look, scroll, marks) {
		const c = this.c;
		this.look = look;
		this.ink = INK[look.theme];
		this.scroll = scroll;
		this.boxes = 0;
		c.fillStyle = this.ink.page;
		c.fillRect(0, 0, this.width, this.height);
		c.font = FONT;
		c.textBaseline = 'middle';
		for (const band of bands)
			this.drawBand(band);
		for (const [mark, width] of [[marks.hover, 1], [marks.selected, 2]])
			if (mark && bands.includes(mark.band))
				this.outline(mark, width);
	}

	outline({ band, i }, width) {
		const b = boxOf(band, i, this.width), c = this.c;
		const x = Math.max(b.x, 0), end = Math.min(b.x + b.width, this.width);
		if (end < x)
			return;
		c.strokeStyle = this.ink.edge;
		c.lineWidth = width;
		c.strokeRect(x + width / 2, b.y - this.scroll + width / 2,
			Math.max(end - x - 1 - width, 1), ROW - 1 - width);
	}

	drawBand(band) {
		const t = band.tree, z = band.zoom, scale = this.width / (t.total[z] || 1);
		const seen = d => {
			const y = rowTop(band, d) - this.scroll;
			return y > -ROW && y < this.height;
		};
		if (band.heading) {
			this.c.fillStyle = this.ink.heading;
			this.c.fillText(band.heading, PAD, band.top - ROW * 0.7 - this.scroll);
		}
		if (!t.total[z])
			return;
		for (let i = t.parent[z]; z && i >= band.first; i = t.parent[i]) {
			if (seen(t.depth[i]))
				this.box(band, i, 0, this.width, this.ink.caller);
			if (!i)
				break;
		}
		// rows on the way up of which all are out of sight end the descent
		const deepest = this.deepest(band);
		const last = new Float64Array(t.rows + 1).fill(-1);
		for (let i = z; i < t.end[z];) {
			const d = t.depth[i], x = (t.start[i] - t.start[z]) * scale, w = t.total[i] * scale;
			if (d > deepest) {
				i = t.end[i];
			} else if (w < BOX_MIN) {
				if (Math.floor(x) > last[d] && w > 0 && seen(d)) {
					last[d] = Math.floor(x);
					this.c.fillStyle = this.look.hit && this.hasHit(t, i) ?
						this.ink.hit : this.ink.rest;
					this.c.fillRect(last[d], rowTop(band, d) - this.scroll, 1, ROW - 1);
				}
				i = t.end[i];
			} else {
				if (d >= band.first && seen(d))
					this.box(band, i, x, w, 1);
				i++;
			}
		}
	}

	hasHit(t, i) {
		for (let j = i; j < t.end[i]; j++)
			if (this.look.hit[t.name[j]])
				return true;
		return false;
	}

	deepest(band) {
		const t = band.tree;
		let d = t.rows - 1;
		while (d > 0 && !(rowTop(band, d) - this.scroll > -ROW &&
				rowTop(band, d) - this.scroll < this.height))
			d--;
		return d;
	}

	fill(band, i) {
		const t = band.tree, name = t.name[i], { meta, family, shade } = this.data;
		if (this.look.change)
			return meta.steps[this.look.theme][this.look.change(t, i) + meta.steps.light.length / 2 - 0.5];
		return meta.families[family[name]][this.look.theme][shade[name]];
	}

	box(band, i, x, w, alpha) {
		const c = this.c, name = band.tree.name[i], y = rowTop(band, band.tree.depth[i]) - this.scroll;
		const hit = this.look.hit && name && this.look.hit[name];
		const left = Math.max(x, 0), right = Math.min(x + w, this.width);
		if (right < left)
			return;
		this.boxes++;
		c.globalAlpha = this.look.hit && !hit ? this.ink.others * alpha : alpha;
		c.fillStyle = hit ? this.ink.hit : this.fill(band, i);
		c.fillRect(left, y, right - left > 2 ? right - left - 1 : Math.max(right - left, 0.6), ROW - 1);
		c.globalAlpha = alpha < 1 ? 0.8 : 1;
		this.label(this.data.names[name], left, right - left, y, hit);
		c.globalAlpha = 1;
	}

	label(text, x, w, y, hit) {
		const room = Math.floor((w - 2 * PAD + 2) / this.letter);
		if (room < 3)
			return;
		this.c.fillStyle = hit ? this.ink.hitText : this.ink.text;
		this.c.fillText(text.length > room ? `${text.slice(0, room - 1)}…` : text, x + PAD,
			y + ROW / 2);
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// The chart: a stretch of time [begin, end) on a canvas, its rows scrolled by the element around it.

const GUTTER = 168; // labels, on the left
const AXIS = 24;
const FONT = '11px system-ui, sans-serif';
const LEAST_NS = 20; // the width of the chart, at most zoomed in

class View {
	constructor(model, layout, changed) {
		this.model = model;
		this.layout = layout;
		this.changed = changed;
		this.painter = new Painter(model);
		this.canvas = document.getElementById('chart');
		this.scroll = document.getElementById('rows');
		this.spacer = document.getElementById('spacer');
		this.context = this.canvas.getContext('2d', { alpha: false });
		this.begin = 0;
		this.end = model.end * 1.01;
		this.markers = [null, null];
		this.range = null;
		this.kept = [];     // ranges that Shift+M keeps
		this.selected = null; // { row, i } or { event }
		this.focusRow = null;
		this.nameHits = this.eventHits = null;
		this.frameMs = 0;
		this.asked = false;
		this.scroll.addEventListener('scroll', () => this.ask());
		new ResizeObserver(() => this.resize()).observe(this.scroll);
		this.setTheme('light');
	}

	setTheme(theme) {
		this.theme = THEMES[theme];
		this.palette = new Palette(this.model, theme);
		this.ask();
	}

	resize() {
		const scale = window.devicePixelRatio || 1;
		this.scale = scale;
		this.width = Math.max(GUTTER + 50, this.scroll.clientWidth);
		this.height = Math.max(60, this.scroll.clientHeight);
		this.canvas.width = Math.round(this.width * scale);
		this.canvas.height = Math.round(this.height * scale);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		this.chartWidth = this.canvas.width - Math.round(GUTTER * scale);
		this.image = this.context.createImageData(this.chartWidth,
							  this.canvas.height - Math.round(AXIS * scale));
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.relayout();
	}

	relayout() {
		this.spacer.style.height = `${Math.max(0, this.layout.height + AXIS + 16 - this.height)}px`;
		this.ask();
	}

	// ns of a pixel of the canvas
	get ns() {
		return (this.end - this.begin) / this.chartWidth;
	}

	// Of the window's coordinates, relative to the canvas
	timeAt(x) {
		return this.begin + (x - GUTTER) / (this.width - GUTTER) * (this.end - this.begin);
	}

	xOf(time) {
		return GUTTER + (time - this.begin) / (this.end - this.begin) * (this.width - GUTTER);
	}

	yAt(y) {
		return y - AXIS + this.scroll.scrollTop;
	}

	show(begin, end) {
		const most = this.model.end * 1.02 + 10;
		let length = Math.min(most, Math.max(LEAST_NS, end - begin));
		const middle = (begin + end) / 2;
		begin = Math.min(Math.max(middle - length / 2, -this.model.end * 0.01 - 5), most - length);
		this.begin = begin;
		this.end = begin + length;
		this.ask();
	}

	fit() {
		this.show(-this.model.end * 0.01, this.model.end * 1.01);
	}

	zoom(factor, at = (this.begin + this.end) / 2) {
		this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
	}

	pan(share) {
		const by = (this.end - this.begin) * share;
		this.show(this.begin + by, this.end + by);
	}

	// Show something that lasts from begin to end, with its surroundings
	focus(begin, end) {
		const length = Math.max(end - begin, 50);
		this.show(begin - length * 0.6, begin + length * 1.6);
	}

	reveal(t) {
		if (t < this.begin || t > this.end) {
			const half = (this.end - this.begin) / 2;
			this.show(t - half, t + half);
		}
	}

	revealTrack(track) {
		if (!track)
			return;
		const top = this.scroll.scrollTop, room = this.height - AXIS;
		if (track.y < top || track.y + track.h > top + room)
			this.scroll.scrollTop = Math.max(0, track.y - room / 3);
	}

	ask() {
		if (this.asked || !this.image)
			return;
		this.asked = true;
		requestAnimationFrame(() => {
			this.asked = false;
			this.draw();
			this.changed();
		});
	}

	draw() {
		const start = performance.now(), { context: c, scale } = this;
		const top = Math.round(this.scroll.scrollTop);
		const tracks = this.layout.between(top, top + this.height - AXIS);
		this.texts = [];
		this.painter.begin(this.pixels, this.chartWidth, this.image.height, this.palette,
				   this.nameHits);
		for (const track of tracks)
			this.drawTrack(track, Math.round((track.y - top) * scale), Math.round(track.h * scale));
		this.drawGaps(tracks, top);
		c.setTransform(1, 0, 0, 1, 0, 0);
		c.fillStyle = css(this.theme.back);
		c.fillRect(0, 0, this.canvas.width, this.canvas.height);
		c.putImageData(this.image, this.canvas.width - this.chartWidth, Math.round(AXIS * scale));
		c.setTransform(scale, 0, 0, scale, 0, 0);
		c.font = FONT;
		c.textBaseline = 'middle';
		this.drawTexts();
		this.drawRanges();
		this.drawSelection(top);
		this.drawLabels(tracks, top);
		this.drawAxis();
		this.drawMarkers();
		this.frameMs = performance.now() - start;
	}

	drawTrack(track, y, h) {
		const { painter, begin, ns } = this;
		if (track.events) {
			painter.events(track.events, y, h, begin, ns, this.palette.tick);
			const hits = this.eventHits && this.eventHits.get(track.group.key);
			if (hits)
				painter.ticks(hits, y - 1, h + 2, begin, ns, this.palette.hit);
			return;
		}
		const ground = track.row.kind === KIND.RUN ? this.palette.band : this.palette.back;
		const drawn = painter.row(track.row, y, h, begin, ns, ground);
		if (drawn && h >= 14 * this.scale)
			this.collectTexts(track.row, drawn, y + h / 2);
	}

	// Names of slices that are wide enough for some of it
	collectTexts(row, [first, last], y) {
		const states = row.kind === KIND.STATE, least = (states ? 8 : 22) * this.scale * this.ns;
		for (let i = first; i < last; i++)
			if (row.dur[i] >= least)
				this.texts.push({ row, i, y: y / this.scale + AXIS });
	}

	textOf(row, i, room) {
		const name = row.name[i];
		if (row.kind !== KIND.STATE)
			return this.model.nameOf(name);
		if (name === STATE.RUNNING)
			return room > 44 ? `CPU ${row.cpu[i]}` : '';
		return room > 64 ? this.model.meta.states[name] : STATES[name].letter;
	}

	drawTexts() {
		const { context: c, palette } = this;
		for (const { row, i, y } of this.texts) {
			const x0 = Math.max(GUTTER, this.xOf(row.begin[i]));
			const room = Math.min(this.width, this.xOf(row.end(i))) - x0 - 4;
			const fit = Math.floor((room - 2) / 6);
			let text = room > 6 ? this.textOf(row, i, room) : '';
			if (!text || (fit < 4 && fit < text.length))
				continue;
			if (text.length > fit && c.measureText(text).width > room)
				text = `${text.slice(0, fit - 1)}…`;
			const name = row.name[i], quiet = palette.colour[name] === palette.quiet;
			c.fillStyle = quiet ? this.theme.dim : palette.lightText[name] ? '#fff' : '#111';
			if (this.nameHits && !this.nameHits[name])
				c.fillStyle = this.theme.dim;
			c.fillText(text, x0 + 4, y);
		}
	}

	// On the CPU's rows, as far as these are to be seen
	drawGaps(tracks, top) {
		const { model, begin, ns, scale } = this;
		const seen = new Map();
		for (const { group } of tracks)
			if (group.kind === 'cpu')
				seen.set(`${group.input}:${group.id}`, group);
		for (const gap of model.gaps) {
			const group = seen.get(`${gap.input}:${gap.cpu}`);
			if (group && gap.end > begin && gap.begin < this.end)
				this.painter.hatch((gap.begin - begin) / ns, (gap.end - begin) / ns,
						   Math.round((group.y - top) * scale), Math.round(group.h * scale));
		}
	}

	drawLabels(tracks, top) {
		const { context: c, layout, theme } = this;
		c.fillStyle = css(theme.back);
		c.fillRect(0, 0, GUTTER, this.height);
		for (const head of layout.heads) {
			const y = head.y - top + AXIS;
			c.fillStyle = css(theme.band);
			c.fillRect(0, y, this.width, head.h - 2);
			c.fillStyle = theme.text;
			c.font = `600 ${FONT}`;
			c.fillText(head.text, 8, y + head.h / 2);
		}
		const groups = new Set(tracks.map(t => t.group));
		for (const group of groups) {
			const main = group.tracks.find(t => !t.row || t.row.kind !== KIND.IRQ) || group.tracks[0];
			const y = main.y - top + AXIS + main.h / 2;
			c.font = group.kind === 'cpu' ? `600 ${FONT}` : FONT;
			c.fillStyle = theme.text;
			const folded = layout.collapsed.has(group.key);
			const many = group.rows.length > 1 || (group.rows.length && group.events);
			c.fillText(many ? folded ? '▸' : '▾' : '', 6, y);
			c.fillText(this.clip(layout.label(group), GUTTER - 30), 20, y);
			c.fillStyle = css(theme.line);
			c.fillRect(0, group.y + group.h - top + AXIS + 2, this.width, 1);
		}
		if (this.focusRow) {
			c.fillStyle = theme.range;
			c.fillRect(0, this.focusRow.y - top + AXIS, 3, this.focusRow.h);
		}
		c.fillStyle = css(theme.line);
		c.fillRect(GUTTER - 1, AXIS, 1, this.height);
	}

	clip(text, room) {
		const c = this.context;
		if (c.measureText(text).width <= room)
			return text;
		while (text.length > 1 && c.measureText(`${text}…`).width > room)
			text = text.slice(0, -1);
		return `${text}…`;
	}

	drawAxis() {
		const { context: c, theme } = this;
		c.fillStyle = css(theme.back);
		c.fillRect(0, 0, this.width, AXIS);
		c.font = FONT;
		const step = niceStep((this.end - this.begin) / Math.max(2, (this.width - GUTTER) / 130));
		for (let t = Math.ceil(this.begin / step) * step; t < this.end; t += step) {
			const x = this.xOf(t);
			if (x < GUTTER)
				continue;
			c.fillStyle = css(theme.line);
			c.fillRect(Math.round(x), AXIS - 5, 1, 5);
			c.globalAlpha = 0.45;
			c.fillRect(Math.round(x), AXIS, 1, this.height);
			c.globalAlpha = 1;
			c.fillStyle = theme.dim;
			c.fillText(axisText(t, step), x + 4, AXIS / 2);
		}
		c.fillStyle = theme.dim;
		c.fillText(`+ ${this.model.stamp(0)} s`, 8, AXIS / 2);
		c.fillStyle = css(theme.line);
		c.fillRect(0, AXIS - 1, this.width, 1);
	}

	band(range, alpha) {
		const { context: c } = this, x0 = Math.max(GUTTER, this.xOf(range[0]));
		const x1 = Math.min(this.width, this.xOf(range[1]));
		if (x1 < x0)
			return;
		c.globalAlpha = alpha;
		c.fillStyle = this.theme.range;
		c.fillRect(x0, AXIS, Math.max(1, x1 - x0), this.height);
		c.globalAlpha = 1;
		c.fillRect(x0, AXIS, 1, this.height);
		c.fillRect(x1, AXIS, 1, this.height);
	}

	drawRanges() {
		for (const range of this.kept)
			this.band(range, 0.08);
		if (this.range)
			this.band(this.range, 0.16);
	}

	drawSelection(top) {
		const s = this.selected, { context: c } = this;
		if (!s)
			return;
		c.strokeStyle = this.theme.text;
		c.lineWidth = 2;
		if (s.row) {
			const track = this.layout.tracks.find(t => t.row === s.row);
			if (!track)
				return;
			const x0 = Math.max(GUTTER - 2, this.xOf(s.row.begin[s.i]));
			const x1 = Math.min(this.width + 2, this.xOf(s.row.end(s.i)));
			if (x1 >= GUTTER && x0 <= this.width)
				c.strokeRect(x0, track.y - top + AXIS, Math.max(3, x1 - x0), track.h);
			return;
		}
		const x = this.xOf(this.model.time[s.event]);
		c.globalAlpha = 0.7;
		c.fillStyle = this.theme.text;
		if (x >= GUTTER)
			c.fillRect(Math.round(x), AXIS, 1, this.height);
		c.globalAlpha = 1;
	}

	drawMarkers() {
		const { context: c } = this;
		this.markers.forEach((t, i) => {
			const x = t === null ? -1 : Math.round(this.xOf(t));
			if (x < GUTTER - 1 || x > this.width)
				return;
			c.fillStyle = this.theme.marker[i];
			c.fillRect(x, 4, 1.5, this.height);
			c.fillRect(x - 7, 2, 15, 15);
			c.fillStyle = css(this.theme.back);
			c.font = `700 ${FONT}`;
			c.fillText('12'[i], x - 3, 10);
		});
	}
}

function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
	for (const k of [1, 2, 5])
		if (k * power >= least)
			return k * power;
	return 10 * power;
}

// A time of the axis with as many digits as the step has
function axisText(t, step) {
	const units = [[1e9, 's', 1e6], [1e6, 'ms', 1e3], [1e3, 'µs', 1], [1, 'ns', 0]];
	const [unit, name] = units.find(([, , least]) => step > least) || units[3];
	const digits = Math.max(0, Math.round(Math.log10(unit) - Math.floor(Math.log10(step))));
	return `${(t / unit).toFixed(Math.min(9, digits))} ${name}`;
}

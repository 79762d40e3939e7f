// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Draws tracks into an array of pixels: a line of a track is made once and copied to all its heights.
// From the slices, or from levels of detail where there are more slices than pixels.

const PARTS = 65536;
const SHARE_LEAST = 90; // of 255: what is there can be seen

class Painter {
	constructor(model) {
		this.model = model;
		this.there = new WeakMap();
	}

	// pixels: Uint32Array of width x height; names: hits of the search by name, or null
	begin(pixels, width, height, palette, names) {
		Object.assign(this, { pixels, width, height, palette, names });
		this.line = new Uint32Array(width);
		pixels.fill(palette.back);
	}

	colourOf(name) {
		return this.names && !this.names[name] ? this.palette.faded[name] : this.palette.colour[name];
	}

	// The line at heights [y, y + h)
	copy(y, h) {
		const { pixels, width, line } = this;
		const from = Math.max(0, y), end = Math.min(this.height, y + h);
		for (let at = from * width; at < end * width; at += width)
			pixels.set(line, at);
	}

	// Slices of a row on a ground; ns: of a pixel. Return: [first, last) that were drawn one by one, or null
	row(row, y, h, t0, ns, ground) {
		const t1 = t0 + ns * this.width, range = row.loaded && row.n ? row.inRange(t0, t1) : null;
		this.ground = ground;
		this.line.fill(ground);
		if (range && (range[1] - range[0] <= 2 * this.width || !row.levels.length)) {
			this.slices(row, range, t0, ns);
			this.copy(y, h);
			return range;
		}
		this.levels(row, t0, ns);
		this.copy(y, h);
		return null;
	}

	slices(row, [first, last], t0, ns) {
		const { line, width, palette } = this, { begin, name } = row;
		for (let i = first; i < last; i++) {
			const colour = this.colourOf(name[i]);
			let x0 = Math.floor((begin[i] - t0) / ns), x1 = Math.floor((row.end(i) - t0) / ns);
			const whole = x1 - x0;
			x0 = Math.max(0, x0);
			x1 = Math.min(width, Math.max(x0 + 1, x1));
			// what is quiet does not cover what is not
			if (colour === palette.quiet && whole < 1 && line[x0] !== this.ground)
				continue;
			line.fill(colour, x0, x1);
			if (whole > 3 && colour !== palette.quiet && begin[i] >= t0)
				line[x0] = mix(palette.back, colour, 150);
		}
	}

	levels(row, t0, ns) {
		const { line, width, palette } = this;
		let level = null;
		for (const l of row.levels)
			if (!level || l.size <= ns)
				level = l;
		if (!level)
			return;
		const { first, n, share, name, size } = level, last = first + n;
		for (let x = 0; x < width; x++) {
			let b = Math.floor((t0 + x * ns) / size);
			const end = Math.min(last, Math.max(b + 1, Math.ceil((t0 + (x + 1) * ns) / size)));
			let best = 0, at = -1, sum = 0, count = 0;
			for (b = Math.max(b, first); b < end; b++, count++) {
				const s = share[b - first];
				sum += s;
				if (s > best) {
					best = s;
					at = b - first;
				}
			}
			if (best)
				line[x] = mix(palette.back, this.colourOf(name[at]),
					      Math.max(SHARE_LEAST, sum / count));
		}
	}

	// Where a long list has events, in so many parts of the whole recording; made once
	presence(list) {
		let there = this.there.get(list);
		if (!there) {
			const { time, end } = this.model;
			there = new Uint8Array(PARTS + 1);
			for (let i = 0; i < list.length; i++)
				there[Math.floor(time[list[i]] / end * PARTS)] = 1;
			this.there.set(list, there);
		}
		return there;
	}

	// Ticks of many events, from their presence
	manyEvents(list, t0, ns, colour) {
		const { line, width, model } = this, there = this.presence(list), scale = PARTS / model.end;
		for (let x = 0; x < width; x++) {
			const first = Math.max(0, Math.floor((t0 + x * ns) * scale));
			const end = Math.min(PARTS + 1, Math.floor((t0 + (x + 1) * ns) * scale));
			if (end <= 0)
				continue;
			for (let i = first; i < Math.max(end, first + 1); i++)
				if (there[i]) {
					line[x] = colour;
					break;
				}
		}
	}

	// Ticks of events, at most one a pixel. From one pixel to the next by steps that double, from about
	// as many events as the last pixel had
	events(list, y, h, t0, ns, colour) {
		const { line, width } = this, time = this.model.time, n = list.length;
		line.fill(this.palette.back);
		if (n > PARTS && ns > this.model.end / PARTS) {
			this.manyEvents(list, t0, ns, colour);
			this.copy(y, h);
			return;
		}
		for (let i = bisect(n, k => time[list[k]] < t0), step = 1; i < n;) {
			const x = Math.floor((time[list[i]] - t0) / ns), next = t0 + (x + 1) * ns;
			if (x >= width)
				break;
			line[x] = colour;
			let low = i, high = i + step;
			while (high < n && time[list[high]] < next) {
				low = high;
				step *= 2;
				high += step;
			}
			high = Math.min(high, n);
			while (low + 1 < high) {
				const k = (low + high) >>> 1;
				if (time[list[k]] < next)
					low = k;
				else
					high = k;
			}
			step = Math.max(1, (low + 1 - i) >> 1);
			i = low + 1;
		}
		this.copy(y, h);
	}

	// Ticks of a few events over what is there
	ticks(list, y, h, t0, ns, colour) {
		const { pixels, width } = this, time = this.model.time;
		const from = Math.max(0, y), end = Math.min(this.height, y + h);
		let last = -1;
		for (let i = bisect(list.length, k => time[list[k]] < t0); i < list.length; i++) {
			const x = Math.floor((time[list[i]] - t0) / ns);
			if (x >= width)
				break;
			for (let line = from; x !== last && line < end; line++)
				pixels[line * width + x] = colour;
			last = x;
		}
	}

	// Stripes where events were lost
	hatch(x0, x1, y, h) {
		const { pixels, width, palette } = this;
		x0 = Math.max(0, Math.floor(x0));
		x1 = Math.min(width, Math.max(x0 + 2, Math.ceil(x1)));
		for (let line = Math.max(0, y); line < Math.min(this.height, y + h); line++)
			for (let x = x0; x < x1; x++)
				if ((x + line) % 6 < 2)
					pixels[line * width + x] = palette.gap;
	}
}

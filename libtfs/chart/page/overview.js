// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// The whole recording in a strip: how busy the CPUs are, or how many events there are, and the part
// that the chart shows.

class Overview {
	constructor(model, view) {
		this.model = model;
		this.view = view;
		this.canvas = document.getElementById('overview');
		this.context = this.canvas.getContext('2d');
		this.load = null;
		this.canvas.addEventListener('pointerdown', e => {
			this.canvas.setPointerCapture(e.pointerId);
			this.go(e);
		});
		this.canvas.addEventListener('pointermove', e => {
			if (e.buttons & 1)
				this.go(e);
		});
		new ResizeObserver(() => {
			this.load = null;
			this.draw();
		}).observe(this.canvas);
	}

	go(e) {
		const box = this.canvas.getBoundingClientRect(), { view, model } = this;
		const share = (e.clientX - box.left - GUTTER) / (box.width - GUTTER);
		const half = (view.end - view.begin) / 2, t = share * model.end;
		view.show(t - half, t + half);
	}

	// Shares by pixel: of time that CPUs are busy, else of events
	measure(width) {
		const m = this.model, sum = new Float64Array(width), ns = m.end / width;
		const runs = m.rows.filter(row => row.kind === KIND.RUN);
		for (const row of runs)
			if (row.levels.length)
				this.addLevel(row, sum, ns);
			else if (row.loaded)
				this.addSlices(row, sum, ns);
		if (!runs.length && m.time)
			for (let i = 0, step = Math.max(1, m.time.length >> 18); i < m.time.length; i += step)
				sum[Math.min(width - 1, Math.floor(m.time[i] / ns))]++;
		const most = runs.length || sum.reduce((a, b) => Math.max(a, b), 1);
		return sum.map(s => s / most);
	}

	addLevel(row, sum, ns) {
		let level = row.levels[0];
		for (const l of row.levels)
			if (l.size <= ns)
				level = l;
		for (let b = 0; b < level.n; b++) {
			const begin = (level.first + b) * level.size / ns;
			this.addShare(sum, begin, begin + level.size / ns, level.share[b] / 255);
		}
	}

	addSlices(row, sum, ns) {
		for (let i = 0; i < row.n; i++)
			this.addShare(sum, row.begin[i] / ns, row.end(i) / ns, 1);
	}

	// The pixels from begin to end get a share of what each has of it.
	addShare(sum, begin, end, share) {
		for (let at = begin; at < end;) {
			const x = Math.floor(at), stop = Math.min(end, x + 1);
			if (x < sum.length)
				sum[x] += share * (stop - at);
			at = stop > at ? stop : end;
		}
	}

	draw() {
		const { canvas, context: c, model, view } = this, theme = view.theme;
		const scale = window.devicePixelRatio || 1;
		const width = canvas.clientWidth, height = canvas.clientHeight;
		canvas.width = width * scale;
		canvas.height = height * scale;
		c.setTransform(scale, 0, 0, scale, 0, 0);
		c.fillStyle = css(theme.back);
		c.fillRect(0, 0, width, height);
		const chart = Math.max(1, Math.floor(width - GUTTER));
		const runs = model.rows.filter(row => row.kind === KIND.RUN);
		if (!this.load && (model.slicesLoaded || (runs.length && runs.every(r => r.levels.length))))
			this.load = this.measure(chart);
		c.fillStyle = theme.dim;
		c.globalAlpha = 0.75;
		for (let x = 0; this.load && x < chart; x++) {
			const h = Math.min(1, this.load[x]) * (height - 4);
			c.fillRect(GUTTER + x, height - 2 - h, 1, Math.max(this.load[x] ? 1 : 0, h));
		}
		c.globalAlpha = 1;
		c.font = FONT;
		c.textBaseline = 'middle';
		c.fillText(model.rows.some(r => r.kind === KIND.RUN) ? 'CPUs busy' : 'events', 8, height / 2);
		this.drawMarks(chart, height);
	}

	drawMarks(chart, height) {
		const { context: c, model, view } = this, theme = view.theme;
		const x = t => GUTTER + Math.min(1, Math.max(0, t / model.end)) * chart;
		c.fillStyle = css(theme.gap);
		for (const gap of model.gaps.slice(0, 5000))
			c.fillRect(x(gap.begin), 0, Math.max(1.5, x(gap.end) - x(gap.begin)), 5);
		c.fillStyle = theme.range;
		if (view.range)
			c.fillRect(x(view.range[0]), height - 4,
				   Math.max(2, x(view.range[1]) - x(view.range[0])), 4);
		view.markers.forEach((t, i) => {
			c.fillStyle = theme.marker[i];
			if (t !== null)
				c.fillRect(x(t), 0, 2, height);
		});
		const x0 = x(view.begin), x1 = Math.max(x0 + 3, x(view.end));
		c.globalAlpha = 0.13;
		c.fillStyle = theme.text;
		c.fillRect(GUTTER, 0, x0 - GUTTER, height);
		c.fillRect(x1, 0, GUTTER + chart - x1, height);
		c.globalAlpha = 1;
		c.strokeStyle = theme.range;
		c.lineWidth = 1.5;
		c.strokeRect(x0 + 0.5, 1, Math.max(2, x1 - x0 - 1), height - 2);
	}
}

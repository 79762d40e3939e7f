// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// The table of events in view: a real table, of which the rows that can be seen exist.

const ROW_HEIGHT = 20;
const SCROLL_MAX = 8000000; // pixels; browsers draw no element that is much taller
const KEEP_BLOCKS = 16;

// Texts of events, in compressed blocks that are expanded when they are asked for
class Texts {
	constructor(model, blockSize) {
		const sizes = model.columns.textsize;
		this.blockSize = blockSize;
		this.bytes = model.columns.text;
		this.at = new Float64Array(sizes.length + 1);
		for (let i = 0; i < sizes.length; i++)
			this.at[i + 1] = this.at[i] + sizes[i];
		this.kept = new Map();
	}

	// All texts of a block, as one with zeros between them
	async raw(b) {
		const packed = this.bytes.subarray(this.at[b], this.at[b + 1]);
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
		return new Response(stream).text();
	}

	// Those of a block as a list; a promise
	block(b) {
		let texts = this.kept.get(b);
		this.kept.delete(b);
		if (!texts)
			texts = this.raw(b).then(all => all.split('\0'));
		this.kept.set(b, texts);
		if (this.kept.size > KEEP_BLOCKS)
			this.kept.delete(this.kept.keys().next().value);
		return texts;
	}

	async of(i) {
		return (await this.block(Math.floor(i / this.blockSize)))[i % this.blockSize] || '';
	}
}

class EventTable {
	// select(event): a row was chosen
	constructor(model, texts, select) {
		this.model = model;
		this.texts = texts;
		this.box = document.getElementById('events');
		this.table = document.getElementById('eventtable');
		this.body = this.table.tBodies[0];
		this.space = document.getElementById('eventspace');
		this.caption = document.getElementById('eventcount');
		this.first = this.n = this.top = 0;
		this.list = null; // numbers of events that are shown; null: all
		this.selected = -1;
		this.box.addEventListener('scroll', () => this.fill());
		this.body.addEventListener('click', e => {
			const tr = e.target.closest('tr');
			if (tr)
				select(Number(tr.dataset.event));
		});
		new ResizeObserver(() => this.fill()).observe(this.box);
	}

	eventAt(k) {
		return this.list ? this.list[this.first + k] : this.first + k;
	}

	// The events between two times
	show(t0, t1, list) {
		const time = this.model.time;
		this.list = list;
		if (list) {
			this.first = bisect(list.length, k => time[list[k]] < t0);
			this.n = bisect(list.length, k => time[list[k]] < t1) - this.first;
		} else {
			this.first = bisectArray(time, t0);
			this.n = bisectArray(time, t1, this.first) - this.first;
		}
		this.caption.textContent = `${this.n.toLocaleString('en')} ${list ? 'matching ' : ''}events in view`;
		this.table.setAttribute('aria-rowcount', this.n + 1);
		this.space.style.height = `${Math.min(SCROLL_MAX, (this.n + 2) * ROW_HEIGHT)}px`;
		this.select(this.selected);
	}

	// Where the box is scrolled to, in rows
	row() {
		const all = (this.n + 2) * ROW_HEIGHT, room = this.box.clientHeight;
		if (all <= SCROLL_MAX)
			return this.box.scrollTop / ROW_HEIGHT;
		return this.box.scrollTop / (SCROLL_MAX - room) * (all - room) / ROW_HEIGHT;
	}

	scrollTo(k) {
		const all = (this.n + 2) * ROW_HEIGHT, room = this.box.clientHeight;
		const want = Math.max(0, (k - 3) * ROW_HEIGHT);
		this.box.scrollTop = all <= SCROLL_MAX ? want : want / (all - room) * (SCROLL_MAX - room);
	}

	select(event) {
		this.selected = event;
		const k = event < 0 ? -1 : this.list ? bisectArray(this.list, event) - this.first :
			event - this.first;
		const row = this.row(), rows = Math.floor(this.box.clientHeight / ROW_HEIGHT) - 2;
		if (k < 0 || k >= this.n)
			this.box.scrollTop = event < 0 ? 0 : this.box.scrollTop;
		else if (k < row || k >= row + rows)
			this.scrollTo(k);
		this.fill();
	}

	async fill() {
		const turn = this.turn = (this.turn || 0) + 1;
		const rows = Math.ceil(this.box.clientHeight / ROW_HEIGHT) + 1;
		const from = Math.max(0, Math.min(Math.floor(this.row()), this.n - rows + 2));
		const count = Math.min(rows, this.n - from);
		const texts = [];
		for (let k = 0; k < count; k++)
			texts.push(this.texts.of(this.eventAt(from + k)));
		const got = await Promise.all(texts);
		if (turn !== this.turn)
			return;
		this.table.style.transform = `translateY(${this.box.scrollTop}px)`;
		this.top = from;
		while (this.body.rows.length > count)
			this.body.deleteRow(-1);
		for (let k = 0; k < count; k++)
			this.put(k, from + k, got[k]);
	}

	put(k, at, text) {
		const m = this.model, c = m.columns, i = this.eventAt(at);
		let tr = this.body.rows[k];
		if (!tr) {
			tr = this.body.insertRow();
			for (let cell = 0; cell < 5; cell++)
				tr.insertCell();
		}
		tr.dataset.event = i;
		tr.setAttribute('aria-rowindex', at + 2);
		tr.setAttribute('aria-selected', i === this.selected);
		[m.stamp(m.time[i]), c.evcpu[i], m.taskLabel(c.evtask[i]),
		 m.types[c.evtype[i]].split(':')[1], text].forEach((value, cell) => {
			tr.cells[cell].textContent = value;
		});
		tr.cells[3].title = m.types[c.evtype[i]];
		tr.cells[4].title = text;
	}
}

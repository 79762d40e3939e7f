// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Keys and the mouse. Keys by their place on the keyboard, so that they are where they are on any.

const HELP = [
	['W S, ↑ ↓, Ctrl + wheel', 'zoom in, out'],
	['A D, ← →, Shift + drag', 'move left, right'],
	['PageUp PageDown, wheel', 'scroll the rows'],
	['Drag', 'select a range: its statistics'],
	['Click', 'select a slice or an event'],
	['J K', 'next, previous row'],
	[', .', 'previous, next slice or event of the row'],
	['[ ]', 'previous, next event of the table'],
	['F', 'show what is selected; again: everything'],
	['M, Shift + M', 'make the selection the range; keep it'],
	['1 2', 'place a marker at the mouse or the selection; Shift: remove it'],
	['/', 'search'],
	['Enter, Shift + Enter', 'next, previous match'],
	['Q', 'show or hide the panels below'],
	['R', 'only rows with something in view'],
	['T', 'light or dark'],
	['Escape', 'clear the range, the selection, the search'],
	['?', 'this help'],
];

const SEARCH_HELP = [
	['word', 'in the name of the event or task, or in the text'],
	['"two words"', 'the same with blanks'],
	['event:sched_*', 'events by name; also A,B and SYSTEM:NAME'],
	['task:bash,1234', 'tasks by name or number'],
	['cpu:0-3', 'CPUs'],
	['text:word', 'in the text only'],
	['-term', 'what does not match it'],
];

// What keys do: app is the App of main.js
const KEYS = {
	KeyW: app => app.view.zoom(app.step(0.75), app.mouseTime()),
	ArrowUp: app => app.view.zoom(app.step(0.75), app.mouseTime()),
	KeyS: app => app.view.zoom(1 / app.step(0.75), app.mouseTime()),
	ArrowDown: app => app.view.zoom(1 / app.step(0.75), app.mouseTime()),
	KeyA: app => app.view.pan(-0.12 / app.step(1)),
	ArrowLeft: app => app.view.pan(-0.12 / app.step(1)),
	KeyD: app => app.view.pan(0.12 / app.step(1)),
	ArrowRight: app => app.view.pan(0.12 / app.step(1)),
	PageUp: app => app.scrollRows(-1),
	PageDown: app => app.scrollRows(1),
	KeyJ: app => app.nextRow(1),
	KeyK: app => app.nextRow(-1),
	Comma: app => app.nextInRow(-1),
	Period: app => app.nextInRow(1),
	BracketLeft: app => app.nextEvent(-1),
	BracketRight: app => app.nextEvent(1),
	KeyF: app => app.focus(),
	KeyM: (app, shift) => app.markRange(shift),
	Digit1: (app, shift) => app.mark(0, shift),
	Digit2: (app, shift) => app.mark(1, shift),
	NumpadEnter: (app, shift) => app.nextHit(shift ? -1 : 1),
	Enter: (app, shift) => app.nextHit(shift ? -1 : 1),
	KeyQ: app => app.togglePanels(),
	KeyT: app => app.switchTheme(),
	KeyR: app => {
		app.onlyActive.checked = !app.onlyActive.checked;
		app.filter();
	},
	Escape: app => app.clear(),
};

function onKey(app, e) {
	const typing = e.target.matches('input[type=search]');
	const dialog = document.querySelector('dialog[open]');
	if (dialog) {
		if (e.code === 'Escape')
			dialog.close();
		return;
	}
	if (e.ctrlKey || e.altKey || e.metaKey)
		return;
	if (typing && !['Escape', 'Enter', 'NumpadEnter'].includes(e.code))
		return;
	if (e.target.matches('button, input[type=checkbox]') && (e.code === 'Enter' || e.code === 'Space'))
		return;
	app.repeat = e.repeat ? Math.min(app.repeat + 1, 12) : 0;
	if (e.key === '/' || e.key === '?') {
		e.preventDefault();
		if (e.key === '/')
			app.searchBox.focus();
		else
			app.help();
	} else if (KEYS[e.code]) {
		e.preventDefault();
		KEYS[e.code](app, e.shiftKey);
	}
}

// The mouse over the chart: drags select a range, or move with Shift
class Mouse {
	constructor(app) {
		this.app = app;
		this.view = app.view;
		this.drag = null;
		this.at = null;
		const canvas = this.view.canvas;
		canvas.addEventListener('pointerdown', e => this.down(e));
		canvas.addEventListener('pointermove', e => this.move(e));
		canvas.addEventListener('pointerup', e => this.up(e));
		canvas.addEventListener('pointerleave', () => {
			this.at = null;
			app.hover(null);
		});
		canvas.addEventListener('dblclick', () => app.focus());
		this.view.scroll.addEventListener('wheel', e => this.wheel(e), { passive: false });
	}

	place(e) {
		const box = this.view.canvas.getBoundingClientRect();
		return { x: e.clientX - box.left, y: e.clientY - box.top };
	}

	down(e) {
		if (e.button !== 0)
			return;
		const { x, y } = this.place(e), view = this.view;
		view.canvas.focus();
		view.canvas.setPointerCapture(e.pointerId);
		this.drag = { x, y, time: view.timeAt(x), begin: view.begin, end: view.end, moved: false,
			      pan: e.shiftKey };
	}

	move(e) {
		const { x, y } = this.at = this.place(e), { view, drag, app } = this;
		if (!drag) {
			app.hover(x >= GUTTER ? { x, y } : null);
			return;
		}
		if (!drag.moved && Math.abs(x - drag.x) < 4)
			return;
		drag.moved = true;
		if (drag.pan || drag.x < GUTTER) {
			const by = (drag.x - x) / (view.width - GUTTER) * (drag.end - drag.begin);
			view.show(drag.begin + by, drag.end + by);
		} else {
			app.setRange(drag.time, view.timeAt(Math.max(GUTTER, x)), false);
		}
	}

	up(e) {
		const { drag, app, view } = this, { x, y } = this.place(e);
		this.drag = null;
		if (!drag)
			return;
		if (!drag.moved && x < GUTTER)
			app.toggleGroup(view.yAt(y));
		else if (!drag.moved)
			app.selectAt(x, y);
		else if (!drag.pan && drag.x >= GUTTER)
			app.setRange(drag.time, view.timeAt(Math.max(GUTTER, x)), true);
	}

	wheel(e) {
		const view = this.view;
		if (e.ctrlKey) {
			e.preventDefault();
			view.zoom(2 ** (e.deltaY / 200), view.timeAt(this.place(e).x));
		} else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
			e.preventDefault();
			view.pan((e.deltaX || e.deltaY) / view.width);
		}
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Buttons, keys and the mouse, and what tests read

const actions = {
	'view-flame': () => go({ view: 'flame', zoom: [], band: 0 }),
	'view-callers': () => go({ view: 'callers', zoom: [], band: 0 }),
	'view-around': () => data.selected && around(data.selected.band.tree.name[data.selected.i]),
	invert: () => go({ inverted: !data.state.inverted }),
	reset: () => go({ zoom: [], band: 0 }),
	keep: () => filter(true),
	drop: () => filter(false),
	undo: () => go({ filters: data.state.filters.slice(0, -1), zoom: [], band: 0 }),
	'change-of': () => go({ all: !data.state.all }),
	'view-times': () => data.times && toggleTimes(),
	list: toggleTable,
	theme: switchTheme,
	help: () => byId('keys').showModal(),
	zoom: () => data.selected && zoomTo(data.selected),
	'copy-name': () => data.selected && copyText(data.names[data.selected.band.tree.name[data.selected.i]]),
	'copy-stack': () => data.selected && copyText(stackOf(data, data.bands, data.state.view, data.selected)
		.map(name => data.names[name]).join(';')),
};

function filter(keep) {
	const { search, filters } = data.state;
	if (search)
		go({ filters: [...filters, { text: search, keep }], search: '', zoom: [], band: 0 });
}

function toggleTable() {
	byId('side').hidden = !byId('side').hidden;
	byId('list').setAttribute('aria-pressed', !byId('side').hidden);
	if (!byId('side').hidden)
		listFunctions();
	resize();
	showRoot();
}

function switchTheme() {
	setTheme(data.theme === 'dark' ? 'light' : 'dark');
	try {
		localStorage.setItem('tc-theme', data.theme);
	} catch {
		/* not remembered */
	}
}

function zoomOut() {
	const { search, zoom } = data.state;
	if (search)
		go({ search: '' }, true);
	else if (zoom.length)
		go({ zoom: zoom.slice(0, -1) });
	else
		select(null);
}

// By the place of a key where that matters, else by its letter
function onKey(e) {
	if (e.target === byId('search')) {
		if (e.key === 'Enter') {
			e.preventDefault();
			nextMatch(e.shiftKey ? -1 : 1);
		} else if (e.key === 'Escape') {
			byId('flame').focus();
			go({ search: '' }, true);
		}
		return;
	}
	if (byId('keys').open || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.key === 'Enter' && e.target !== byId('flame') && e.target !== document.body)
		return;
	const up = data.state.inverted ? 'out' : 'in', down = data.state.inverted ? 'in' : 'out';
	const flip = data.selected && data.selected.band !== data.bands[0] && data.state.view === 'around';
	const keys = {
		ArrowUp: () => step(flip ? down : up), ArrowDown: () => step(flip ? up : down),
		ArrowLeft: () => step('left'), ArrowRight: () => step('right'),
		Enter: actions.zoom, Escape: zoomOut, 0: actions.reset, '/': () => byId('search').focus(),
		n: () => nextMatch(1), N: () => nextMatch(-1), k: actions.keep, x: actions.drop, u: actions.undo,
		f: actions['view-flame'], c: actions['view-callers'], a: actions['view-around'], i: actions.invert,
		s: actions['view-times'], t: actions.list, y: actions['copy-name'], Y: actions['copy-stack'], d: actions.theme,
		'?': actions.help,
	};
	const action = keys[e.key];
	if (!action)
		return;
	e.preventDefault();
	showTip(data, null);
	action();
}

function frameOf(e) {
	const box = byId('flame').getBoundingClientRect();
	return frameAt(data.bands, e.clientX - box.left, e.clientY - box.top + byId('scroller').scrollTop,
		picture.width);
}

function listen() {
	const canvas = byId('flame');
	for (const [id, action] of Object.entries(actions))
		byId(id).addEventListener('click', action);
	for (const b of document.querySelectorAll('th button'))
		b.addEventListener('click', () => {
			data.order = b.dataset.by;
			listFunctions();
		});
	byId('search').addEventListener('input', e => go({ search: e.target.value }, true));
	byId('find').addEventListener('submit', e => e.preventDefault());
	document.addEventListener('keydown', onKey);
	canvas.addEventListener('mousemove', e => {
		data.hover = frameOf(e);
		canvas.style.cursor = data.hover ? 'pointer' : '';
		showTip(data, data.hover, e.clientX, e.clientY);
		paint();
	});
	canvas.addEventListener('mouseleave', () => {
		data.hover = null;
		showTip(data, null);
		paint();
	});
	canvas.addEventListener('click', e => {
		const frame = frameOf(e);
		data.hover = null;
		showTip(data, null);
		if (frame)
			zoomTo(frame);
		else
			select(null);
	});
	canvas.addEventListener('contextmenu', e => {
		e.preventDefault();
		select(frameOf(e));
	});
	byId('scroller').addEventListener('scroll', paint);
	new ResizeObserver(resize).observe(byId('scroller'));
	addEventListener('popstate', () => show(readFragment()));
}

// For tests: numbers instead of pixels. A frame is named by its path: "main;read"
function findFrame(path, band) {
	const b = data.bands[band || 0];
	return { band: b, i: nodeAt(b.tree, data.names, path ? path.split(';') : []) };
}

Object.assign(window.tc, {
	frame(path, band) {
		const frame = findFrame(path, band), t = frame.band.tree, i = frame.i;
		const box = boxOf(frame.band, i, picture.width), at = byId('flame').getBoundingClientRect();
		return { path: pathOf(t, i).map(name => data.names[name]).join(';'), total: t.total[i],
			self: t.self[i], width: box.width, left: box.x + at.left,
			x: at.left + box.x + Math.min(box.width / 2, picture.width / 2),
			y: at.top + box.y - byId('scroller').scrollTop + ROW / 2,
			change: t.before ? changeOf(t, i, data.means, data.state.all) : 0 };
	},
	// folded text of a band
	folded(band) {
		const t = data.bands[band || 0].tree, lines = [];
		for (let i = 1; i < t.n; i++)
			if (hasWeight(t, i))
				lines.push(`${pathOf(t, i).map(name => data.names[name]).join(';')} ` +
					(t.before ? `${t.before.self[i]} ` : '') + t.self[i]);
		return lines.sort();
	},
	zoomed: () => ({ ...data.state, total: data.bands.map(b => b.tree.total[b.zoom]) }),
	matched: () => data.matched,
	total: () => data.whole.total[0],
	heat: () => data.heat && { ...data.heat, cells: [...data.heat.cells], start: data.meta.start },
	before: () => data.tree.before.total[0],
	table: () => sumNames(data.bands[0].tree, data.bands[0].zoom)
		.map(row => [data.names[row.name], row.self, row.total]),
	do: id => actions[id](),
	search: text => go({ search: text }, true),
});

async function start() {
	await load();
	const { meta, tree } = data, dark = matchMedia('(prefers-color-scheme: dark)');
	let theme = null;
	try {
		theme = localStorage.getItem('tc-theme');
	} catch {
		/* as the browser has it */
	}
	picture = new Picture(byId('flame'), data);
	byId('title').textContent = meta.title;
	byId('sum').textContent = `${weightText(tree.total[0], meta.unit)}, ${grouped(tree.n - 1)} frames`;
	byId('notes').hidden = !meta.notes;
	byId('note-text').textContent = meta.notes;
	byId('change-of').hidden = !meta.diff;
	data.theme = document.documentElement.dataset.theme = theme || (dark.matches ? 'dark' : 'light');
	show(readFragment());
	setTheme(data.theme);
	dark.addEventListener('change', e => setTheme(e.matches ? 'dark' : 'light'));
	listen();
	if (data.times) {
		byId('view-times').hidden = false;
		listenTimes();
		if (data.state.range)
			toggleTimes();
	}
	paintNow();
	window.tc.ready = true;
}

start();

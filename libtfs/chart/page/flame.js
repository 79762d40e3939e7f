// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// The page: what is shown (data.state), and what people do to it.

const STEPS = 5;

const data = { state: null, theme: 'light', bands: [], selected: null, hover: null };
const newState = () => ({ view: 'flame', around: '', inverted: false, all: false, zoom: [], band: 0,
	search: '', filters: [], range: null });
let picture, painting = 0;

window.tc = { ready: false };

async function load() {
	const meta = readMeta();
	meta.factor = Number(meta.factor);
	const names = ['parent', 'name', 'self', 'samples', 'self-before', 'samples-before', 'names', 'dsos',
		'dso', 'family', 'shade', 'sample-time', 'sample-node'];
	const columns = await Promise.all(names.map(readColumn));
	const [parent, name, self, samples, selfBefore, samplesBefore, texts, dsos, dso, family, shade,
		times, nodes] = columns;
	const tree = finishTree({
		parent: parent.map((back, i) => i - back), name,
		self: Float64Array.from(self, Number), samples: Float64Array.from(samples, Number),
		before: meta.diff ? { self: Float64Array.from(selfBefore, Number),
			samples: Float64Array.from(samplesBefore, Number) } : null,
	});
	Object.assign(data, { meta, tree, names: splitTexts(texts), dsos: splitTexts(dsos), dso, family, shade });
	if (times && times.length) {
		data.times = Float64Array.from(times, Number);
		data.nodes = nodes;
		data.heat = countCells(data.times);
	}
	if (meta.diff)
		data.means = meanWeights(tree, meta.factor);
}

// --- the state, and the fragment of the URL

function readFragment() {
	const p = new URLSearchParams(location.hash.slice(1)), s = newState();
	const list = text => (text ? text.split(';') : []);
	if (['callers', 'around'].includes(p.get('view')))
		s.view = p.get('view');
	s.around = p.get('around') || '';
	s.inverted = p.get('inverted') === '1';
	s.all = p.get('change') === 'all';
	s.zoom = list(p.get('zoom'));
	s.band = Number(p.get('band')) || 0;
	s.search = p.get('search') || '';
	const range = (p.get('range') || '').split('-').map(Number);
	if (data.times && range.length === 2 && range[0] < range[1])
		s.range = range;
	for (const [key, text] of p)
		if (key === 'keep' || key === 'remove')
			s.filters.push({ text, keep: key === 'keep' });
	if (s.view === 'around' && !data.names.includes(s.around))
		s.view = 'flame';
	return s;
}

function fragment(s) {
	const p = new URLSearchParams();
	for (const [key, value] of [['view', s.view === 'flame' ? '' : s.view],
		['around', s.view === 'around' ? s.around : ''], ['inverted', s.inverted ? '1' : ''],
		['change', s.all ? 'all' : ''], ['zoom', s.zoom.join(';')], ['band', s.band || ''],
		['search', s.search], ['range', s.range ? s.range.join('-') : '']])
		if (value)
			p.append(key, value);
	for (const f of s.filters)
		p.append(f.keep ? 'keep' : 'remove', f.text);
	return p.toString();
}

// Goes to a changed state; the Back button of the browser comes back to the one before.
function go(change, replace) {
	const state = { ...data.state, ...change }, url = `#${fragment(state)}`;
	try {
		history[replace ? 'replaceState' : 'pushState'](null, '', url);
	} catch {
		/* too often, or not allowed: the picture is what matters */
	}
	show(state);
}

// --- from the state to bands

function makeBands(s) {
	const t = data.shown, up = !s.inverted;
	if (s.view === 'callers') {
		const tree = callersTree(t);
		return [{ tree, up, heading: tree.cut ? `Callers of what weighs less than 0.01% are left out` : '' }];
	}
	if (s.view === 'around') {
		const { callees, callers } = aroundName(t, data.names.indexOf(s.around));
		const bands = [{ tree: callees, up }, { tree: callers, up: !up, first: 1 }];
		return bands;
	}
	const bands = [{ tree: t, up }];
	const vanished = t.before ? vanishedTree(t) : null;
	if (vanished && vanished.n > 1) {
		const lost = vanished.total[0], before = data.tree.before.total[0];
		vanished.total[0] = before;
		bands.push({ tree: vanished, up: false, first: 1, vanished: true,
			heading: `Only before: ${share(lost, before)} of the weight before, in shares of that` });
	}
	return bands;
}

function largestChange(t, all) {
	let largest = 0;
	for (let i = all ? 1 : 0; i < t.n; i++)
		largest = Math.max(largest, Math.abs(changeOf(t, i, data.means, all)));
	return largest;
}

function show(s) {
	const old = data.state, key = x => JSON.stringify([x.view, x.around, x.filters, x.range]);
	const rebuilt = !old || key(old) !== key(s);
	data.state = s;
	if (!old || String(old.range) !== String(s.range)) {
		data.whole = s.range ? rangeTree(data.tree, data.times, data.nodes, ...s.range) : data.tree;
		data.unit = s.range ? 'samples' : data.meta.unit;
	}
	if (rebuilt)
		data.shown = s.filters.reduce((t, f) => filterTree(t, matchNames(data.names, f.text), f.keep),
			data.whole);
	if (rebuilt || old.inverted !== s.inverted) {
		data.bands = makeBands(s);
		data.selected = data.hover = null;
	}
	data.bands.forEach((b, i) => {
		b.zoom = i === s.band ? nodeAt(b.tree, data.names, s.zoom) : 0;
	});
	data.largest = data.meta.diff ? data.bands.map(b => (b.vanished ? 0 : largestChange(b.tree, s.all))) : [];
	data.hit = s.search ? matchNames(data.names, s.search) : null;
	showControls(s);
	resize();
	if (rebuilt || old.inverted !== s.inverted)
		showRoot();
	if (s.zoom.length)
		reveal({ band: data.bands[s.band] || data.bands[0], i: (data.bands[s.band] || data.bands[0]).zoom });
	if (!byId('side').hidden)
		listFunctions();
	window.tc.state = s;
}

function showControls(s) {
	const press = (id, on) => byId(id).setAttribute('aria-pressed', on);
	for (const view of ['flame', 'callers', 'around'])
		press(`view-${view}`, s.view === view);
	press('invert', s.inverted);
	byId('reset').disabled = !s.zoom.length;
	byId('undo').disabled = !s.filters.length;
	byId('keep').disabled = byId('drop').disabled = !s.search;
	byId('change-of').textContent = s.all ? 'Change: all' : 'Change: self';
	if (byId('search').value !== s.search)
		byId('search').value = s.search;
	const what = s.filters.map(f => `${f.keep ? 'only with' : 'without'} “${f.text}”`);
	byId('filters').hidden = !what.length;
	byId('filters').textContent = `Stacks ${what.join(', ')}: ` +
		`${weightText(data.shown.total[0], data.unit)}, ${share(data.shown.total[0], data.whole.total[0])} of all`;
	data.matched = data.hit ? matchedWeight(data.bands[0].tree, data.hit, data.bands[0].zoom) : null;
	byId('matched').textContent = data.matched ?
		`${share(data.matched.weight, data.bands[0].tree.total[data.bands[0].zoom])} matched` : '';
	showDetail(data, data.selected);
	showLegend(data);
	if (!byId('times').hidden)
		paintTimes();
}

// --- painting

function resize() {
	const scroller = byId('scroller'), view = scroller.clientHeight;
	const height = placeBands(data.bands), spare = Math.max(view - height, 0);
	if (!data.state.inverted && spare)
		for (const b of data.bands)
			b.top += spare;
	byId('height').style.height = `${Math.max(height, view)}px`;
	picture.resize(scroller.clientWidth, view);
	paint();
}

// Scrolls to the root of the first band, and to the heading of the next one.
function showRoot() {
	byId('scroller').scrollTop = data.state.inverted ? 0 : rowTop(data.bands[0], data.bands[0].first) +
		(data.bands.length > 1 ? 5 : 1) * ROW - byId('scroller').clientHeight;
}

function paint() {
	if (!painting)
		painting = requestAnimationFrame(paintNow);
}

function paintNow() {
	const change = (t, i) => {
		const largest = data.largest[t.origin ? 0 : data.bands.findIndex(b => b.tree === t)];
		const c = t.origin ? changeOf(data.shown, t.origin[i], data.means, data.state.all) :
			changeOf(t, i, data.means, data.state.all);
		return c && Math.sign(c) * Math.max(1, Math.min(STEPS, Math.floor(Math.abs(c) / largest * STEPS)));
	};
	painting = 0;
	const look = { theme: data.theme, hit: data.hit, change: data.meta.diff ? change : null };
	picture.draw(data.bands, look, byId('scroller').scrollTop, data);
	window.tc.boxes = picture.boxes;
}

function setTheme(theme) {
	data.theme = document.documentElement.dataset.theme = theme;
	byId('theme').textContent = theme === 'dark' ? 'Bright' : 'Dark';
	showLegend(data);
	paint();
}

// --- frames

function reveal({ band, i }) {
	const scroller = byId('scroller'), y = rowTop(band, band.tree.depth[i]), view = scroller.clientHeight;
	if (y < scroller.scrollTop || y + ROW > scroller.scrollTop + view)
		scroller.scrollTop = band.up ? y + 3 * ROW - view : y - 2 * ROW;
}

function select(frame) {
	data.selected = frame;
	if (frame)
		reveal(frame);
	showDetail(data, frame);
	paint();
}

function zoomTo(frame) {
	const { band, i } = frame;
	select(frame);
	go({ zoom: pathOf(band.tree, i).map(name => data.names[name]), band: data.bands.indexOf(band) });
}

function widest(t, i) {
	let best = -1;
	for (let j = i + 1; j < t.end[i]; j = t.end[j])
		if (best < 0 || t.total[j] > t.total[best])
			best = j;
	return best;
}

// The frame beside the selected one: 'in' towards callees, 'out', 'left' or 'right'
function step(way) {
	const frame = data.selected || { band: data.bands[0], i: data.bands[0].zoom };
	const { band, i } = frame, t = band.tree;
	let at = -1;
	if (!data.selected)
		at = i;
	else if (way === 'in')
		at = widest(t, i);
	else if (way === 'out')
		at = i > 0 && t.parent[i] >= 0 && t.depth[i] > band.first ? t.parent[i] : -1;
	else
		for (let j = i + (way === 'right' ? 1 : -1); j >= 0 && j < t.n && at < 0; j += way === 'right' ? 1 : -1)
			at = t.depth[j] === t.depth[i] && t.total[j] > 0 ? j : -1;
	if (at >= 0)
		select({ band, i: at });
	else if (data.state.view === 'around' && way === 'out')
		select(band === data.bands[0] ? { band: data.bands[1], i: Math.max(widest(data.bands[1].tree, 0), 0) } :
			{ band: data.bands[0], i: 0 });
}

function nextMatch(direction) {
	const { band, i } = data.selected || { band: data.bands[0], i: 0 }, t = band.tree;
	for (let k = 1; data.hit && k <= t.n; k++) {
		const j = (i + direction * k + 2 * t.n) % t.n;
		if (!data.hit[t.name[j]] || !t.total[j])
			continue;
		if (band.zoom && (j < band.zoom || j >= t.end[band.zoom]))
			go({ zoom: [] });
		select({ band, i: j });
		return;
	}
}

function around(name) {
	go({ view: 'around', around: data.names[name], zoom: [], band: 0 });
	select({ band: data.bands[0], i: 0 });
}

function listFunctions() {
	showTable(data, data.bands[data.state.band] || data.bands[0], data.order || 'self', around);
}

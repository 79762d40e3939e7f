// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Reads the columns, those first that the chart needs. window.tc is for tests, and for who looks from
// the browser's console.

const BLOCK = 2048; // events whose texts are together; as in chart/timeline-events.h
const ROW_COLUMNS = ['name', 'pair', 'taskname', 'tasktid', 'taskinput', 'note', 'gapinput', 'gapcpu',
	'gapmissing', 'gapbegin', 'gapend', 'gapcount', 'rowkind', 'rowinput', 'rowid', 'rowdepth', 'rowbegin',
	'rown', 'rowall', 'lodshift', 'lodfirst', 'lodn', 'lodshare', 'lodname'];
const SLICE_COLUMNS = ['slbegin', 'sldur', 'slname', 'slcpu', 'longbegin', 'longdur', 'longflags'];
const EVENT_COLUMNS = ['evdelta', 'evtime', 'evcpu', 'evtask', 'evtype', 'typename', 'textsize', 'text'];

async function readColumns(names, into) {
	for (const name of names)
		into[name] = await readColumn(name);
}

function fillHelp() {
	const list = (id, rows) => {
		for (const [keys, what] of rows) {
			const tr = document.getElementById(id).insertRow();
			tr.append(element('th', keys), element('td', what));
		}
	};
	list('keys', HELP);
	list('terms', SEARCH_HELP);
}

async function start() {
	const columns = {};
	await readColumns(ROW_COLUMNS, columns);
	const model = new Model(readMeta(), columns);
	const layout = new Layout(model), app = new App(model, layout);
	window.tc = { ready: false, app, model, layout, view: app.view,
		get markers() { return app.view.markers; },
		get selection() { return app.view.selected; },
		get rows() { return model.rows; },
		get statistics() { return app.statistics; },
		search: text => app.search(text) };
	document.getElementById('title').textContent = document.title;
	app.view.resize();
	app.view.draw();
	performance.mark('levels');
	await new Promise(done => setTimeout(done, 0));
	await readColumns(SLICE_COLUMNS, columns);
	model.slicesRead();
	app.view.draw();
	performance.mark('slices');
	await readColumns(EVENT_COLUMNS, columns);
	model.eventsRead();
	layout.addEvents();
	layout.place(null);
	app.overview.load = null;
	app.table = new EventTable(model, new Texts(model, BLOCK), event => app.selectEvent(event));
	app.panel.clear();
	document.getElementById('loading').hidden = true;
	const missing = Number(model.meta.missing), lost = model.gaps.filter(gap => !gap.missing).length;
	document.getElementById('summary').textContent = `${duration(model.end)} · ` +
		`${number(model.time.length)} events · ${number(model.ofTask.size)} tasks` + (lost ?
		` · events lost in ${number(lost)} place${lost > 1 ? 's' : ''}` : '') + (missing ?
		` · ${number(missing)} CPU${missing > 1 ? 's lack their' : ' lacks its'} last events` : '');
	app.view.relayout();
	app.view.draw();
	app.viewChanged();
	performance.mark('painted');
	window.tc.ready = true;
}

start().catch(e => {
	document.getElementById('loading').textContent = `The page cannot be shown: ${e.message}`;
	throw e;
});

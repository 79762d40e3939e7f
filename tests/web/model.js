// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';

// node model.js SOURCES PAGE BEGIN END QUERY...: what the pure parts of the page say about a page's columns,
// without a browser: statistics of a range, and the number of events that match each query, as JSON

const fs = require('fs'), zlib = require('zlib'), vm = require('vm');
const [sources, page, begin, end, ...queries] = process.argv.slice(2);
const files = ['columns', 'model', 'statistics', 'search', 'colours', 'layout'];
const code = files.map(f => fs.readFileSync(`${sources}/${f}.js`, 'utf8')).join('\n');
const html = fs.readFileSync(page, 'latin1');
const inside = vm.createContext({ TextDecoder, console });
vm.runInContext(`${code}\nObject.assign(globalThis, { ARRAYS, unshuffle, Model, Layout, statistics, ` +
	'parseQuery, Search, findEvents });', inside);

const columns = {}, block = /<script type="application\/x-tc" id="col-([a-z]+)\.\d+" data-n="(\d+)" data-w="(\d+)">([^<]*)/g;
for (const [, name, n, width, text] of html.matchAll(block)) {
	const planes = new Uint8Array(zlib.gunzipSync(Buffer.from(text, 'base64')));
	const part = new inside.ARRAYS[width](Number(n)), before = columns[name];
	if (width === '1')
		part.set(planes);
	else
		inside.unshuffle(planes, Number(width), Number(n), part, 0);
	if (!before) {
		columns[name] = part;
	} else {
		columns[name] = new inside.ARRAYS[width](before.length + part.length);
		columns[name].set(before);
		columns[name].set(part, before.length);
	}
}
const meta = JSON.parse(/<script type="application\/json" id="meta">(.*?)<\/script>/s.exec(html)[1]);

async function main() {
	const model = new inside.Model(meta, columns);
	model.slicesRead();
	model.eventsRead();
	new inside.Layout(model).addEvents();
	const texts = b => {
		const at = columns.textsize.slice(0, b).reduce((a, n) => a + n, 0);
		return zlib.inflateSync(columns.text.subarray(at, at + columns.textsize[b])).toString();
	};
	const hits = [];
	for (const query of queries)
		hits.push((await inside.findEvents(new inside.Search(inside.parseQuery(query), model), model,
						   2048, texts)).length);
	const levels = model.rows.flatMap(row => row.levels.map((l, i) => [row.index, i, l.size, l.n]));
	console.log(JSON.stringify({ hits, levels, notes: model.notes, rows: model.rows.length,
				     slices: model.rows.reduce((n, row) => n + row.n, 0),
				     all: model.rows.reduce((n, row) => n + row.all, 0),
				     ...inside.statistics(model, Number(begin), Number(end)) }));
}

main();

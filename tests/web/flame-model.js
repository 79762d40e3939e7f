// SPDX-License-Identifier: GPL-2.0-or-later
// node flame-model.js PAGEDIR FOLDED WHAT [TEXT]: what libtfs/chart/page/flame-model.js makes of folded
// text: callers, keep or remove (folded text again, sorted), matched (a weight), table ("NAME SELF TOTAL")
'use strict';

const fs = require('fs');
const path = require('path');
const vm = require('vm');

const [dir, file, what, text] = process.argv.slice(2);
const context = vm.createContext({});
vm.runInContext(fs.readFileSync(path.join(dir, 'flame-model.js'), 'utf8'), context);
const call = code => vm.runInContext(code, context);

const stacks = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map(line => {
	const at = line.lastIndexOf(' ');
	return { frames: line.slice(0, at).split(';'), weight: Number(line.slice(at + 1)) };
});
const names = ['all', ...new Set(stacks.flatMap(s => s.frames))].sort((a, b) =>
	(a === 'all' ? -1 : b === 'all' ? 1 : a < b ? -1 : 1));
Object.assign(context, { names, stacks, text });
call(`
	const index = new Map(names.map((name, i) => [name, i])), b = new TreeBuilder(false);
	for (const s of stacks) {
		let at = 0;
		for (const frame of s.frames)
			at = b.child(at, index.get(frame));
		b.add(at, { self: [s.weight], samples: [1] }, 0);
	}
	var tree = b.finish(), hit = text ? matchNames(names, text) : null;
	function folded(t) {
		const lines = [];
		for (let i = 1; i < t.n; i++)
			if (t.self[i])
				lines.push(pathOf(t, i).map(name => names[name]).join(';') + ' ' + t.self[i]);
		return lines.sort().join('\\n');
	}`);
console.log({
	callers: () => call('folded(callersTree(tree))'),
	keep: () => call('folded(filterTree(tree, hit, true))'),
	remove: () => call('folded(filterTree(tree, hit, false))'),
	matched: () => call('matchedWeight(tree, hit, 0).weight'),
	table: () => call(`sumNames(tree, 0).map(r => names[r.name] + ' ' + r.self + ' ' + r.total).sort().join('\\n')`),
}[what]());

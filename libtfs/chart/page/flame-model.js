// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Trees of stacks, and what can be asked of them. Pure: nothing here knows of a document.

// A tree has its nodes in arrays, each node before those that it called, and these sorted by name:
//   parent, name     as in the page's columns
//   self, samples    weight of the stacks that end here, and how many these were
//   before           null, or { self, samples } of the recording before
// finishTree() adds what follows from these: n, depth, end (the first node after it that it did not
// call), total (of the stacks that come through it), start (of its box, in weights), rows.
function finishTree(t) {
	const n = t.n = t.parent.length;
	t.depth = new Uint32Array(n);
	t.end = new Uint32Array(n).fill(1);
	t.total = Float64Array.from(t.self);
	t.start = new Float64Array(n);
	t.rows = 1;
	for (let i = 1; i < n; i++) {
		t.depth[i] = t.depth[t.parent[i]] + 1;
		t.rows = Math.max(t.rows, t.depth[i] + 1);
	}
	if (t.before)
		t.before.total = Float64Array.from(t.before.self);
	for (let i = n - 1; i > 0; i--) {
		const p = t.parent[i];
		t.total[p] += t.total[i];
		t.end[p] += t.end[i];
		if (t.before)
			t.before.total[p] += t.before.total[i];
	}
	const next = new Float64Array(n);
	if (n)
		next[0] = t.self[0];
	for (let i = 0; i < n; i++) {
		t.end[i] += i;
		if (!i)
			continue;
		t.start[i] = next[t.parent[i]];
		next[t.parent[i]] += t.total[i];
		next[i] = t.start[i] + t.self[i];
	}
	return t;
}

// Makes a tree of stacks in any order
class TreeBuilder {
	constructor(diff) {
		this.parent = [0];
		this.name = [0];
		this.self = [0];
		this.samples = [0];
		this.before = diff ? { self: [0], samples: [0] } : null;
		this.places = new Map();
		this.cut = 0;
	}

	child(parent, name) {
		const place = parent * 0x4000000 + name;
		let at = this.places.get(place);
		if (at !== undefined)
			return at;
		at = this.parent.length;
		this.places.set(place, at);
		this.parent.push(parent);
		this.name.push(name);
		this.self.push(0);
		this.samples.push(0);
		if (this.before) {
			this.before.self.push(0);
			this.before.samples.push(0);
		}
		return at;
	}

	// The weight that ends at node i of tree t ends at our node at.
	add(at, t, i) {
		this.self[at] += t.self[i];
		this.samples[at] += t.samples[i];
		if (this.before) {
			this.before.self[at] += t.before.self[i];
			this.before.samples[at] += t.before.samples[i];
		}
	}

	// Nodes in their final order: callees after their caller, by name
	order() {
		const n = this.parent.length, first = new Uint32Array(n + 1);
		const byParent = Float64Array.from(this.places.keys()).sort().map(place => this.places.get(place));
		for (let p = 0, i = 0; p <= n; p++) {
			while (i < byParent.length && this.parent[byParent[i]] < p)
				i++;
			first[p] = i;
		}
		const order = [], todo = [0];
		while (todo.length) {
			const at = todo.pop();
			order.push(at);
			for (let i = first[at + 1] - 1; i >= first[at]; i--)
				todo.push(byParent[i]);
		}
		return order;
	}

	finish() {
		const order = this.order(), to = new Uint32Array(order.length);
		const pick = (from, Type) => Type.from(order, i => from[i]);
		order.forEach((old, i) => { to[old] = i; });
		return finishTree({
			parent: Uint32Array.from(order, i => to[this.parent[i]]),
			name: pick(this.name, Uint32Array),
			self: pick(this.self, Float64Array),
			samples: pick(this.samples, Float64Array),
			before: this.before && { self: pick(this.before.self, Float64Array),
				samples: pick(this.before.samples, Float64Array) },
			cut: this.cut,
		});
	}
}

function hasWeight(t, i) {
	return t.self[i] > 0 || (t.before && t.before.self[i] > 0);
}

// Steps from the innermost frames to the root that are followed in full; more take too long
const STEPS_MAX = 1000000;
// What is less than one part in so many is not followed to its outermost callers then
const PARTS_MAX = 10000;

// The stacks the other way round: who called the innermost frames. cut: groups not followed further
function callersTree(t) {
	const b = new TreeBuilder(!!t.before), leaves = [];
	let steps = 0;
	for (let i = 0; i < t.n; i++) {
		if (hasWeight(t, i)) {
			leaves.push(i);
			steps += t.depth[i];
		}
	}
	const weightOf = i => t.self[i] + (t.before ? t.before.self[i] : 0);
	const whole = t.total[0] + (t.before ? t.before.total[0] : 0);
	const least = steps > STEPS_MAX ? whole / PARTS_MAX : 0;
	const todo = [{ at: 0, leaves, frames: leaves, weight: Infinity }];
	while (todo.length) {
		const group = todo.pop(), callers = new Map();
		if (group.weight < least) {
			b.cut++;
			group.leaves.forEach(i => b.add(group.at, t, i));
			continue;
		}
		group.leaves.forEach((i, k) => {
			const frame = group.frames[k];
			if (!frame) {
				b.add(group.at, t, i);
				return;
			}
			let to = callers.get(t.name[frame]);
			if (!to)
				callers.set(t.name[frame], to = { leaves: [], frames: [], weight: 0 });
			to.leaves.push(i);
			to.frames.push(t.parent[frame]);
			to.weight += weightOf(i);
		});
		for (const [name, to] of callers)
			todo.push({ at: b.child(group.at, name), ...to });
	}
	return b.finish();
}

// Nodes of a name that were not called, directly or not, by another node of it
function outermost(t, name) {
	const found = [];
	for (let i = 1; i < t.n; i++) {
		if (t.name[i] === name) {
			found.push(i);
			i = t.end[i] - 1;
		}
	}
	return found;
}

// What a function called, wherever it was called itself, and who called it; both have its name at
// their root and the same total, as a stack through it counts once.
function aroundName(t, name) {
	const callees = new TreeBuilder(!!t.before), callers = new TreeBuilder(!!t.before);
	callees.name[0] = callers.name[0] = name;
	const to = new Uint32Array(t.n);
	for (const top of outermost(t, name)) {
		to[top] = 0;
		let at = 0;
		for (let j = t.parent[top]; j > 0; j = t.parent[j])
			at = callers.child(at, t.name[j]);
		for (let i = top; i < t.end[top]; i++) {
			if (i !== top)
				to[i] = callees.child(to[t.parent[i]], t.name[i]);
			callees.add(to[i], t, i);
			callers.add(at, t, i);
		}
	}
	return { callees: callees.finish(), callers: callers.finish() };
}

// Only the stacks that have (keep), or do not have, one of the names for which hit[name] is set
function filterTree(t, hit, keep) {
	const b = new TreeBuilder(!!t.before), through = new Uint8Array(t.n);
	const to = new Int32Array(t.n).fill(-1);
	to[0] = 0;
	const place = i => {
		const path = [];
		for (; to[i] < 0; i = t.parent[i])
			path.push(i);
		while (path.length) {
			const j = path.pop();
			to[j] = b.child(to[t.parent[j]], t.name[j]);
		}
	};
	b.name[0] = t.name[0];
	for (let i = 0; i < t.n; i++) {
		through[i] = i && (through[t.parent[i]] || hit[t.name[i]]) ? 1 : 0;
		if (!hasWeight(t, i) || !!through[i] !== keep)
			continue;
		place(i);
		b.add(to[i], t, i);
	}
	return b.finish();
}

// The frames that only the recording before has, in a tree with its weights, whose root called the
// outermost of them; origin of each node is its node in t.
function vanishedTree(t) {
	const parent = [0], name = [0], self = [0], samples = [0], origin = [0], to = new Map();
	for (let i = 1; i < t.n; i++) {
		if (t.total[i] > 0 || !(t.before.total[i] > 0))
			continue;
		to.set(i, parent.length);
		parent.push(to.get(t.parent[i]) || 0);
		name.push(t.name[i]);
		self.push(t.before.self[i]);
		samples.push(t.before.samples[i]);
		origin.push(i);
	}
	return finishTree({ parent, name, self, samples, before: null, origin });
}

// A search: a regular expression, or the text itself if it is none; letters of both cases
function makeMatcher(text) {
	try {
		const re = new RegExp(text, 'i');
		return name => re.test(name);
	} catch {
		const plain = text.toLowerCase();
		return name => name.toLowerCase().includes(plain);
	}
}

// hit[name] for each name
function matchNames(names, text) {
	const matches = makeMatcher(text);
	return Uint8Array.from(names, (name, i) => i && matches(name) ? 1 : 0);
}

// How much of a tree, from node root on, goes through frames that are hit; each stack counts once.
function matchedWeight(t, hit, root) {
	let weight = 0, frames = 0;
	for (let i = root; i < t.end[root]; i++) {
		if (!hit[t.name[i]] || !i)
			continue;
		weight += t.total[i];
		for (let j = i; j < t.end[i]; j++)
			frames += hit[t.name[j]];
		i = t.end[i] - 1;
	}
	return { weight, frames };
}

// For each name its own weight, and that of the stacks through it, each counted once
function sumNames(t, root) {
	const rows = new Map(), path = [];
	for (let i = Math.max(root, 1); i < t.end[root]; i++) {
		while (path.length && t.end[path[path.length - 1].node] <= i)
			path.pop().row.open--;
		let row = rows.get(t.name[i]);
		if (!row)
			rows.set(t.name[i], row = { name: t.name[i], self: 0, total: 0, before: 0, open: 0 });
		row.self += t.self[i];
		row.before += t.before ? t.before.self[i] : 0;
		if (!row.open++)
			row.total += t.total[i];
		path.push({ node: i, row });
	}
	return [...rows.values()];
}

// Names from the outermost frame to node i, without the root
function pathOf(t, i) {
	const path = [];
	for (; i > 0; i = t.parent[i])
		path.push(t.name[i]);
	return path.reverse();
}

// The node at the end of a path of texts, or the last of it that there is
function nodeAt(t, texts, path) {
	let at = 0;
	for (const text of path) {
		let i = at + 1;
		while (i < t.end[at] && texts[t.name[i]] !== text)
			i = t.end[i];
		if (i >= t.end[at])
			break;
		at = i;
	}
	return at;
}

// The node of a row whose box is at a place, in weights, among those that node called; -1: none
function nodeUnder(t, node, depth, at) {
	for (let i = node; i < t.end[node];) {
		if (at < t.start[i] || at >= t.start[i] + t.total[i])
			i = t.end[i];
		else if (t.depth[i] === depth)
			return i;
		else
			i++;
	}
	return -1;
}

// What a sample weighs on average, after and before
function meanWeights(t, factor) {
	const sum = a => a.reduce((x, y) => x + y, 0), n = sum(t.samples), m = sum(t.before.samples);
	return { after: n ? t.total[0] / n : 0, before: m ? t.before.total[0] * factor / m : 0, factor };
}

// By how much the weight of stacks that end at a node changed, or of all that come through it; 0 if
// chance explains it: less than twice the square root of as many samples
function changeOf(t, i, means, all) {
	const kind = all ? 'total' : 'self', after = t[kind][i], before = t.before[kind][i] * means.factor;
	const n = all ? means.after && after / means.after : t.samples[i];
	const m = all ? means.before && before / means.before : t.before.samples[i];
	const chance = 4 * (n * means.after ** 2 + m * means.before ** 2);
	return (after - before) ** 2 < chance ? 0 : after - before;
}

// A number for people: 1,234,567
function grouped(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

// A weight for people
function weightText(n, unit) {
	if (unit !== 'ns')
		return `${grouped(n)} ${unit}`;
	for (const [size, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']])
		if (Math.abs(n) >= size)
			return `${(n / size).toPrecision(4)} ${name}`;
	return `${n} ns`;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// What is typed into the search, and the events that match. Pure: no document.
//
//	word            in the name of the event or task, or in the text
//	"two words"     the same
//	event:A,B       events whose name, or SYSTEM:NAME, is A or B; * and ? stand for anything
//	task:A,B        tasks by name or number
//	cpu:0-3,7       CPUs
//	text:word       in the text only
//	-term           not; all terms have to match

const TERM = /(-?)(?:(event|task|cpu|text|name):)?(?:"([^"]*)"?|(\S+))/gy;

function globToRegExp(glob) {
	const special = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&');
	return new RegExp(`^${special.replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 'i');
}

function parseCpus(list) {
	const cpus = new Set();
	for (const part of list.split(',')) {
		const m = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
		if (!m)
			return null;
		for (let cpu = Number(m[1]); cpu <= Number(m[2] || m[1]); cpu++)
			cpus.add(cpu);
	}
	return cpus;
}

// { terms } or { error }
function parseQuery(text) {
	const terms = [];
	text = text.trim();
	TERM.lastIndex = 0;
	while (TERM.lastIndex < text.length) {
		const m = TERM.exec(text);
		if (!m)
			return { error: 'not understood' };
		const term = { not: m[1] === '-', key: m[2] || 'any', value: m[3] || m[4] || '' };
		if (!term.value)
			return { error: `${term.key}: of what?` };
		if (term.key === 'cpu' && !(term.cpus = parseCpus(term.value)))
			return { error: `'${term.value}' is not a list of CPUs (0-3,7)` };
		if (term.key === 'event' || term.key === 'task')
			term.globs = term.value.split(',').map(globToRegExp);
		term.word = term.value.toLowerCase();
		terms.push(term);
		const blank = /\s*/y;
		blank.lastIndex = TERM.lastIndex;
		blank.exec(text);
		TERM.lastIndex = blank.lastIndex;
	}
	return { terms };
}

const YES = 1, NO = 0, BY_TEXT = 2;

// Of a term, for each type, task or CPU: does it match, not, or does the text decide?
function compileTerm(term, model) {
	const flag = on => (on ? YES : NO);
	const c = { term, type: null, task: null, cpu: null };
	const isType = name => term.globs.some(g => g.test(name) || g.test(name.split(':')[1]));
	const isTask = (name, i) => term.globs.some(g => g.test(name) ||
		g.test(String(model.tids[i])) || g.test(model.taskLabel(i)));
	switch (term.key) {
	case 'event':
		c.type = model.types.map(name => flag(isType(name)));
		break;
	case 'task':
		c.task = model.taskNames.map((name, i) => flag(isTask(name, i)));
		break;
	case 'any':
		c.type = model.types.map(name => flag(name.toLowerCase().includes(term.word)));
		c.task = model.taskNames.map((name, i) =>
			flag(model.taskLabel(i).toLowerCase().includes(term.word)));
	}
	return c;
}

function judge(c, columns, i) {
	switch (c.term.key) {
	case 'event':
		return c.type[columns.evtype[i]];
	case 'task':
		return c.task[columns.evtask[i]];
	case 'cpu':
		return c.term.cpus.has(columns.evcpu[i]) ? YES : NO;
	case 'any':
		return c.type[columns.evtype[i]] || c.task[columns.evtask[i]] ? YES : BY_TEXT;
	default:
		return BY_TEXT;
	}
}

class Search {
	constructor(query, model) {
		this.terms = query.terms.map(term => compileTerm(term, model));
		this.model = model;
	}

	needsText() {
		return this.terms.some(c => c.term.key === 'any' || c.term.key === 'text');
	}

	// Does event i match? text() gives its text in lower case, if that decides
	matches(i, text) {
		for (const c of this.terms) {
			let is = judge(c, this.model.columns, i);
			if (is === BY_TEXT)
				is = text().includes(c.term.word) ? YES : NO;
			if ((is === YES) === c.term.not)
				return false;
		}
		return true;
	}

	// Names of slices that words match, and tasks, by number; null: there are none
	nameHits() {
		const m = this.model, words = this.terms.filter(c => !c.term.not &&
			(c.term.key === 'any' || c.term.key === 'name'));
		const tasks = this.terms.filter(c => !c.term.not && c.term.key === 'task');
		if (!words.length && !tasks.length)
			return null;
		const n = m.firstTask + m.taskNames.length, hits = new Uint8Array(n);
		let found = false;
		for (let i = 0; i < n; i++) {
			const name = m.nameOf(i).toLowerCase();
			const is = words.every(c => name.includes(c.term.word)) && (i < m.firstTask ||
				tasks.every(c => c.task[i - m.firstTask]));
			hits[i] = is ? 1 : 0;
			found = found || is;
		}
		return found ? hits : null;
	}
}

// Numbers of the events that match, in order. blockText(b): the texts of a block, a promise;
// cancelled(): stop, null is the result; progress(share)
async function findEvents(search, model, blockSize, blockText, cancelled, progress) {
	const n = model.time.length, hits = [], withText = search.needsText();
	for (let first = 0, b = 0; first < n; first += blockSize, b++) {
		const end = Math.min(n, first + blockSize);
		let all = null, lower = null;
		if (withText)
			all = await blockText(b);
		for (let i = first; i < end; i++)
			if (search.matches(i, () => {
				lower = lower || all.toLowerCase().split('\0');
				return lower[i - first] || '';
			}))
				hits.push(i);
		if (cancelled && cancelled())
			return null;
		if (progress && b % 32 === 0)
			progress(end / n);
	}
	return Uint32Array.from(hits);
}

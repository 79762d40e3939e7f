// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Colours as numbers of an ImageData's Uint32Array (0xAABBGGRR). People with any colour vision tell them
// apart: those of states are of Paul Tol's "bright" scheme, those of tasks and names are the others of
// "bright" and of "light", so that none of them looks like a state. States have letters as well.

const rgb = hex => (0xff000000 | (hex & 0xff) << 16 | (hex & 0xff00) | hex >> 16 & 0xff) >>> 0;
const NAME_HEX = [0x4477aa, 0x77aadd, 0x99ddff, 0x44bb99, 0xee8866, 0xffaabb, 0xaa3377];
const NAME_COLOURS = NAME_HEX.map(rgb);
const LIGHT_TEXT = [true, false, false, false, false, false, true];

// By number of the state
const STATES = [
	{ letter: '?', hex: null },
	{ letter: '', hex: 0x228833 },
	{ letter: 'R', hex: 0xccbb44 },
	{ letter: 'R+', hex: 0xccbb44 },
	{ letter: 'S', hex: null },
	{ letter: 'D', hex: 0xee6677 },
	{ letter: 'T', hex: 0xaa3377 },
	{ letter: 'P', hex: null },
	{ letter: 'I', hex: null },
	{ letter: 'X', hex: 0xbbbbbb },
];

const THEMES = {
	light: { back: 0xffffff, band: 0xf5f6f8, line: 0xdcdfe4, quiet: 0xe9ecf0, text: '#1b1f24',
		 dim: '#5b6370', gap: 0xb9bec6, hit: 0xd55e00, tick: 0x9aa2ad, range: '#0072b2',
		 marker: ['#0072b2', '#d55e00'] },
	dark: { back: 0x16191d, band: 0x1c2025, line: 0x31363d, quiet: 0x262b32, text: '#e6e8eb',
		dim: '#9aa3ae', gap: 0x59616b, hit: 0xff9442, tick: 0x6f7883, range: '#56b4e9',
		marker: ['#56b4e9', '#ff9442'] },
};

const css = hex => `#${hex.toString(16).padStart(6, '0')}`;

// A colour over another, share of 255
function mix(under, over, share) {
	const k = share / 255;
	const part = shift => {
		const a = under >>> shift & 255, b = over >>> shift & 255;
		return Math.round(a + (b - a) * k) << shift;
	};
	return (0xff000000 | part(16) | part(8) | part(0)) >>> 0;
}

function hashName(name) {
	let h = 0x811c9dc5;
	for (let i = 0; i < name.length; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
	return (h ^ h >>> 15) >>> 0;
}

// Colours of slices by the number of their name, of one theme
class Palette {
	constructor(model, theme) {
		const t = THEMES[theme], n = model.firstTask + model.taskNames.length;
		this.theme = t;
		this.back = rgb(t.back);
		this.band = rgb(t.band);
		this.line = rgb(t.line);
		this.quiet = rgb(t.quiet);
		this.gap = rgb(t.gap);
		this.hit = rgb(t.hit);
		this.tick = rgb(t.tick);
		this.colour = new Uint32Array(n);
		this.lightText = new Uint8Array(n);
		for (let i = 0; i < n; i++) {
			const k = hashName(model.colourName(i)) % NAME_COLOURS.length;
			this.colour[i] = NAME_COLOURS[k];
			this.lightText[i] = LIGHT_TEXT[k];
		}
		model.meta.states.forEach((_, i) => {
			this.colour[i] = STATES[i].hex === null ? this.quiet : rgb(STATES[i].hex);
			this.lightText[i] = i === STATE.RUNNING || i === STATE.STOPPED;
		});
		this.faded = this.colour.map(c => mix(this.back, c, 56));
	}
}

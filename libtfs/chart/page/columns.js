// SPDX-License-Identifier: LGPL-2.1-or-later
'use strict';

// Reads what chart/page.c wrote: blocks of base64 of gzip of the planes of a column.

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const bytes = atob(text), out = new Uint8Array(bytes.length);
	for (let i = 0; i < out.length; i++)
		out[i] = bytes.charCodeAt(i);
	return out;
}

async function gunzip(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Planes of bytes to elements, written to out from element at on
function unshuffle(planes, width, n, out, at) {
	if (width === 4) {
		const b = planes.subarray(n), c = planes.subarray(2 * n);
		const d = planes.subarray(3 * n);
		for (let i = 0; i < n; i++)
			out[at + i] = planes[i] | b[i] << 8 | c[i] << 16 | d[i] << 24;
		return;
	}
	if (width === 2) {
		for (let i = 0; i < n; i++)
			out[at + i] = planes[i] | planes[n + i] << 8;
		return;
	}
	const to = new Uint8Array(out.buffer, out.byteOffset + at * width, n * width);
	for (let k = 0; k < width; k++)
		for (let i = 0; i < n; i++)
			to[i * width + k] = planes[k * n + i];
}

// The elements of a column, which leave the document as they are read; null: no such column
async function readColumn(name) {
	const blocks = [];
	let n = 0, width = 1, at = 0;
	for (let i = 0; ; i++) {
		const e = document.getElementById(`col-${name}.${i}`);
		if (!e)
			break;
		width = Number(e.dataset.w);
		n += Number(e.dataset.n);
		blocks.push(e);
	}
	if (!blocks.length)
		return null;
	const out = new ARRAYS[width](n);
	for (const e of blocks) {
		const count = Number(e.dataset.n), planes = await gunzip(fromBase64(e.textContent));
		e.remove();
		if (width === 1)
			out.set(planes, at);
		else
			unshuffle(planes, width, count, out, at);
		at += count;
	}
	return out;
}

// Texts that end with NUL, one after the other
function splitTexts(bytes) {
	const text = new TextDecoder().decode(bytes);
	return text ? text.slice(0, -1).split('\0') : [];
}

function readMeta() {
	return JSON.parse(document.getElementById('meta').textContent);
}

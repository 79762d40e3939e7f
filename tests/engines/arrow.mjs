// SPDX-License-Identifier: GPL-2.0-or-later
//
// node arrow.mjs TABLE.arrows ROWS.json - are rows that apache-arrow reads those of tc-report --wide --json?
import { readFileSync } from 'node:fs';
import { tableFromIPC, compressionRegistry, CompressionType, Type } from 'apache-arrow';
import { decompress } from 'fzstd';

// Numbers are read in place: they have to be aligned, as the copy is.
compressionRegistry.set(CompressionType.ZSTD, { decode: (data) => decompress(data).slice() });

const [table_path, rows_path] = process.argv.slice(2);
const table = tableFromIPC(readFileSync(table_path));
const lines = readFileSync(rows_path, 'utf8').split('\n').filter(Boolean);
const names = table.schema.fields.map((field) => field.name);
const columns = table.schema.fields.map((field, i) => table.getChildAt(i));
const dictionaries = table.schema.fields.filter((field) => field.type.typeId === Type.Dictionary);

if (table.numRows !== lines.length)
	throw new Error(`${table.numRows} rows, ${lines.length} with --json`);
lines.forEach((line, n) => {
	const want = JSON.parse(line);
	if (Object.keys(want).join() !== names.join())
		throw new Error(`columns ${names}`);
	names.forEach((name, i) => {
		const value = columns[i].get(n);
		let is = typeof value === 'bigint' ? String(value) : value;
		let expected = want[name];
		if (name === 'fields' && value !== null) {
			is = JSON.stringify(JSON.parse(value));
			expected = JSON.stringify(expected);
		} else if (name === 'lost' && expected !== null) {
			expected = String(expected);
		}
		if (is !== expected)
			throw new Error(`row ${n}, ${name}: ${is}, --json has ${expected}`);
	});
});
console.log(`${table.numRows} rows, ${table.batches.length} batches, ${dictionaries.length} dictionaries`);

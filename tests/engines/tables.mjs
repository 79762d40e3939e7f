// SPDX-License-Identifier: GPL-2.0-or-later
//
// node tables.mjs FILE.arrows... - rows of all tables, as apache-arrow reads them, and their columns by type
import { readFileSync } from 'node:fs';
import { tableFromIPC, compressionRegistry, CompressionType } from 'apache-arrow';
import { decompress } from 'fzstd';

compressionRegistry.set(CompressionType.ZSTD, { decode: (data) => decompress(data).slice() });
let rows = 0;
const types = new Map();
for (const path of process.argv.slice(2)) {
	const table = tableFromIPC(readFileSync(path));
	for (const field of table.schema.fields.filter((f) => !f.name.startsWith('common_')))
		types.set(`${field.type}`, (types.get(`${field.type}`) ?? 0) + 1);
	for (const row of table)
		rows += row.common_ts >= 0n;
}
console.log(rows);
console.log([...types].map(([type, n]) => `${type} ${n}`).sort().join(', '));

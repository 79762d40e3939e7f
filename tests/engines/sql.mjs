// SPDX-License-Identifier: GPL-2.0-or-later
//
// node sql.mjs duckdb|clickhouse FILE.sql... - run statements in an engine, in one database that is forgotten after
//
// Rows of the last statement of each file are printed, an object of JSON a line, after a line "-- FILE.sql".
// Integers of 64 bits are printed as strings.
import { readFileSync } from 'node:fs';

// Statements of a file: each ends with a semicolon at the end of a line
function statements(path) {
	return readFileSync(path, 'utf8').split(/;\s*$/m).filter((s) => s.replace(/^--.*$/gm, '').trim());
}

async function duckdb() {
	const { DuckDBInstance } = await import('@duckdb/node-api');
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

async function clickhouse() {
	const { Session } = await import('chdb');
	const session = new Session();
	return async (sql) => {
		const text = session.query(sql, 'JSONEachRow') || '';
		return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
	};
}

const [engine, ...files] = process.argv.slice(2);
const run = await { duckdb, clickhouse }[engine]();
for (const file of files) {
	let rows = [];
	for (const sql of statements(file))
		rows = await run(sql);
	console.log(`-- ${file}`);
	for (const row of rows)
		console.log(JSON.stringify(row, (key, value) => (typeof value === 'bigint' ? String(value) : value)));
}
process.exit(0);

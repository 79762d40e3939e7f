/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/table-sql.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "view/wide-row.h"

#define ENGINES 2

/* Nothing but these is in every row: engines refuse rows whose required columns are null. */
static const char *const types[TFS_WIDE_COLUMNS][ENGINES] = {
	[TFS_WIDE_HOST] = { "VARCHAR", "LowCardinality(Nullable(String))" },
	[TFS_WIDE_FILE] = { "VARCHAR NOT NULL", "LowCardinality(String)" },
	[TFS_WIDE_TS] = { "UBIGINT NOT NULL", "UInt64" },
	[TFS_WIDE_TS_BOUND] = { "UINTEGER", "Nullable(UInt32)" },
	[TFS_WIDE_CPU] = { "USMALLINT NOT NULL", "UInt16" },
	[TFS_WIDE_TID] = { "INTEGER", "Nullable(Int32)" },
	[TFS_WIDE_COMM] = { "VARCHAR", "LowCardinality(Nullable(String))" },
	[TFS_WIDE_FLAGS] = { "VARCHAR", "LowCardinality(Nullable(String))" },
	[TFS_WIDE_EVENT] = { "VARCHAR", "LowCardinality(Nullable(String))" },
	[TFS_WIDE_FIELDS] = { "JSON", "Nullable(String)" },
	[TFS_WIDE_LOST] = { "UBIGINT", "Nullable(UInt64)" },
	[TFS_WIDE_BUFFER] = { "VARCHAR NOT NULL", "LowCardinality(String)" },
};

/* How an engine reads a kind of file; NULL: it does not */
static const struct {
	const char *suffix, *made, *duckdb, *clickhouse;
} files[] = {
	{ ".json", "tc-report --wide --json trace.dat", "read_json", "JSONEachRow" },
	{ ".csv", "tc-report --wide --csv trace.dat", "read_csv", "CSVWithNames" },
	{ ".arrows", "tc-report --arrow trace.dat", NULL, "ArrowStream" },
	{ ".parquet", "an engine, from one of the others", "read_parquet", "Parquet" },
};

int tfs_sql_engine(const char *name, enum tfs_sql_engine *engine, struct tfs_err *err)
{
	static const char *const names[ENGINES] = { "duckdb", "clickhouse" };

	for (size_t i = 0; i < ENGINES; i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*engine = (enum tfs_sql_engine)i;
		return 0;
	}
	return tfs_err_say(err, -EINVAL, "'%s' is not an engine: duckdb or clickhouse", name);
}

/* In quotes. ClickHouse takes backslashes for escapes. */
static int put_literal(enum tfs_sql_engine engine, const char *s, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addc(out, '\'');

	for (; *s && !rc; s++) {
		if (*s == '\'' || (*s == '\\' && engine == TFS_SQL_CLICKHOUSE))
			rc = tfs_strbuf_addc(out, *s);
		if (!rc)
			rc = tfs_strbuf_addc(out, *s);
	}
	return rc ? rc : tfs_strbuf_addc(out, '\'');
}

static int put_table(enum tfs_sql_engine engine, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, "CREATE TABLE IF NOT EXISTS events (\n");

	for (size_t i = 0; i < TFS_WIDE_COLUMNS && !rc; i++)
		rc = tfs_strbuf_addf(out, "\t%s %s%s\n", tfs_wide_name((enum tfs_wide_column)i),
				     types[i][engine], i + 1 < TFS_WIDE_COLUMNS ? "," : "");
	if (rc)
		return rc;
	return tfs_strbuf_adds(out, engine == TFS_SQL_DUCKDB ?
					    ");\n" :
					    ") ENGINE = MergeTree ORDER BY (event, ts)\n"
					    "SETTINGS allow_nullable_key = 1;\n");
}

/* Types are named once more: what a reader guesses would make time stamps doubles. */
static int put_columns(struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, ", columns = {");

	for (size_t i = 0; i < TFS_WIDE_COLUMNS && !rc; i++) {
		const char *type = types[i][TFS_SQL_DUCKDB];

		rc = tfs_strbuf_addf(out, "%s\n\t%s: '%.*s'", i ? "," : "",
				     tfs_wide_name((enum tfs_wide_column)i),
				     (int)strcspn(type, " "), type);
	}
	return rc ? rc : tfs_strbuf_adds(out, "\n}");
}

static int put_duckdb(size_t kind, const char *file, struct tfs_strbuf *out)
{
	const char *how = files[kind].duckdb;
	int rc = tfs_strbuf_addf(out, "INSERT INTO events BY NAME SELECT * FROM %s(", how);

	if (!rc)
		rc = put_literal(TFS_SQL_DUCKDB, file, out);
	if (!rc && !strcmp(how, "read_json"))
		rc = tfs_strbuf_adds(out, ", format = 'newline_delimited'");
	else if (!rc && !strcmp(how, "read_csv"))
		rc = tfs_strbuf_adds(out, ", header = true, force_not_null = ['buffer']");
	if (!rc && strcmp(how, "read_parquet") != 0)
		rc = put_columns(out);
	return rc ? rc : tfs_strbuf_adds(out, ");\n");
}

static int put_clickhouse(size_t kind, const char *file, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, "INSERT INTO events FROM INFILE ");

	if (!rc)
		rc = put_literal(TFS_SQL_CLICKHOUSE, file, out);
	return rc ? rc : tfs_strbuf_addf(out, " FORMAT %s;\n", files[kind].clickhouse);
}

/* The kind of file by its suffix */
static int find_kind(enum tfs_sql_engine engine, const char *file, size_t *kind,
		     struct tfs_err *err)
{
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(files); i++) {
		*kind = i;
		if (strcmp(dot, files[i].suffix) != 0)
			continue;
		if (engine == TFS_SQL_CLICKHOUSE || files[i].duckdb)
			return 0;
		tfs_err_say(err, -EINVAL, "'%s': DuckDB has no reader of Arrow", file);
		tfs_err_hint(err, "--wide --json, or Parquet that ClickHouse writes");
		return -EINVAL;
	}
	tfs_err_say(err, -EINVAL, "'%s' is not a name of a file to load", file);
	tfs_err_hint(err, "FILE.json, FILE.csv, FILE.arrows or FILE.parquet");
	return -EINVAL;
}

int tfs_table_sql(enum tfs_sql_engine engine, const char *file, struct tfs_out *out,
		  struct tfs_err *err)
{
	struct tfs_strbuf sql = TFS_STRBUF_INIT;
	size_t kind;
	int rc;

	if (!file)
		file = engine == TFS_SQL_DUCKDB ? "events.json" : "events.arrows";
	rc = find_kind(engine, file, &kind, err);
	if (rc)
		return rc;
	rc = tfs_strbuf_addf(&sql, "-- The file is written by: %s\n", files[kind].made);
	if (!rc)
		rc = put_table(engine, &sql);
	if (!rc)
		rc = (engine == TFS_SQL_DUCKDB ? put_duckdb : put_clickhouse)(kind, file, &sql);
	if (!rc)
		rc = tfs_out_write(out, sql.s, sql.len);
	if (!rc)
		rc = tfs_out_flush(out);
	tfs_strbuf_release(&sql);
	return rc ? tfs_err_set(err, rc, "cannot write the statements") : 0;
}

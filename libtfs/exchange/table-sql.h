/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_TABLE_SQL_H
#define TFS_EXCHANGE_TABLE_SQL_H

struct tfs_err;
struct tfs_out;

/** enum tfs_sql_engine - whose SQL it is */
enum tfs_sql_engine { TFS_SQL_DUCKDB, TFS_SQL_CLICKHOUSE };

/** tfs_sql_engine() - by name. Return: 0; -EINVAL with @err set if there is none of that name */
int tfs_sql_engine(const char *name, enum tfs_sql_engine *engine, struct tfs_err *err);

/**
 * tfs_table_sql() - statements that create the table of events (view/wide-row.h) and load a file
 * @file: the file, whose suffix says what it is: .json, .csv, .arrows, .parquet; NULL: the one that
 *	the engine reads best, "events.json" or "events.arrows"
 *
 * Return: 0, or -errno with @err set; -EINVAL for a suffix that the engine has no reader for.
 */
int tfs_table_sql(enum tfs_sql_engine engine, const char *file, struct tfs_out *out,
		  struct tfs_err *err);

#endif

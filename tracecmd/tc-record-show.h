/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_SHOW_H
#define TC_RECORD_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_request;
struct tfs_err;
struct tfs_plan;
struct tfs_session_totals;
struct tfs_strbuf;

/** record_show_size() - append bytes as people read them: "512 B", "1.5 KiB", "203 MiB"; pure */
int record_show_size(struct tfs_strbuf *sb, uint64_t bytes);

/**
 * record_show_totals() - append the totals of a finished recording, as lines for stderr; pure
 *
 * Events, bytes, seconds, file. Return: 0 or -ENOMEM.
 */
int record_show_totals(const struct record_request *req, const struct tfs_session_totals *t,
		       struct tfs_strbuf *sb);
/** record_show_lost() - append which CPUs lost events, if any, and a hint; pure */
int record_show_lost(const struct record_request *req, const struct tfs_session_totals *t,
		     struct tfs_strbuf *sb);
/**
 * record_show_files() - append the totals of a recording in several files; pure
 * @made, @kept: number of files written, and of those not removed
 */
int record_show_files(size_t made, size_t kept, uint64_t events, uint64_t lost,
		      struct tfs_strbuf *sb);

/**
 * record_show_plan() - append the shell commands for a recording
 * @setup: the steps of trace_plan(), without COMMAND's pid
 * @start: the steps of trace_plan_start()
 * @root: path of tracefs
 * @symbols: the text of record_symbols_show()
 *
 * Return: 0 or -ENOMEM.
 */
int record_show_plan(const struct record_request *req, const char *root,
		     const struct tfs_plan *setup, const struct tfs_plan *start,
		     const char *symbols, struct tfs_strbuf *sb);

#endif

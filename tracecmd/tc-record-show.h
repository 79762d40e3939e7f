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
 * record_show_totals() - append what a finished recording gave, as lines for stderr; pure
 *
 * Events, bytes, seconds, file. Return: 0 or -ENOMEM.
 */
int record_show_totals(const struct record_request *req, const struct tfs_session_totals *t,
		       struct tfs_strbuf *sb);
/** record_show_lost() - append which CPUs lost events and what helps, if any did; pure */
int record_show_lost(const struct record_request *req, const struct tfs_session_totals *t,
		     struct tfs_strbuf *sb);
/**
 * record_show_files() - append what a recording into several files gave in all; pure
 * @made, @kept: files that it made, and those that it did not remove again
 */
int record_show_files(size_t made, size_t kept, uint64_t events, uint64_t lost,
		      struct tfs_strbuf *sb);

/**
 * record_show_plan() - append what a recording would do as shell commands
 * @setup: the steps of trace_plan(), without COMMAND's pid
 * @start: the steps of trace_plan_start()
 * @root: path of tracefs
 * @symbols: what record_symbols_show() says
 *
 * Return: 0 or -ENOMEM.
 */
int record_show_plan(const struct record_request *req, const char *root,
		     const struct tfs_plan *setup, const struct tfs_plan *start,
		     const char *symbols, struct tfs_strbuf *sb);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_USER_TEXT_H
#define TFS_VIEW_USER_TEXT_H

#include <stdint.h>

#include "symbolize/symbolize.h"

struct tfs_event;
struct tfs_event_text;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_user_text - the text of events that hold addresses of programs, with names
 *
 * For any number of threads.
 */
struct tfs_user_text;

/**
 * struct tfs_user_text_counts - what was shown
 * @stacks: user stacks; @no_maps: of these, those of processes of which nothing is known
 * @addresses: of user stacks and uprobes; @why: of these, those without a name, by enum
 *	tfs_symbol_why
 */
struct tfs_user_text_counts {
	uint64_t stacks, no_maps, addresses;
	uint64_t why[TFS_SYMBOL_N_WHY];
};

/** tfs_user_text_new() - @trace outlives it; @opts as in symbolize.h. 0 or -ENOMEM */
int tfs_user_text_new(struct tfs_trace *trace, const struct tfs_symbolize_opts *opts,
		      struct tfs_user_text **out);
void tfs_user_text_free(struct tfs_user_text *u);

/**
 * tfs_user_text_line() - the text of a user stack, or of an event of a uprobe, as a line
 * @text: prints what is not an address
 *
 * "NAME+0xOFFSET (OBJECT)"; an address without a name is as without this, with its object where
 * that is known. Return: 1; 0: it is another event, nothing was appended; -ENOMEM.
 */
int tfs_user_text_line(struct tfs_user_text *u, struct tfs_event_text *text,
		       const struct tfs_event *event, struct tfs_strbuf *out);

/** tfs_user_text_counts() - add to @counts */
void tfs_user_text_counts(const struct tfs_user_text *u, struct tfs_user_text_counts *counts);

#endif

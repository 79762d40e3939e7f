/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_WEIGH_H
#define TFS_STACK_WEIGH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_event;
struct tfs_stack;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_weigh - what the stacks of events weigh, and how many events of which type there were
 *
 * Events without a stack have no weight; they are counted. One thread at a time.
 */
struct tfs_weigh;

/**
 * tfs_weigh_new() - for @n recordings, which outlive it
 * @field: whose value is the weight, "FIELD" or "EVENT.FIELD", outlives it; NULL: each event
 *	weighs 1
 *
 * Return: 0; -ENOENT if no event has such a field, with @err set; -ENOMEM.
 */
int tfs_weigh_new(struct tfs_trace *const *traces, size_t n, const char *field,
		  struct tfs_weigh **out, struct tfs_err *err);
void tfs_weigh_free(struct tfs_weigh *w);

/**
 * tfs_weigh_event() - the weight of an event's stack
 * @trim: enum tfs_fold_trim of its type
 *
 * Return: 1; 0: it has no weight, *@weight and *@trim are not set.
 */
int tfs_weigh_event(struct tfs_weigh *w, const struct tfs_event *event,
		    const struct tfs_stack *stack, uint64_t *weight, unsigned int *trim);

/** tfs_weigh_any() - did any event have a stack? */
bool tfs_weigh_any(const struct tfs_weigh *w);
/**
 * tfs_weigh_notes() - what was added up or left out, a sentence a line; 0 or -ENOMEM
 *
 * After the last event: damage of the recordings was found by then.
 */
int tfs_weigh_notes(const struct tfs_weigh *w, struct tfs_strbuf *out);

#endif

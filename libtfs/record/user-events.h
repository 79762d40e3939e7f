/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_USER_EVENTS_H
#define TFS_RECORD_USER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_subbuf;

/** TFS_USER_HITS_MAX - addresses that are kept: those that are met later have no names */
#define TFS_USER_HITS_MAX (1u << 22)

/**
 * struct tfs_user_hit - an address of a program that was met in a recording
 * @pid: process or thread
 * @is_thread: @pid is a thread's: uprobes do not record the process
 */
struct tfs_user_hit {
	uint64_t addr;
	uint32_t pid;
	bool is_thread;
};

/**
 * struct tfs_user_events - finds addresses of programs while ring buffers are read
 *
 * Readers scan what they took; each address is kept once.
 */
struct tfs_user_events;

/** tfs_user_events_new() - that looks for nothing yet; NULL without memory */
struct tfs_user_events *tfs_user_events_new(void);
void tfs_user_events_free(struct tfs_user_events *u);

/**
 * tfs_user_events_add() - look for addresses in events of this format
 * @format: text of a format: ftrace's user_stack, or that of a uprobe. One without such fields is
 *	ignored
 *
 * Before any thread scans. Return: 0 or -ENOMEM.
 */
int tfs_user_events_add(struct tfs_user_events *u, const char *format, size_t size);
/** tfs_user_events_wanted() - is there anything to look for? @u may be NULL */
bool tfs_user_events_wanted(const struct tfs_user_events *u);
/** tfs_user_events_fd() - eventfd: readable when there are new hits; borrowed; -1: none */
int tfs_user_events_fd(const struct tfs_user_events *u);

/** tfs_user_events_page() - scan a sub-buffer as the kernel wrote it; any thread */
void tfs_user_events_page(struct tfs_user_events *u, const struct tfs_subbuf *sub,
			  const void *page);

/** tfs_user_events_count() - how many hits there are; any thread */
size_t tfs_user_events_count(struct tfs_user_events *u);
/**
 * tfs_user_events_hit() - hit number @i, from 0 in the order they were found; any thread
 * Return: false if there are not so many.
 */
bool tfs_user_events_hit(struct tfs_user_events *u, size_t i, struct tfs_user_hit *out);

#endif

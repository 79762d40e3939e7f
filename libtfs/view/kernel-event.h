/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_KERNEL_EVENT_H
#define TFS_VIEW_KERNEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_event_text;
struct tfs_event;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_kernel_style - what of the layout depends on the kernel's release
 * @syscall_0x: arguments of system calls from 10 on have 0x in front (6.18 and later)
 * @lazy: flag 0x02 is a lazy request to reschedule (6.13 and later), not an unknown IRQ state
 * @migrate: a fifth column, the depth of migrate_disable (5.16 and later)
 * @pid_width: of the column after the task's name
 * @bh: the heading names disabled bottom halves (5.17 and later)
 * @lazy_depth: with PREEMPT_RT, columns for lazy requests and depth (TFS_FLAGS_LAZY)
 */
struct tfs_kernel_style {
	bool syscall_0x, lazy, migrate, bh, lazy_depth;
	int pid_width;
};

/**
 * tfs_kernel_style() - of a release
 * @release: "6.1.0-40-amd64"; NULL or anything else than a release: the newest style
 */
struct tfs_kernel_style tfs_kernel_style(const char *release);

/** tfs_kernel_style_of() - of the kernel that recorded */
struct tfs_kernel_style tfs_kernel_style_of(const struct tfs_trace *trace);

/** tfs_kernel_head() - append the lines above the first record; 0 or -ENOMEM */
int tfs_kernel_head(const struct tfs_kernel_style *style, struct tfs_strbuf *out);
/** tfs_kernel_flags() - write the columns of @flags (struct tfs_event), up to 7; the byte after */
char *tfs_kernel_flags(const struct tfs_kernel_style *style, unsigned int flags, char *p);

/**
 * struct tfs_kernel_event - how records are printed
 * @stamp: appends a time stamp as the lines have it
 */
struct tfs_kernel_event {
	struct tfs_trace *trace;
	struct tfs_event_text *event_text;
	const struct tfs_kernel_style *style;
	int (*stamp)(const struct tfs_trace *trace, uint64_t ts, struct tfs_strbuf *out);
};

struct tfs_event_type;

/** tfs_kernel_number() - the field @name of a record of @type; 0 where there is none */
uint64_t tfs_kernel_number(const struct tfs_event_type *type, const char *name, const void *data,
			   size_t size);

/**
 * tfs_kernel_event() - append the text after the time stamp, with its newline
 * @event: of a known type
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_kernel_event(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		     struct tfs_strbuf *out);

#endif

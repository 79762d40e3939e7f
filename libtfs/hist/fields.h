/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_FIELDS_H
#define TFS_HIST_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist/rows.h"

struct tfs_err;
struct tfs_field;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;
struct tfs_value;

/** TFS_HIST_FIELDS_MAX - fields at most */
#define TFS_HIST_FIELDS_MAX 16
/** TFS_HIST_KEYS_MAX, TFS_HIST_VALUES_MAX - fields and sums at most of one of the kernel's */
#define TFS_HIST_KEYS_MAX 3
#define TFS_HIST_VALUES_MAX 2

/**
 * enum tfs_hist_kind - what a field holds
 * @TFS_HIST_OTHER: the kernel's histograms have no such keys, or print them in another way, or it
 *	is not known yet: a field of a probe
 */
enum tfs_hist_kind { TFS_HIST_OTHER, TFS_HIST_UNSIGNED, TFS_HIST_SIGNED, TFS_HIST_STRING };

/**
 * struct tfs_hist_field - a field of one event
 * @name: borrowed, or @own
 * @own: of one that was given with a modifier
 * @syscall: its numbers are those of system calls
 * @log2: counted by powers of two
 */
struct tfs_hist_field {
	const char *name;
	char *own;
	enum tfs_hist_kind kind;
	bool syscall, log2;
};

/**
 * struct tfs_hist_event - an event that is counted by fields; all borrowed
 * @name: "system:event"; NULL: it is not there yet, and its fields are not known
 * @filter: kernel filter; NULL: none
 * @trigger: its histogram, if that is not made of the fields; NULL: it is
 */
struct tfs_hist_event {
	const char *name;
	const char *filter;
	const char *trigger;
};

/**
 * struct tfs_hist_fields - the fields that events are counted by; zeroed: none
 * @n: fields
 * @v: @n fields of each of @n_events events
 * @separator: between the values of a key; 0: a comma
 * @sums: names of @n_sums values that are added up, TFS_HIST_SUMS_MAX at most (hist/rows.h)
 * @kernel: the kernel has histograms, and they take all of these
 * @syscall: name of a system call by its number, NULL if it has none; itself NULL: no names
 * @syscalls: for @syscall; borrowed
 */
struct tfs_hist_fields {
	size_t n, n_events;
	struct tfs_hist_field *v;
	char separator;
	const char *sums[TFS_HIST_SUMS_MAX];
	size_t n_sums;
	bool kernel;
	const char *(*syscall)(const void *syscalls, int64_t nr);
	const void *syscalls;
};

void tfs_hist_fields_release(struct tfs_hist_fields *fields);

/**
 * tfs_hist_fields_find() - look the fields up in the formats of the events
 * @names: with .syscall or .log2 after them, as the kernel's histograms have it; outlives @fields,
 *	of which @syscall and @syscalls stay
 *
 * Return: 0; -ENOENT with suggestions: an event has no such field; -EINVAL: there is no such
 * modifier, or the field is text; -errno.
 */
int tfs_hist_fields_find(const struct tfs_strvec *names, const struct tfs_hist_event *events,
			 size_t n, const struct tfs_root *root, struct tfs_hist_fields *fields,
			 struct tfs_err *err);

/** tfs_hist_fields_twice() - is one of the @n fields there twice? The kernel counts by it once. */
bool tfs_hist_fields_twice(const struct tfs_hist_field *v, size_t n);

/** tfs_hist_fields_missing() - set @err to that the event has only other fields: @names */
int tfs_hist_fields_missing(const char *event, const char *field, const struct tfs_strvec *names,
			    struct tfs_err *err);

/**
 * tfs_hist_fields_print() - a value as part of a key: a number, the name of a system call, the
 *	power of two as a histogram has it ("~ 2^5": above 2^4, up to 2^5), or a word; other text
 *	in quotes
 * @f: how it is to be read; only its kind and what its numbers mean count here
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_hist_fields_print(const struct tfs_hist_fields *fields, const struct tfs_hist_field *field,
			  const struct tfs_field *f, const struct tfs_value *v,
			  struct tfs_strbuf *sb);

#endif

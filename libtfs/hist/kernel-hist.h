/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_KERNEL_HIST_H
#define TFS_HIST_KERNEL_HIST_H

#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_hist_event;
struct tfs_hist_fields;
struct tfs_hist_rows;
struct tfs_instance;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_hists - a histogram of the kernel for each event; all borrowed
 * @events: @n events
 * @inst: the instance that their triggers are in
 */
struct tfs_hists {
	const struct tfs_hist_fields *fields;
	const struct tfs_hist_event *events;
	size_t n;
	const struct tfs_root *root;
	const struct tfs_instance *inst;
};

/**
 * tfs_hist_trigger() - the trigger by which the kernel counts an event
 * @command: "" to make it; "clear" or "pause", for one that is there
 *
 * The syntax is that of the kernel's trace/histogram.rst. Return: 0 or -ENOMEM.
 */
int tfs_hist_trigger(const struct tfs_hist_fields *fields, const struct tfs_hist_event *event,
		     const char *command, struct tfs_strbuf *sb);

/**
 * tfs_hist_parse() - the rows of a histogram
 * @event: index; its rows get the counts
 * @text: of the file hist, NUL-terminated
 * @dropped: events that found no room in the histogram are added
 *
 * Return: 0; -EBADMSG if it is not such a text; -ENOMEM.
 */
int tfs_hist_parse(const struct tfs_hist_fields *fields, size_t event, const char *text,
		   struct tfs_hist_rows *rows, uint64_t *dropped);

/** tfs_hists_command() - "clear" or "pause" all; 0 or -errno with @err set */
int tfs_hists_command(const struct tfs_hists *hists, const char *command, struct tfs_err *err);

/**
 * tfs_hists_from_exec() - all begin anew when this task executes a program
 *
 * But for that of the exec itself, which counts it. The trigger is removed with the instance.
 * Return: 0 or -errno with @err set.
 */
int tfs_hists_from_exec(const struct tfs_hists *hists, int pid, struct tfs_err *err);

/** tfs_hists_read() - the rows of all; @dropped is set. 0 or -errno with @err set */
int tfs_hists_read(const struct tfs_hists *hists, struct tfs_hist_rows *rows, uint64_t *dropped,
		   struct tfs_err *err);

#endif

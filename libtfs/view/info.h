/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_INFO_H
#define TFS_VIEW_INFO_H

struct tfs_err;
struct tfs_out;
struct tfs_trace;

/** enum tfs_info - facts of a recording that can be printed without its records */
enum tfs_info {
	TFS_INFO_PAGE_SIZE, /* of its sub-buffers, and of this machine */
	TFS_INFO_ENDIAN,    /* byte order, and that of this machine */
	TFS_INFO_FORMATS,   /* the format files of its events */
	TFS_INFO_FUNCTIONS, /* addresses and names of the kernel's functions */
	TFS_INFO_PRINTK,    /* addresses and texts of trace_printk() */
	TFS_INFO_EVENTS,    /* "system:event" of every event, sorted */
};

/**
 * tfs_info_print() - one of these, as trace-cmd report prints it
 * @events: for TFS_INFO_FORMATS: only events that this basic regular expression matches, or that
 *          the two around a colon match, for system and event; NULL: all
 *
 * Return: 0; -ENOENT when no event matches; -EINVAL for a bad expression; -ENOMEM, or what
 * writing failed with; @err is set.
 */
int tfs_info_print(struct tfs_trace *trace, enum tfs_info what, const char *events,
		   struct tfs_out *out, struct tfs_err *err);

/**
 * tfs_info_check_events() - can a report print all events of the recording in full?
 *
 * By our parser or libtraceevent's; opened with tfs_trace_opts.compat, by libtraceevent's.
 *
 * Return: 0; -EBADMSG with @err naming those that cannot; -ENOMEM.
 */
int tfs_info_check_events(struct tfs_trace *trace, struct tfs_err *err);

#endif

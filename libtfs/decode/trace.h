/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_TRACE_H
#define TFS_DECODE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

struct tep_handle;
struct tfs_dat;
struct tfs_err;
struct tfs_format_env;
struct tfs_strvec;

/**
 * enum tfs_trace_text - how events are shown as text, where that decides how they are parsed
 * @TFS_TRACE_FIELDS: all fields as name=value (-R)
 * @TFS_TRACE_TIMES: time stamps within an event's text as those before it: in the units of the
 *	recording's clock, @TFS_TRACE_NSECS with all digits (-t), @TFS_TRACE_RAW_TS as recorded.
 *	Without it, as libtraceevent's function plugin has them (func_repeats)
 */
enum tfs_trace_text {
	TFS_TRACE_FIELDS = 1 << 0,
	TFS_TRACE_TIMES = 1 << 1,
	TFS_TRACE_NSECS = 1 << 2,
	TFS_TRACE_RAW_TS = 1 << 3,
};

/**
 * struct tfs_trace_opts - how events are to be understood
 * @no_plugins: load no libtraceevent plugins at all (-N)
 * @local_plugins: load only those of the user's directory (-L)
 * @plugin_options: "[plugin:]option[=value]" strings (-O), @n_plugin_options of them; borrowed
 * @plugin_dir: one more directory of plugins, loaded after libtraceevent's; NULL for none
 * @kernel: for tfs_kernel_lines_new(): texts as the kernel's, no plugins
 * @raw_events: events that show their fields, as -R (-r); each a basic regular expression for the
 *              whole name of event or system
 * @plain_events: the same, those that are not printed by plugins (-n)
 * @kallsyms: symbols besides the recording's, see tfs_trace_read_symbols(); borrowed as long as
 *            the trace lives; NULL for none
 * @compat: text as trace-cmd report prints it, wherever libtraceevent or a plugin of its errs too
 *          (--compat); else values are the kernel's
 * @text: enum tfs_trace_text
 */
struct tfs_trace_opts {
	bool no_plugins;
	bool kernel;
	bool local_plugins;
	const char *const *plugin_options;
	size_t n_plugin_options;
	const char *plugin_dir;
	const struct tfs_strvec *raw_events, *plain_events;
	const char *kallsyms;
	bool compat;
	unsigned int text;
};

/**
 * struct tfs_trace - a recording and what its events mean
 *
 * The file, and libtraceevent's handle filled with its formats, symbols, printk formats, task
 * names and plugins. It corrects libtraceevent where that misreads recordings of another
 * architecture, so that they print the same text on every machine (Documentation/adr/).
 * libtraceevent keeps parser state in globals: open traces on one thread.
 */
struct tfs_trace;

/**
 * tfs_trace_read_symbols() - a file of symbols like /proc/kallsyms as it is
 * @out: the caller's, free()
 *
 * Return: 0; -EINVAL if it is not such a file; -errno.
 */
int tfs_trace_read_symbols(const char *path, char **out, struct tfs_err *err);

int tfs_trace_open(const char *path, const struct tfs_trace_opts *opts, struct tfs_trace **out,
		   struct tfs_err *err);
/** tfs_trace_open_dat() - the same of an open file, which is taken over, also on failure */
int tfs_trace_open_dat(struct tfs_dat *dat, const struct tfs_trace_opts *opts,
		       struct tfs_trace **out, struct tfs_err *err);
void tfs_trace_free(struct tfs_trace *trace);

/* Borrowed; live as long as @trace. */
struct tfs_dat *tfs_trace_dat(const struct tfs_trace *trace);
struct tep_handle *tfs_trace_tep(const struct tfs_trace *trace);
/** tfs_trace_env() - what all its formats have in common: byte order, symbols, strings */
const struct tfs_format_env *tfs_trace_env(const struct tfs_trace *trace);

/**
 * tfs_trace_use_symbols() - let tfs_trace_env() look symbols up
 *
 * They are read when the first event is met whose print format needs them; whoever looks some up
 * itself calls this before. Return: 0 or -ENOMEM.
 */
int tfs_trace_use_symbols(struct tfs_trace *trace);

/** tfs_trace_release() - of the kernel that recorded; NULL: not known. Ends at a blank */
const char *tfs_trace_release(const struct tfs_trace *trace);
/** tfs_release_version() - "6.1.0-40-amd64": 6001; UINT_MAX: not known */
unsigned int tfs_release_version(const char *release);

/* As opened: see struct tfs_trace_opts */
bool tfs_trace_is_compat(const struct tfs_trace *trace);
const char *tfs_trace_kallsyms(const struct tfs_trace *trace);

/**
 * tfs_trace_take_turns() - one recording at a time in libtraceevent, whose state is not each one's
 * @with: outlives the use of @trace, or @trace itself: on its own again
 *
 * For recordings that are shown together; while no thread uses either.
 */
void tfs_trace_take_turns(struct tfs_trace *trace, struct tfs_trace *with);

/**
 * tfs_trace_set_inert() - what follows is for a terminal: text from the file is shown so that
 * nothing in it acts on the terminal or looks like another line (see base/inert.h)
 *
 * Before anything is printed; not for rows, which see to it themselves (struct tfs_export_opts).
 */
void tfs_trace_set_inert(struct tfs_trace *trace);
bool tfs_trace_is_inert(const struct tfs_trace *trace);

/**
 * tfs_trace_check_memory() - was there memory for all that libtraceevent was asked for?
 *
 * Return: 0, or -ENOMEM: what was shown since may be wrong.
 */
int tfs_trace_check_memory(const struct tfs_trace *trace, struct tfs_err *err);

/**
 * tfs_trace_lacks() - plugins of libtraceevent's that were wanted, could not be loaded, and would
 * have printed events that were met since otherwise
 *
 * Return: the file name of the @i-th; NULL: there are no more.
 */
const char *tfs_trace_lacks(const struct tfs_trace *trace, size_t i);

/** tfs_trace_comm() - task name of a pid, "<...>" if unknown, "<idle>" for 0 */
const char *tfs_trace_comm(const struct tfs_trace *trace, int pid);

/**
 * tfs_trace_task_name() - the one name that views give to a task
 * @seen: the name it had in events, "" or NULL if none
 *
 * A task may have several names in its life. All views show the one that the recording holds
 * (saved_cmdlines: the last), as the lines of the text do, else @seen.
 * Return: "" if no name is known. As long as @trace and @seen live, and not while events are
 * printed in another thread.
 */
const char *tfs_trace_task_name(const struct tfs_trace *trace, int pid, const char *seen);

#endif

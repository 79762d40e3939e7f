/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_KEEP_H
#define TC_TRACE_KEEP_H

struct tfs_err;
struct tfs_instance;
struct tfs_session;
struct tfs_strbuf;
struct trace_live;

/**
 * struct trace_keep - the events of a live run in a file, as tc-record writes it
 *
 * The ring buffers are read once, by the live source: trace_keep_page() gets each sub-buffer. May
 * begin and end at any time of the run; before trace_live_end(). One thread.
 */
struct trace_keep;

/**
 * trace_keep_new() - begin the file
 * @inst: instance of the main buffer, which is read
 * @program: for messages
 * @output: borrowed until trace_keep_end()
 *
 * Return: 0 or -errno with @err set, and no file is left.
 */
int trace_keep_new(struct trace_live *live, const struct tfs_instance *inst, const char *program,
		   const char *output, struct trace_keep **out, struct tfs_err *err);
/** trace_keep_page() - a sub-buffer that was read: trace_live_opts.page; 0 or -errno, @err set */
int trace_keep_page(struct trace_keep *k, unsigned int cpu, const void *page, struct tfs_err *err);
/** trace_keep_tick() - have what was read in the file, now and then; 0 or -errno with @err set */
int trace_keep_tick(struct trace_keep *k, struct tfs_err *err);
/** trace_keep_session() - what writes the file, for its options and clocks; borrowed */
struct tfs_session *trace_keep_session(const struct trace_keep *k);
/**
 * trace_keep_end() - complete the file, and free @k
 * @said: "7 events in FILE" is appended, after success
 *
 * The file has what was read until now, also after a failure of something else.
 * Return: 0 or -errno with @err set.
 */
int trace_keep_end(struct trace_keep *k, struct tfs_strbuf *said, struct tfs_err *err);

#endif

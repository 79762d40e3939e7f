/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_SESSION_H
#define TC_RECORD_SESSION_H

struct record_profile;
struct record_request;
struct tfs_record_sink;
struct tfs_err;
struct tfs_journal;
struct tfs_probe_defs;
struct tfs_record_remote;
struct tfs_root;
struct tfs_session;
struct tfs_strvec;

/** RECORD_TOP_NAME - of the top level's buffer in the file, beside a main buffer */
#define RECORD_TOP_NAME "top"

/**
 * struct record_from - input of record_session_start(); all borrowed
 * @req: its buffers are placed and set up, with tracing off
 * @journal: NULL for none
 * @names: of all events that there are: -a
 * @defs: the probes of -p
 * @profile: of --profile-cpu
 * @sink: --stream; NULL: none
 * @remote: of -N; NULL: into a file
 */
struct record_from {
	const struct record_request *req;
	const struct tfs_root *root;
	struct tfs_journal *journal;
	const struct tfs_strvec *names;
	const struct tfs_probe_defs *defs;
	const struct record_profile *profile;
	const struct tfs_record_sink *sink;
	const struct tfs_record_remote *remote;
};

/**
 * record_session_start() - begin the file and start the readers, with the priority of -r
 * @out: set as soon as there is a session, also when what comes then fails
 *
 * Return: 0 or -errno with @err set.
 */
int record_session_start(const struct record_from *from, struct tfs_session **out,
			 struct tfs_err *err);

#endif

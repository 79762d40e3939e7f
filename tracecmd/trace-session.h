/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_SESSION_H
#define TC_TRACE_SESSION_H

struct tfs_err;
struct tfs_journal;
struct tfs_session;
struct tfs_session_opts;
struct tfs_strvec;

/**
 * trace_session_new() - tfs_session_new(), with names of functions where the kernel hides them
 *
 * If kptr_restrict is 2, even root reads zeros in kallsyms, and no report could name a function;
 * if it is 1, root reads addresses (Documentation/admin-guide/sysctl/kernel.rst). It is set to 1
 * while the file's head is written, and then restored.
 * The soft limit of open files is raised: there are two for each CPU.
 * @program: for the message if it cannot be restored
 * @journal: restores it if the program is killed meanwhile; NULL for none
 *
 * Return: as tfs_session_new().
 */
int trace_session_new(const struct tfs_session_opts *so, const char *program,
		      struct tfs_journal *journal, struct tfs_session **out, struct tfs_err *err);

/**
 * trace_session_own() - note in the file which threads' events are left out (dat-recorder.h)
 * @own: the numbers that events have for them; none where these are not known
 *
 * Return: 0 or -ENOMEM.
 */
int trace_session_own(struct tfs_session *session, const struct tfs_strvec *own);

#endif

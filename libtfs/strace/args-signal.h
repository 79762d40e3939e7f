/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_ARGS_SIGNAL_H
#define TFS_STRACE_ARGS_SIGNAL_H

struct tfs_args_opts;
struct tfs_call_signal;
struct tfs_strbuf;

/** tfs_args_signal() - append what is known of a signal: "SIGINT {si_signo=SIGINT, ...}" */
int tfs_args_signal(const struct tfs_args_opts *opts, const struct tfs_call_signal *sig,
		    struct tfs_strbuf *out);

/** tfs_args_signal_name() - append "SIGINT", or the number */
int tfs_args_signal_name(int sig, struct tfs_strbuf *out);

#endif

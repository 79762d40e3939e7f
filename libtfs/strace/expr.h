/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_EXPR_H
#define TFS_STRACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"
#include "strace/call-set.h"

struct tfs_call;
struct tfs_err;
struct tfs_strbuf;

/** enum tfs_expr_status - how a call ended (-e status=) */
enum tfs_expr_status {
	TFS_EXPR_SUCCESSFUL = 1 << 0,
	TFS_EXPR_FAILED = 1 << 1,
	TFS_EXPR_UNFINISHED = 1 << 2,  /* it does not return */
	TFS_EXPR_UNAVAILABLE = 1 << 3, /* its return was not recorded */
	TFS_EXPR_DETACHED = 1 << 4,    /* tracing ended before it did */
	TFS_EXPR_ANY_STATUS = (1 << 5) - 1,
};

/** enum tfs_expr_quiet - messages that are left out (-e quiet=, -q) */
enum tfs_expr_quiet {
	TFS_EXPR_QUIET_ATTACH = 1 << 0,
	TFS_EXPR_QUIET_EXIT = 1 << 1,
	TFS_EXPR_QUIET_PATH = 1 << 2,
	TFS_EXPR_QUIET_PERSONALITY = 1 << 3,
	TFS_EXPR_QUIET_EXEC = 1 << 4,
	TFS_EXPR_QUIET_SUPERSEDED = 1 << 5,
	TFS_EXPR_QUIET_ALL = (1 << 6) - 1,
};

/** enum tfs_expr_decode - what is shown of descriptors (-e decode-fds=) */
enum tfs_expr_decode {
	TFS_EXPR_FD_PATH = 1 << 0,
	TFS_EXPR_FD_SOCKET = 1 << 1,
	TFS_EXPR_FD_DEVICE = 1 << 2,
	TFS_EXPR_FD_OTHER = 1 << 3, /* pidfd, eventfd, signalfd */
	TFS_EXPR_FD_ALL = (1 << 4) - 1,
};

/** enum tfs_expr_kind - what an expression is about */
enum tfs_expr_kind {
	TFS_EXPR_TRACE,
	TFS_EXPR_STATUS,
	TFS_EXPR_SIGNAL,
	TFS_EXPR_FD,
	TFS_EXPR_QUIET,
	TFS_EXPR_ABBREV,
	TFS_EXPR_VERBOSE,
	TFS_EXPR_RAW,
	TFS_EXPR_DECODE_FD,
	TFS_EXPR_DECODE_PID,
	TFS_EXPR_EVENT, /* SYSTEM:EVENT */
	TFS_EXPR_N,
};

/**
 * struct tfs_expr - what is shown, as strace's -e and -P say it
 * @abi: of the recording, for names that have to exist; SYS_ABI_NONE: not known yet
 * @given: bits 1 << enum tfs_expr_kind of what was given
 * @calls: trace=; all at first
 * @raw: raw=: calls whose arguments are shown as numbers; none at first
 * @unabbreviated: calls that abbrev= does not name; none at first
 * @statuses: enum tfs_expr_status
 * @signals: bit N - 1 is signal N; all at first
 * @fds: @n_fds descriptors, or all others if @fds_inverted
 * @paths: -P
 * @quiet: enum tfs_expr_quiet
 * @decode: enum tfs_expr_decode
 * @comms: decode-pids=comm
 * @events: SYSTEM:EVENT as typed, without "!"; other events of the kernel
 */
struct tfs_expr {
	enum sys_abi abi;
	unsigned int given;
	struct tfs_call_set calls, raw, unabbreviated;
	unsigned int statuses;
	uint64_t signals;
	int *fds;
	size_t n_fds;
	bool fds_inverted;
	struct tfs_strvec paths;
	unsigned int quiet, decode;
	bool comms;
	struct tfs_strvec events;
};

/** tfs_expr_init() - everything is shown; 0 or -ENOMEM. Release it after a failure, too */
int tfs_expr_init(struct tfs_expr *e, enum sys_abi abi);
void tfs_expr_release(struct tfs_expr *e);

/**
 * tfs_expr_add() - one -e: "KIND=LIST", "SYSTEM:EVENT", or a LIST of system calls
 *
 * As in strace the last of a kind counts, but events add up. Pure.
 * Return: 0; -EINVAL, -ENOENT, -ERANGE with @err set; -EOPNOTSUPP for what only a debugger can do
 * (inject=, fault=, read=, write=, kvm=); -ENOMEM.
 */
int tfs_expr_add(struct tfs_expr *e, const char *text, struct tfs_err *err);

/** tfs_expr_add_path() - one -P; 0 or -ENOMEM */
int tfs_expr_add_path(struct tfs_expr *e, const char *path);

/** tfs_expr_wants_call() - is it one of the calls of trace=? */
bool tfs_expr_wants_call(const struct tfs_expr *e, const struct tfs_call *call);

/** tfs_expr_wants_raw() - is it one of the calls of raw=? */
bool tfs_expr_wants_raw(const struct tfs_expr *e, const struct tfs_call *call);

/** tfs_expr_status() - how a call ended that was reported as ended */
enum tfs_expr_status tfs_expr_status(const struct tfs_call *call);

/** tfs_expr_wants_signal() - is this signal shown? */
bool tfs_expr_wants_signal(const struct tfs_expr *e, int sig);

/** tfs_expr_has_targets() - are only calls shown that use some descriptors or paths? */
bool tfs_expr_has_targets(const struct tfs_expr *e);

/**
 * tfs_expr_wants_target() - does a call use one of the descriptors or paths?
 * @path_of: path of a descriptor of the call's process, NULL: not known; may itself be NULL
 * @ctx: for @path_of
 *
 * True if neither was asked for. One match of either kind is enough.
 */
bool tfs_expr_wants_target(const struct tfs_expr *e, const struct tfs_call *call,
			   const char *(*path_of)(void *ctx, const struct tfs_call *call, int fd),
			   void *ctx);

/**
 * tfs_expr_kernel_filter() - a filter for raw_syscalls events that lets the calls of @e through
 * @also: other calls that are needed; NULL: none
 * @abi: of the running kernel; what its 32-bit tasks call passes, too
 * @max: at most so many comparisons; each costs in every call that is made
 * @out: "id==0||id==1", or "id!=3&&id!=4"; unchanged if all calls pass or it would be too long
 *
 * It may let others pass, as numbers of ABIs overlap; so do returns from signal handlers, which
 * have the number -1. Return: 0 or -ENOMEM.
 */
int tfs_expr_kernel_filter(const struct tfs_expr *e, const struct tfs_call_set *also,
			   enum sys_abi abi, size_t max, struct tfs_strbuf *out);

#endif

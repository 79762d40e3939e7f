/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_ARGS_H
#define TFS_STRACE_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_call;
struct tfs_strbuf;

/** TFS_ARGS_STRING - bytes of a string that are shown unless asked otherwise (-s) */
#define TFS_ARGS_STRING 32

/**
 * enum tfs_args_names - how numbers with names are shown (-X)
 * @TFS_ARGS_ABBREV: by name: O_RDONLY
 * @TFS_ARGS_RAW: as numbers: 0
 * @TFS_ARGS_VERBOSE: both: 0 (O_RDONLY)
 */
enum tfs_args_names { TFS_ARGS_ABBREV, TFS_ARGS_RAW, TFS_ARGS_VERBOSE };

/** enum tfs_args_hex - which strings are shown in hexadecimal: none, those with odd bytes, all */
enum tfs_args_hex { TFS_ARGS_HEX_NONE, TFS_ARGS_HEX_ODD, TFS_ARGS_HEX_ALL };

/**
 * struct tfs_args_opts - how arguments are shown
 * @max_string: bytes of a string; paths are never cut (-s)
 * @parameters: with their names, "fd=3" (-N)
 * @fd: appends what a descriptor of the call's process is ("</dev/null>"), after its number, or
 *	after AT_FDCWD (@fd is -100); NULL: nothing (-y)
 */
struct tfs_args_opts {
	enum tfs_args_names names;
	enum tfs_args_hex hex;
	size_t max_string;
	bool parameters;
	int (*fd)(void *ctx, const struct tfs_call *call, int fd, struct tfs_strbuf *out);
	void *ctx;
};

/**
 * tfs_args_enter() - append the arguments that are known when the call begins, with ", " between
 *
 * Arguments that the kernel fills, and those after them, are left for tfs_args_exit(): @call->shown
 * says how many were shown. Return: 0 or -errno of @opts->fd, or -ENOMEM.
 */
int tfs_args_enter(const struct tfs_args_opts *opts, struct tfs_call *call, struct tfs_strbuf *out);

/** tfs_args_exit() - append the others; @call->ret is known, unless it did not return */
int tfs_args_exit(const struct tfs_args_opts *opts, const struct tfs_call *call,
		  struct tfs_strbuf *out);

/** tfs_args_result_is_fd() - is what the call returns, unless it fails, a descriptor? */
bool tfs_args_result_is_fd(const struct tfs_call *call);

/** tfs_args_result() - append what comes after "= ": "-1 ENOENT (No such file or directory)" */
int tfs_args_result(const struct tfs_args_opts *opts, const struct tfs_call *call,
		    struct tfs_strbuf *out);

/**
 * tfs_args_json() - append the arguments as members of a JSON object: "fd":3,"count":12
 *
 * Numbers as the call's prototype has them; registers by number, "arg0", if it is not known.
 */
int tfs_args_json(const struct tfs_call *call, struct tfs_strbuf *out);

/** tfs_args_name() - append the call's name, or "syscall_0x123" */
int tfs_args_name(const struct tfs_call *call, struct tfs_strbuf *out);

#endif

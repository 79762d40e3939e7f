/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_CALL_VIEW_H
#define TESTS_LIB_CALL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strace/strace.h"

/* Recordings of system calls whose lines are known one by one */

/* Events, and what @nr and @args of struct call_event are */
enum call_event_kind {
	CALL_ENTER = 60, /* number, registers */
	CALL_LEAVE,      /* number, result */
	CALL_NEWTASK,    /* child, clone flags */
	CALL_FORK,       /* child */
	CALL_EXEC,       /* old pid */
	CALL_TASK_END,
	CALL_SIGNAL, /* signal, errno, code, handler */
	CALL_OTHER,  /* a number */
	CALL_VECTOR,
	/* A recording has the formats of these only if it has one of them. */
	CALL_OPENAT,        /* syscalls:sys_enter_openat of Linux 7.3: number, registers, @text */
	CALL_WRITE,         /* syscalls:sys_enter_write: the same */
	CALL_GETNAME,       /* result, address in the program, @text */
	CALL_TEXTS,         /* of a probe on sys_enter_renameat: number, @text and @other */
	CALL_BEFORE,        /* of a probe before the call: the same */
	CALL_RENAME = 75,   /* task; its name becomes "new-N", N its first argument */
	CALL_SWITCH = 76,   /* next task, state */
	CALL_WAKING = 77,   /* task, common_flags */
	CALL_ISSUE = 78,    /* sector, device, bytes */
	CALL_COMPLETE = 79, /* sector, device */
	CALL_FAULT = 80,    /* address */
};

struct call_event {
	enum call_event_kind kind;
	uint32_t pid;
	uint64_t ts;
	int64_t nr;
	uint64_t args[6];
	uint32_t lost; /* events before it */
	const char *text, *other;
	uint32_t text_size; /* 0: up to its end, and with it; none without @text */
};

#define CALL(kind_, pid_, ts_, nr_, ...)                                                         \
	{                                                                                        \
		.kind = CALL_##kind_, .pid = pid_, .ts = ts_, .nr = nr_, .args = { __VA_ARGS__ } \
	}

#define N_CALLS(events) (sizeof(events) / sizeof((events)[0]))

/** call_build() - a recording of an x86_64 machine with one CPU, as a memfd */
int call_build(const struct call_event *events, size_t n);

/**
 * call_show() - what the view shows of these events, in static memory
 * @opts: without trace and abi
 * @fail: this allocation of the view fails; SIZE_MAX: none does
 * @failed: there were so many; may be NULL
 * @rc: result; NULL: it has to be 0
 */
const char *call_show(const struct call_event *events, size_t n, struct tfs_strace_opts opts,
		      size_t fail, bool *failed, int *rc);

/** call_opts() - as strace without options shows calls of one process */
struct tfs_strace_opts call_opts(void);

#endif

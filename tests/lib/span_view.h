/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_SPAN_VIEW_H
#define TESTS_LIB_SPAN_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "span/span.h"

/* Recordings whose spans are known one by one */

/* Events, with the fields that @a, @b and @c of struct span_event are */
enum span_kind {
	CALL_EXIT = 10,  /* function, depth, ns that it took */
	CALL_ENTRY = 11, /* function, depth */
	SWITCH = 60,     /* prev_state, next_pid; prev_pid is the event's */
	WAKING,          /* pid, target_cpu */
	WAKEUP,
	WAKEUP_NEW,
	MIGRATE, /* pid, dest_cpu */
	READ_ENTER,
	READ_EXIT,
	RAW_ENTER, /* number */
	RAW_EXIT,
	IRQ_ENTRY, /* number */
	IRQ_EXIT,
	SOFTIRQ_ENTRY, /* vec */
	SOFTIRQ_EXIT,
	TIMER_ENTRY,
	TIMER_EXIT,
	ISSUE, /* dev, sector */
	COMPLETE,
	PROBE,
	RETURN,
	CUT = 200, /* not an event: the rest of the CPU's data cannot be read */
};

/* Functions @a of CALL_ENTRY and CALL_EXIT */
enum span_func { ALPHA = 1, BETA, GAMMA, SYSVEC };

struct span_event {
	enum span_kind kind;
	uint32_t pid, cpu;
	uint64_t ts;
	uint64_t a, b, c;
	uint32_t lost; /* events before it on its CPU */
	uint32_t flags;
};

#define EV(kind_, pid_, cpu_, ts_, ...)                                           \
	{                                                                         \
		.kind = kind_, .pid = pid_, .cpu = cpu_, .ts = ts_, ##__VA_ARGS__ \
	}

#define SPAN_CPUS 2
#define N_SPAN_EVENTS(events) (sizeof(events) / sizeof(*(events)))

/*
 * Options, and the result: @text has a line for each span and gap,
 *	KIND NAME tid N cpu N BEGIN-END [state NAME] [depth N] [FLAG]...
 *	gap cpu N BEGIN-END COUNT [missing]
 */
struct span_view {
	struct tfs_spans_opts opts;
	struct tfs_strvec pairs;
	struct tfs_strbuf text;
	struct tfs_spans_counts counts;
	struct tfs_err err;
	const char *syscall;      /* the name of system call 7 */
	const uint32_t *recorder; /* threads of the recorder, 0 at the end; NULL: not known */
};

/** span_set_up() - a struct span_view that asks for all kinds; span_tear_down() releases it */
int span_set_up(void **state);
int span_tear_down(void **state);
/** span_build() - a recording of these events, as a memfd */
int span_build(const struct span_event *events, size_t n);
/** span_run() - the spans of @n recordings of span_build(), merged. 0 or -errno */
int span_run(const int *fds, size_t n, struct span_view *v);
/** span_expect() - the spans of these events are these lines */
void span_expect(struct span_view *v, const struct span_event *events, size_t n, const char *text);

#endif

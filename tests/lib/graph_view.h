/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_GRAPH_VIEW_H
#define TESTS_LIB_GRAPH_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "filter/select.h"
#include "view/graph.h"

struct tfs_trace;

/* Recordings whose calls are known one by one: texts and sums are arithmetic. */
#define CPUS 2
#define FLAG_HARDIRQ 8
#define N_EVENTS(events) (sizeof(events) / sizeof(*(events)))

enum kind {
	EXIT = 10,
	ENTRY = 11,
	ENTRY_FROM = 12,
	WORK = 50,
	DONE,
	NOTE,
	SYS_READ,
	READ_DONE,
	SYS_EXIT, /* without an end */
	EXIT_DONE,
	PROBE,
	RETURN,
	OPEN
};

enum func { A = 1, B, C, D, IRQ_ENTER, TICK, COLD, BEHIND, SYSVEC };

/*
 * @ts: of the record; @took: of an exit: ns from calltime to rettime; of another event: its key;
 * @value: return value, first argument, or caller; of WORK and DONE the field "dev"; @lost: events
 * before it; @late: ns from rettime to the record
 */
struct event {
	enum kind kind;
	uint32_t pid;
	enum func func;
	uint32_t depth;
	uint64_t ts, took, value;
	uint32_t cpu, flags, lost, late;
};

#define EV(kind_, pid_, func_, depth_, ts_, ...)                                       \
	{                                                                              \
		.kind = kind_, .pid = pid_, .func = func_, .depth = depth_, .ts = ts_, \
		##__VA_ARGS__                                                          \
	}

/* The options, the records, the output, and the notice of tfs_graph_missed() */
struct view {
	struct tfs_graph_opts opts;
	struct tfs_select_opts select;
	struct tfs_strvec funcs, callers, pairs;
	struct tfs_strbuf text;
	struct tfs_strvec other, other_callers;
	struct tfs_err err;
	int missed;
};

/** graph_set_up() - a struct view that asks for everything; graph_tear_down() releases it */
int graph_set_up(void **state);
int graph_tear_down(void **state);
/** graph_build() - a recording of these events, as a memfd */
int graph_build(const struct event *events, size_t n);
/** graph_run() - draw to @fd as @v asks; v->missed and v->err are set */
int graph_run(struct tfs_trace *trace, int fd, struct view *v);
/** graph_try() - draw the events as @v asks to @fd. Return: graph_run()'s */
int graph_try(const struct event *events, size_t n, int fd, struct view *v);
/** graph_draw() - draw the events as @v asks: v->text, without the two lines of the head */
void graph_draw(const struct event *events, size_t n, struct view *v);

#define RULE " ------------------------------------------\n"
#define RUNS(cpu, task) RULE "   " #cpu ")  " task "\n" RULE

#define TASK(task) RULE " " task "\n" RULE
/* A line with a duration, and one without; @us: digits of the time after "0.00" */
#define AT(us, cpu, time, text) "     0.00" us " |   " #cpu ") " time "\t|  " text "\n"
#define IN(us, cpu, text) AT(us, cpu, "", text)

/** graph_expect() - v->text is these lines, of AT(), IN() and the like, up to NULL */
void graph_expect(const struct view *v, const char *const *lines);

#endif

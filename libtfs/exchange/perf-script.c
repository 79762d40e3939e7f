/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perf-script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "pipeline/view.h"
#include "stack/fold-name.h"
#include "stack/fold-stack.h"
#include "stack/frames.h"
#include "stack/profile.h"
#include "stack/stack.h"
#include "stack/trim.h"
#include "stack/weigh.h"

#define UNKNOWN "[unknown]"
/* perf's event whose period is CPU time in ns */
#define CPU_CLOCK "cpu-clock"

/*
 * A sample's text is complete but for its period, which belongs at @period_at. That of an event
 * is known at once. That of a sample of a CPU profile comes with the end of its second, or later:
 * until then its text waits in a queue, so that samples are written in the order in which they
 * came, whichever has its period first.
 */
struct waiting {
	struct waiting *next;
	uint64_t period;
	bool weighed;
	size_t period_at, len;
	char text[];
};

struct perf_script {
	struct tfs_view view;
	struct tfs_perf_script_opts opts;
	struct tfs_weigh *weigh;
	struct tfs_stacks *stacks;
	struct tfs_frames **frames;  /* of each recording */
	struct tfs_profile *profile; /* NULL: periods are not those of a CPU profile */
	struct waiting *first, **end;
	const char **name; /* of the kernel's frames */
	size_t names_alloc;
	struct tfs_out_file *file;
	struct tfs_strbuf sample; /* the one that is being written */
	size_t period_at;         /* in it */
	struct tfs_collect_counts counts;
};

static struct perf_script *to_perf_script(struct tfs_view *view)
{
	return (struct perf_script *)view;
}

/* Nothing in a name ends the line. */
static int put_name(const char *name, struct tfs_strbuf *out)
{
	size_t start = out->len;
	int rc = tfs_strbuf_adds(out, name);

	for (char *p = out->s + start; !rc && *p; p++)
		if ((unsigned char)*p < ' ' || *p == '\x7f')
			*p = '_';
	return rc;
}

/* Nor does a number in a task's name look like that of the process. */
static int put_comm(const char *comm, struct tfs_strbuf *out)
{
	size_t start = out->len;
	int rc = put_name(comm, out);

	for (char *p = out->s + start; !rc && *p; p++)
		if (*p == ' ' && (p[1] == ' ' || (p[1] >= '0' && p[1] <= '9')))
			*p = '_';
	return rc;
}

/* "comm tid", as perf prints it if it is not asked for the process */
static int put_task(struct perf_script *ps, const struct tfs_event *event, int tgid)
{
	struct tfs_strbuf *sb = &ps->sample;
	int rc = 0;

	if (ps->opts.collect.n > 1) {
		rc = put_comm(ps->opts.collect.files[event->input], sb);
		if (!rc)
			rc = tfs_strbuf_addc(sb, ':');
	}
	if (!rc)
		rc = put_comm(event->task ? event->task->comm : TFS_TASK_UNKNOWN, sb);
	if (rc)
		return rc;
	if (ps->opts.collect.root == TFS_ROOT_COMM)
		tgid = -1;
	else if (tgid < 0)
		tgid = tfs_frames_tgid(ps->frames[event->input], event->pid, event->rec.ts);
	return tgid < 0 ? tfs_strbuf_addf(sb, " %7d", event->pid) :
			  tfs_strbuf_addf(sb, " %5d/%-5d", tgid, event->pid);
}

static int put_head(struct perf_script *ps, const struct tfs_event *event, int tgid)
{
	struct tfs_strbuf *sb = &ps->sample;
	uint64_t ts = event->rec.ts;
	int rc = put_task(ps, event, tgid);

	if (!rc)
		rc = tfs_strbuf_addf(sb, " [%03u] %5" PRIu64 ".%06" PRIu64 ": ", event->rec.cpu,
				     (uint64_t)(ts / NS_PER_SEC),
				     (uint64_t)(ts % NS_PER_SEC / NS_PER_USEC));
	ps->period_at = sb->len;
	if (ps->profile)
		return rc ? rc : tfs_strbuf_adds(sb, " " CPU_CLOCK ":\n");
	if (!rc)
		rc = tfs_strbuf_addf(sb, " %s:", event->type->system);
	if (!rc)
		rc = tfs_strbuf_add(sb, event->type->name, event->type->name_len);
	return rc ? rc : tfs_strbuf_adds(sb, ":\n");
}

/* An inlined function comes after its caller. */
static int put_chain(const struct tfs_frame *innermost, struct tfs_strbuf *sb)
{
	const struct tfs_frame *last = NULL, *frame;
	int rc = 0;

	while (last != innermost && !rc) {
		for (frame = innermost; frame->caller != last; frame = frame->caller)
			;
		if (last)
			rc = tfs_strbuf_adds(sb, "->");
		if (!rc)
			rc = put_name(frame->name, sb);
		last = frame;
	}
	return rc;
}

static int put_frame(const struct tfs_frame *frame, struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_addf(sb, "\t%16" PRIx64 " ", frame->addr);

	if (!rc && frame->name && *frame->name) {
		rc = put_chain(frame, sb);
		if (!rc)
			rc = tfs_strbuf_addf(sb, "+0x%" PRIx64, frame->offset);
	} else if (!rc) {
		rc = tfs_strbuf_adds(sb, UNKNOWN);
	}
	if (!rc)
		rc = tfs_strbuf_adds(sb, " (");
	if (!rc)
		rc = put_name(frame->dso ? frame->dso : UNKNOWN, sb);
	return rc ? rc : tfs_strbuf_adds(sb, ")\n");
}

/*
 * The kernel's frames that are left out. A sample of a CPU profile is taken in a timer's interrupt,
 * which perf does not show either.
 */
static int trim(struct perf_script *ps, const struct tfs_event *event,
		const struct tfs_stack *stack, size_t *from)
{
	const struct tfs_frame *frame;
	int rc = 0;

	*from = 0;
	if (!ps->profile)
		return 0;
	if (tfs_grow(&ps->name, &ps->names_alloc, stack->n_kernel))
		return -ENOMEM;
	for (size_t i = 0; i < stack->n_kernel && !rc; i++) {
		rc = tfs_frames_kernel(ps->frames[event->input], stack->kernel[i], &frame);
		ps->name[i] = rc ? NULL : frame->name;
	}
	if (!rc)
		*from = tfs_trim_kernel(ps->name, stack->n_kernel, TFS_TRIM_TRACING | TFS_TRIM_IRQ);
	return rc;
}

static int put_frames(struct perf_script *ps, const struct tfs_event *event,
		      const struct tfs_stack *stack)
{
	struct tfs_frames *frames = ps->frames[event->input];
	const struct tfs_frame *frame = NULL;
	size_t from = 0;
	int rc = trim(ps, event, stack, &from);

	for (size_t i = from; i < stack->n_kernel && !rc; i++) {
		rc = tfs_frames_kernel(frames, stack->kernel[i], &frame);
		if (!rc)
			rc = put_frame(frame, &ps->sample);
	}
	for (size_t i = 0; i < stack->n_user && !rc; i++) {
		rc = (i ? tfs_frames_caller : tfs_frames_user)(frames, stack->tgid, event->rec.ts,
							       stack->user[i], &frame);
		if (!rc)
			rc = put_frame(frame, &ps->sample);
	}
	if (!rc && stack->flags & TFS_STACK_CUT)
		rc = tfs_strbuf_addf(&ps->sample, "\t%16x %s (%s)\n", 0, TFS_FOLD_CUT_NAME,
				     UNKNOWN);
	return rc ? rc : tfs_strbuf_addc(&ps->sample, '\n');
}

static int put_sample(struct perf_script *ps, const struct tfs_event *event,
		      const struct tfs_stack *stack)
{
	int rc;

	tfs_strbuf_reset(&ps->sample);
	rc = put_head(ps, event, stack->tgid);
	return rc ? rc : put_frames(ps, event, stack);
}

static int write_sample(struct perf_script *ps, const char *text, size_t len, size_t period_at,
			uint64_t period)
{
	struct tfs_out *out = tfs_out_file_out(ps->file);
	char number[24];
	int n = snprintf(number, sizeof(number), "%10" PRIu64, period);
	int rc = tfs_out_write(out, text, period_at);

	if (!rc)
		rc = tfs_out_write(out, number, (size_t)n);
	return rc ? rc : tfs_out_write(out, text + period_at, len - period_at);
}

/* Writes those at the front of the queue whose period is known; at the @end, all. */
static int write_waiting(struct perf_script *ps, bool end)
{
	struct waiting *w;
	int rc = 0;

	while (!rc && (w = ps->first) && (w->weighed || end)) {
		rc = write_sample(ps, w->text, w->len, w->period_at, w->period);
		ps->first = w->next;
		if (!ps->first)
			ps->end = &ps->first;
		free(w);
	}
	return rc;
}

static int weigh(void *ctx, uint64_t token, uint64_t ns)
{
	struct waiting *w = (struct waiting *)(uintptr_t)token;

	w->period = ns;
	w->weighed = true;
	return write_waiting(ctx, false);
}

/* Other stacks than a CPU profile's samples are not CPU time. */
static int on_sample(struct perf_script *ps, const struct tfs_event *event,
		     const struct tfs_stack *stack)
{
	struct tfs_event named = *event;
	struct waiting *w;
	int rc;

	if (tfs_profile_kind(ps->profile, event) != TFS_PROFILE_SAMPLE) {
		ps->counts.others += stack->flags & (TFS_STACK_KERNEL | TFS_STACK_USER) ? 1 : 0;
		return 0;
	}
	ps->counts.cut += stack->flags & TFS_STACK_CUT ? 1 : 0;
	named.task = tfs_profile_who(ps->profile, event);
	rc = put_sample(ps, &named, stack);
	w = rc ? NULL : malloc(sizeof(*w) + ps->sample.len);
	if (!w)
		return rc ? rc : -ENOMEM;
	*w = (struct waiting){ .period_at = ps->period_at, .len = ps->sample.len };
	memcpy(w->text, ps->sample.s, ps->sample.len);
	*ps->end = w;
	ps->end = &w->next;
	return tfs_profile_sample(ps->profile, event, (uintptr_t)w);
}

static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	struct perf_script *ps = ctx;
	unsigned int trim;
	uint64_t weight;
	int rc;

	if (ps->profile)
		return event->type ? on_sample(ps, event, stack) : 0;
	if (!tfs_weigh_event(ps->weigh, event, stack, &weight, &trim))
		return 0;
	rc = put_sample(ps, event, stack);
	return rc ? rc : write_sample(ps, ps->sample.s, ps->sample.len, ps->period_at, weight);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct perf_script *ps = to_perf_script(view);
	int rc = ps->profile ? tfs_profile_event(ps->profile, event) : 0;

	(void)state;
	(void)out;
	return rc ? rc : tfs_stacks_event(ps->stacks, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct perf_script *ps = to_perf_script(view);

	(void)state;
	(void)out;
	ps->counts.missing += event->missing;
	if (ps->profile)
		tfs_profile_lost(ps->profile, event);
	return 0;
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no stacks");
}

static int end(struct tfs_view *view, struct tfs_strbuf *text, struct tfs_err *err)
{
	struct perf_script *ps = to_perf_script(view);
	int rc = tfs_stacks_end(ps->stacks);

	(void)text;
	if (!rc && ps->profile)
		rc = tfs_profile_end(ps->profile);
	if (!rc)
		rc = write_waiting(ps, true);
	if (ps->profile)
		ps->counts.orphans = tfs_stacks_orphans(ps->stacks);
	return rc == -ENOMEM ? rc : tfs_out_file_commit(ps->file, err);
}

/* A comment in the text would not do: Perfetto refuses a file with lines that are not samples. */
static int notes(const struct tfs_view *view, struct tfs_strbuf *out)
{
	const struct perf_script *ps = (const struct perf_script *)view;
	int rc = tfs_collect_note_missing(&ps->opts.collect, ps->counts.missing, out);

	if (!rc && ps->profile)
		rc = tfs_profile_notes(ps->profile, out);
	else if (!rc)
		rc = tfs_weigh_notes(ps->weigh, out);
	return rc ? rc : tfs_collect_note_counts(&ps->counts, out);
}

static void free_perf_script(struct tfs_view *view)
{
	struct perf_script *ps = to_perf_script(view);

	tfs_stacks_free(ps->stacks);
	tfs_weigh_free(ps->weigh);
	for (size_t i = 0; ps->frames && i < ps->opts.collect.n; i++)
		tfs_frames_free(ps->frames[i]);
	free(ps->frames);
	tfs_profile_free(ps->profile);
	for (struct waiting *next, *w = ps->first; w; w = next) {
		next = w->next;
		free(w);
	}
	free(ps->name);
	tfs_out_file_free(ps->file);
	tfs_strbuf_release(&ps->sample);
	free(ps);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.notes = notes,
	.free = free_perf_script,
};

/* Run time without a sample has neither a time nor a place: it is left out. */
static const struct tfs_profile_ops profile_ops = { .weigh = weigh };

static int prepare(struct perf_script *ps, struct tfs_err *err)
{
	const struct tfs_collect_opts *c = &ps->opts.collect;
	int rc = tfs_weigh_new(c->traces, c->n, c->weight, &ps->weigh, err);

	if (!rc)
		rc = tfs_stacks_new(c->traces, c->n, on_stack, ps, &ps->stacks);
	if (!rc && !c->weight)
		rc = tfs_profile_new(c->traces, c->n,
				     c->root == TFS_ROOT_COMM ? TFS_PROFILE_BY_NAME : 0,
				     &profile_ops, ps, &ps->profile);
	if (!rc) {
		ps->frames = calloc(c->n, sizeof(struct tfs_frames *));
		rc = ps->frames ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < c->n && !rc; i++)
		rc = tfs_frames_new(c->traces[i], c->symbolize ? c->symbolize[i] : NULL,
				    &ps->frames[i]);
	return rc ? rc : tfs_out_file_open(ps->opts.path, &ps->file, err);
}

int tfs_perf_script_new(const struct tfs_perf_script_opts *opts, struct tfs_view **view,
			struct tfs_err *err)
{
	struct perf_script *ps = calloc(1, sizeof(*ps));
	int rc;

	if (!ps)
		return -ENOMEM;
	ps->view.ops = &ops;
	ps->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	ps->opts = *opts;
	ps->end = &ps->first;
	tfs_strbuf_init(&ps->sample);
	rc = prepare(ps, err);
	if (rc) {
		tfs_view_free(&ps->view);
		return rc;
	}
	if (opts->flags & TFS_PERF_SCRIPT_INERT)
		tfs_out_set_inert(tfs_out_file_out(ps->file), true);
	*view = &ps->view;
	return 0;
}

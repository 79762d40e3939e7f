/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perf-script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
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

struct perf_script {
	struct tfs_view view;
	struct tfs_perf_script_opts opts;
	struct tfs_weigh *weigh;
	struct tfs_stacks *stacks;
	struct tfs_frames **frames;  /* of each recording */
	struct tfs_profile *profile; /* NULL: no recording has samples of a CPU profile */
	const char **name;           /* of the kernel's frames */
	size_t names_alloc;
	struct tfs_out_file *file;
	struct tfs_strbuf sample; /* the one that is being written */
	uint64_t missing;         /* CPUs whose last events are */
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

static int put_head(struct perf_script *ps, const struct tfs_event *event, int tgid,
		    uint64_t weight)
{
	struct tfs_strbuf *sb = &ps->sample;
	uint64_t ts = event->rec.ts;
	int rc = 0;

	if (tgid < 0)
		tgid = tfs_frames_tgid(ps->frames[event->input], event->pid, ts);
	if (ps->opts.collect.n > 1) {
		rc = put_comm(ps->opts.collect.files[event->input], sb);
		if (!rc)
			rc = tfs_strbuf_addc(sb, ':');
	}
	if (!rc)
		rc = put_comm(event->task ? event->task->comm : TFS_TASK_UNKNOWN, sb);
	if (!rc && tgid >= 0)
		rc = tfs_strbuf_addf(sb, " %5d/%-5d", tgid, event->pid);
	else if (!rc)
		rc = tfs_strbuf_addf(sb, " %7d", event->pid);
	if (!rc)
		rc = tfs_strbuf_addf(
			sb, " [%03u] %5" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s:", event->rec.cpu,
			(uint64_t)(ts / NS_PER_SEC), (uint64_t)(ts % NS_PER_SEC / NS_PER_USEC),
			weight, event->type->system);
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
	if (tfs_profile_kind(ps->profile, event) != TFS_PROFILE_SAMPLE)
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

static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	struct perf_script *ps = ctx;
	unsigned int trim;
	uint64_t weight;
	int rc;

	if (!tfs_weigh_event(ps->weigh, event, stack, &weight, &trim))
		return 0;
	tfs_strbuf_reset(&ps->sample);
	rc = put_head(ps, event, stack->tgid, weight);
	if (!rc)
		rc = put_frames(ps, event, stack);
	if (rc)
		return rc;
	return tfs_out_write(tfs_out_file_out(ps->file), ps->sample.s, ps->sample.len);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_stacks_event(to_perf_script(view)->stacks, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	to_perf_script(view)->missing += event->missing;
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
	return rc == -ENOMEM ? rc : tfs_out_file_commit(ps->file, err);
}

/* A comment in the text would not do: Perfetto refuses a file with lines that are not samples. */
static int notes(const struct tfs_view *view, struct tfs_strbuf *out)
{
	const struct perf_script *ps = (const struct perf_script *)view;
	int rc = tfs_collect_note_missing(&ps->opts.collect, ps->missing, out);

	return rc ? rc : tfs_weigh_notes(ps->weigh, out);
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

/* Samples are written as they come, without the weights that a second of them gets later. */
static const struct tfs_profile_ops no_ops;

static int prepare(struct perf_script *ps, struct tfs_err *err)
{
	const struct tfs_collect_opts *c = &ps->opts.collect;
	int rc = tfs_weigh_new(c->traces, c->n, c->weight, &ps->weigh, err);

	if (!rc)
		rc = tfs_stacks_new(c->traces, c->n, on_stack, ps, &ps->stacks);
	if (!rc)
		rc = tfs_profile_new(c->traces, c->n, 0, &no_ops, NULL, &ps->profile);
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

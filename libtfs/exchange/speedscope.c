/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/speedscope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "stack/collect-view.h"
#include "stack/fold.h"

/* Text that is held before it is written */
#define TEXT_FULL (64 << 10)
#define NO_NODE UINT32_MAX

struct speedscope {
	struct tfs_collect_view base;
	struct tfs_speedscope_opts opts;
	struct tfs_out_file *file;
};

/* A profile: what is below a node, which is the task */
struct profile {
	uint32_t task;
	uint32_t first; /* node with weight of its own, by @next; NO_NODE: none */
	uint64_t total;
};

/**
 * struct tree - the folded stacks as profiles
 * @root_depth: nodes above the frames: the task, and the recording if there are several
 * @next: the next node with weight of the same profile
 */
struct tree {
	const struct tfs_fold *fold;
	const struct tfs_fold_node *nodes;
	uint32_t n, root_depth;
	uint32_t *next, *profile_of;
	struct profile *profiles;
	size_t n_profiles, alloc;
	struct tfs_strbuf text;
	struct tfs_out *out;
};

static struct speedscope *to_speedscope(struct tfs_view *view)
{
	return (struct speedscope *)view;
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no stacks to fold");
}

/* Writes what is held, if it is enough to be worth it. */
static int drain(struct tree *t, size_t full)
{
	int rc = t->text.len >= full ? tfs_out_write(t->out, t->text.s, t->text.len) : 0;

	if (t->text.len >= full)
		tfs_strbuf_reset(&t->text);
	return rc;
}

static int new_profile(struct tree *t, uint32_t task)
{
	if (tfs_grow(&t->profiles, &t->alloc, t->n_profiles + 1))
		return -ENOMEM;
	t->profiles[t->n_profiles++] = (struct profile){ .task = task, .first = NO_NODE };
	return 0;
}

/* Callers have lower numbers than what they call: their profile is known. */
static int find_profiles(struct tree *t)
{
	t->next = calloc(t->n + 1, sizeof(*t->next));
	t->profile_of = calloc(t->n + 1, sizeof(*t->profile_of));
	if (!t->next || !t->profile_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tfs_fold_node *node = &t->nodes[i];
		struct profile *p;

		if (node->depth < t->root_depth)
			continue;
		if (node->depth == t->root_depth) {
			t->profile_of[i] = (uint32_t)t->n_profiles;
			if (new_profile(t, i))
				return -ENOMEM;
		} else {
			t->profile_of[i] = t->profile_of[node->parent];
		}
		if (!node->self)
			continue;
		p = &t->profiles[t->profile_of[i]];
		t->next[i] = p->first;
		p->first = i;
		p->total += node->self;
	}
	return 0;
}

static int put_frames(struct tree *t)
{
	uint32_t n = tfs_fold_n_names(t->fold);
	int rc = tfs_strbuf_adds(&t->text, "\"shared\":{\"frames\":[");

	for (uint32_t i = 0; i < n && !rc; i++) {
		struct tfs_fold_name name = tfs_fold_name(t->fold, i);

		rc = tfs_strbuf_adds(&t->text, i ? ",\n{\"name\":" : "\n{\"name\":");
		if (!rc)
			rc = tfs_json_string(&t->text, name.text, name.len);
		if (!rc && name.dso)
			rc = tfs_strbuf_adds(&t->text, ",\"file\":");
		if (!rc && name.dso)
			rc = tfs_json_string(&t->text, name.dso, strlen(name.dso));
		if (!rc)
			rc = tfs_strbuf_addc(&t->text, '}');
		if (!rc)
			rc = drain(t, TEXT_FULL);
	}
	return rc ? rc : tfs_strbuf_adds(&t->text, "\n]},\n");
}

/* Indices of the frames, outermost first; of a task without any, itself */
static int put_sample(struct tree *t, uint32_t node, bool more)
{
	uint32_t path[TFS_FOLD_DEPTH_MAX], n = 0;
	int rc = tfs_strbuf_adds(&t->text, more ? ",[" : "[");

	if (t->nodes[node].depth == t->root_depth)
		path[n++] = t->nodes[node].name;
	for (; t->nodes[node].depth > t->root_depth && n < TFS_FOLD_DEPTH_MAX;
	     node = t->nodes[node].parent)
		path[n++] = t->nodes[node].name;
	while (n && !rc) {
		rc = tfs_strbuf_addf(&t->text, "%" PRIu32, path[--n]);
		if (!rc && n)
			rc = tfs_strbuf_addc(&t->text, ',');
	}
	if (!rc)
		rc = tfs_strbuf_addc(&t->text, ']');
	return rc ? rc : drain(t, TEXT_FULL);
}

/* The recording, if there are several, and the task */
static int put_name(struct tree *t, const struct profile *p)
{
	struct tfs_fold_name task = tfs_fold_name(t->fold, t->nodes[p->task].name), of;
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	if (t->root_depth > 1) {
		of = tfs_fold_name(t->fold, t->nodes[t->nodes[p->task].parent].name);
		rc = tfs_strbuf_add(&name, of.text, of.len);
		if (!rc)
			rc = tfs_strbuf_adds(&name, ": ");
	}
	if (!rc)
		rc = tfs_strbuf_add(&name, task.text, task.len);
	if (!rc)
		rc = tfs_json_string(&t->text, name.s, name.len);
	tfs_strbuf_release(&name);
	return rc;
}

static int put_profile(struct tree *t, const struct profile *p, const char *unit, bool more)
{
	int rc = tfs_strbuf_adds(&t->text, more ? ",\n{\"type\":\"sampled\",\"name\":" :
						  "\n{\"type\":\"sampled\",\"name\":");

	if (!rc)
		rc = put_name(t, p);
	if (!rc)
		rc = tfs_strbuf_addf(&t->text,
				     ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64
				     ",\"samples\":[",
				     unit, p->total);
	for (uint32_t i = p->first; i != NO_NODE && !rc; i = t->next[i])
		rc = put_sample(t, i, i != p->first);
	if (!rc)
		rc = tfs_strbuf_adds(&t->text, "],\"weights\":[");
	for (uint32_t i = p->first; i != NO_NODE && !rc; i = t->next[i]) {
		rc = tfs_strbuf_addf(&t->text, "%s%" PRIu64, i != p->first ? "," : "",
				     t->nodes[i].self);
		if (!rc)
			rc = drain(t, TEXT_FULL);
	}
	return rc ? rc : tfs_strbuf_adds(&t->text, "]}");
}

static int put_profiles(struct tree *t, const char *unit)
{
	size_t active = 0, n = 0;
	uint64_t largest = 0;
	int rc = tfs_strbuf_adds(&t->text, "\"profiles\":[");

	for (size_t i = 0; i < t->n_profiles && !rc; i++) {
		const struct profile *p = &t->profiles[i];

		if (p->first == NO_NODE)
			continue;
		if (p->total > largest) {
			largest = p->total;
			active = n;
		}
		rc = put_profile(t, p, unit, n++ > 0);
	}
	return rc ? rc : tfs_strbuf_addf(&t->text, "\n],\n\"activeProfileIndex\":%zu}\n", active);
}

static int put_tree(struct tree *t, const char *unit)
{
	int rc = find_profiles(t);

	if (!rc)
		rc = tfs_strbuf_adds(&t->text,
				     "{\"$schema\":"
				     "\"https://www.speedscope.app/file-format-schema.json\",\n"
				     "\"exporter\":\"tc-report\",\n");
	if (!rc)
		rc = put_frames(t);
	if (!rc)
		rc = put_profiles(t, strcmp(unit, "ns") ? "none" : "nanoseconds");
	return rc ? rc : drain(t, 0);
}

static int end(struct tfs_view *view, struct tfs_strbuf *text, struct tfs_err *err)
{
	struct speedscope *s = to_speedscope(view);
	struct tree t = { .text = TFS_STRBUF_INIT, .out = tfs_out_file_out(s->file) };
	int rc = tfs_collect_end(s->base.collect);

	(void)text;
	t.fold = tfs_collect_fold(s->base.collect);
	t.nodes = tfs_fold_nodes(t.fold, &t.n);
	t.root_depth = s->opts.collect.n > 1 ? 2 : 1;
	if (!rc)
		rc = put_tree(&t, tfs_collect_unit(s->base.collect));
	free(t.next);
	free(t.profile_of);
	free(t.profiles);
	tfs_strbuf_release(&t.text);
	if (rc == -ENOMEM)
		return rc;
	return tfs_out_file_commit(s->file, err);
}

static void free_speedscope(struct tfs_view *view)
{
	struct speedscope *s = to_speedscope(view);

	tfs_collect_free(s->base.collect);
	tfs_out_file_free(s->file);
	free(s);
}

static const struct tfs_view_ops ops = {
	.event = tfs_collect_view_event,
	.lost = tfs_collect_view_lost,
	.text = text,
	.end = end,
	.notes = tfs_collect_view_notes,
	.free = free_speedscope,
};

int tfs_speedscope_new(const struct tfs_speedscope_opts *opts, struct tfs_view **view,
		       struct tfs_err *err)
{
	struct speedscope *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->base.view.ops = &ops;
	s->base.view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	s->opts = *opts;
	rc = tfs_collect_new(&opts->collect, &s->base.collect, err);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &s->file, err);
	if (rc)
		free_speedscope(&s->base.view);
	else
		*view = &s->base.view;
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/combined.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/view.h"

struct combined {
	struct tfs_view view;
	struct tfs_view **v;
	size_t n;
};

static struct combined *to_combined(struct tfs_view *view)
{
	return (struct combined *)view;
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct combined *c = to_combined(view);
	int rc = 0;

	for (size_t i = 0; i < c->n && !rc; i++)
		if (c->v[i]->ops->init)
			rc = c->v[i]->ops->init(c->v[i], out, err);
	return rc;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct combined *c = to_combined(view);
	int rc = 0;

	for (size_t i = 0; i < c->n && !rc; i++)
		if (c->v[i]->ops->end)
			rc = tfs_view_end(c->v[i], view->writer, out, err);
	return rc;
}

/* A thread's state is one of each view. */
static int thread_end(struct tfs_view *view, void *state)
{
	struct combined *c = to_combined(view);
	void **states = state;
	int rc = 0, rc2;

	for (size_t i = 0; states && i < c->n; i++) {
		rc2 = c->v[i]->ops->thread_end ? c->v[i]->ops->thread_end(c->v[i], states[i]) : 0;
		rc = rc ? rc : rc2;
	}
	free(states);
	return rc;
}

static int thread_begin(struct tfs_view *view, void **state)
{
	struct combined *c = to_combined(view);
	void **states = calloc(c->n, sizeof(*states));
	int rc = states ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->n && !rc; i++)
		if (c->v[i]->ops->thread_begin)
			rc = c->v[i]->ops->thread_begin(c->v[i], &states[i]);
	*state = states;
	return rc;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_view *own = to_combined(view)->v[event->input];

	return own->ops->event(own, ((void **)state)[event->input], event, out);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct tfs_view *own = to_combined(view)->v[event->input];

	return own->ops->lost ? own->ops->lost(own, ((void **)state)[event->input], event, out) : 0;
}

static void free_combined(struct tfs_view *view)
{
	struct combined *c = to_combined(view);

	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		tfs_view_free(c->v[i]);
	free(c->v);
	free(c);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.event = event,
	.lost = lost,
	.end = end,
	.free = free_combined,
};

int tfs_combined_new(struct tfs_view *const *views, size_t n, struct tfs_view **out)
{
	struct combined *c = calloc(1, sizeof(*c));

	if (c)
		c->v = calloc(n, sizeof(struct tfs_view *));
	if (!c || !c->v) {
		free(c);
		return -ENOMEM;
	}
	c->view.ops = &ops;
	c->view.flags = views[0]->flags;
	c->n = n;
	for (size_t i = 0; i < n; i++)
		c->v[i] = views[i];
	*out = &c->view;
	return 0;
}

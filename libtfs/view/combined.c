/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/combined.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/event.h"
#include "pipeline/printer.h"

struct combined {
	struct tfs_printer printer;
	const struct tfs_printer **v;
	size_t n;
};

/* Of one thread: the state of each printer. */
struct combined_state {
	const struct combined *combined;
	void *states[];
};

static const struct combined *to_combined(const struct tfs_printer *p)
{
	return (const struct combined *)p;
}

static int head(const struct tfs_printer *p, struct tfs_strbuf *out)
{
	const struct combined *m = to_combined(p);
	int rc = 0;

	for (size_t i = 0; i < m->n && !rc; i++)
		if (m->v[i]->head)
			rc = m->v[i]->head(m->v[i], out);
	return rc;
}

static int tail(const struct tfs_printer *p, struct tfs_strbuf *out)
{
	const struct combined *m = to_combined(p);
	int rc = 0;

	for (size_t i = 0; i < m->n && !rc; i++)
		if (m->v[i]->tail)
			rc = m->v[i]->tail(m->v[i], out);
	return rc;
}

static void close_states(void *state)
{
	struct combined_state *s = state;

	if (!s)
		return;
	for (size_t i = 0; i < s->combined->n; i++)
		if (s->combined->v[i]->close)
			s->combined->v[i]->close(s->states[i]);
	free(s);
}

static int open_states(const struct tfs_printer *p, void **state)
{
	const struct combined *m = to_combined(p);
	struct combined_state *s = calloc(1, sizeof(*s) + m->n * sizeof(s->states[0]));
	int rc = 0;

	if (!s)
		return -ENOMEM;
	s->combined = m;
	for (size_t i = 0; i < m->n && !rc; i++)
		if (m->v[i]->open)
			rc = m->v[i]->open(m->v[i], &s->states[i]);
	if (rc)
		close_states(s);
	else
		*state = s;
	return rc;
}

static int put_event(const struct tfs_printer *p, void *state, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	const struct tfs_printer *own = to_combined(p)->v[event->input];

	return own->event(own, ((struct combined_state *)state)->states[event->input], event, out);
}

int tfs_combined_new(const struct tfs_printer *const *printers, size_t n, struct tfs_printer **out)
{
	struct combined *m = calloc(1, sizeof(*m));

	if (m)
		m->v = calloc(n, sizeof(const struct tfs_printer *));
	if (!m || !m->v) {
		free(m);
		return -ENOMEM;
	}
	m->printer = (struct tfs_printer){
		.head = head,
		.tail = tail,
		.open = open_states,
		.close = close_states,
		.event = put_event,
	};
	m->n = n;
	for (size_t i = 0; i < n; i++) {
		m->v[i] = printers[i];
		m->printer.event_texts |= printers[i]->event_texts;
	}
	*out = &m->printer;
	return 0;
}

void tfs_combined_free(struct tfs_printer *printer)
{
	struct combined *m = (struct combined *)printer;

	if (!m)
		return;
	free(m->v);
	free(m);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/weigh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "stack/stack.h"
#include "stack/trim.h"
#include "tracedat/dat-read.h"

/* Types of events that a note names at most */
#define NAMED_MAX 4

/* Counts of a type. @weight: its field; NULL: it has none */
struct type_count {
	const struct tfs_event_type *type;
	unsigned int trim;
	const struct tfs_field *weight;
	uint64_t with, without, weightless, negative;
};

struct tfs_weigh {
	struct tfs_trace *const *traces;
	size_t n;
	const char *field;
	struct type_count **types; /* of each recording, by the type's index */
	uint64_t cut, after_loss;
};

/* "FIELD", or "EVENT.FIELD" for one event only */
static const struct tfs_field *find_weight(const struct tfs_weigh *w,
					   const struct tfs_event_type *type)
{
	const char *dot = strchr(w->field, '.'), *name = dot ? dot + 1 : w->field;
	size_t len = dot ? (size_t)(dot - w->field) : 0;
	const struct tfs_field *f;

	if (dot && (type->name_len != len || memcmp(type->name, w->field, len)))
		return NULL;
	f = tfs_fields_find(type->fields, name, strlen(name));
	return f && !f->array && f->kind <= TFS_VALUE_ADDRESS ? f : NULL;
}

static struct type_count *count_of(struct tfs_weigh *w, const struct tfs_event *event)
{
	struct type_count *t = &w->types[event->input][event->type->index];

	if (!t->type) {
		t->type = event->type;
		t->trim = tfs_trim_of(event->type);
		t->weight = w->field ? find_weight(w, event->type) : NULL;
	}
	return t;
}

/* 1: it has a weight, 0: it has none */
static int read_weight(const struct tfs_weigh *w, struct type_count *t,
		       const struct tfs_event *event, uint64_t *weight)
{
	struct tfs_value value;

	*weight = 1;
	if (!w->field)
		return 1;
	if (!t->weight || !tfs_fields_get(event->type->fields, t->weight, event->rec.data,
					  event->rec.size, &value)) {
		t->weightless++;
		return 0;
	}
	if (t->weight->kind == TFS_VALUE_SIGNED && (int64_t)value.number < 0) {
		t->negative++;
		return 0;
	}
	*weight = value.number;
	return 1;
}

int tfs_weigh_event(struct tfs_weigh *w, const struct tfs_event *event,
		    const struct tfs_stack *stack, uint64_t *weight, unsigned int *trim)
{
	struct type_count *t;

	if (!event->type)
		return 0;
	t = count_of(w, event);
	if (!(stack->flags & (TFS_STACK_KERNEL | TFS_STACK_USER))) {
		t->without++;
		w->after_loss += stack->flags & TFS_STACK_LOSS ? 1 : 0;
		return 0;
	}
	t->with++;
	if (!read_weight(w, t, event, weight))
		return 0;
	w->cut += stack->flags & TFS_STACK_CUT ? 1 : 0;
	*trim = t->trim;
	return 1;
}

static int check_weight(const struct tfs_weigh *w, struct tfs_err *err)
{
	if (!w->field)
		return 0;
	for (size_t i = 0; i < w->n; i++) {
		const struct tfs_event_index *index = tfs_trace_index(w->traces[i]);

		for (size_t k = 0; k < index->n; k++) {
			const struct tfs_event_type *type =
				tfs_trace_event(w->traces[i], index->types[k].id);

			if (type && find_weight(w, type))
				return 0;
		}
	}
	return tfs_err_say(err, -ENOENT, "no event has a number '%s'", w->field);
}

int tfs_weigh_new(struct tfs_trace *const *traces, size_t n, const char *field,
		  struct tfs_weigh **out, struct tfs_err *err)
{
	struct tfs_weigh *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	w->traces = traces;
	w->n = n;
	w->field = field;
	w->types = calloc(n, sizeof(struct type_count *));
	rc = w->types ? check_weight(w, err) : -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		w->types[i] = calloc(tfs_trace_index(traces[i])->n + 1, sizeof(struct type_count));
		if (!w->types[i])
			rc = -ENOMEM;
	}
	if (rc)
		tfs_weigh_free(w);
	else
		*out = w;
	return rc;
}

void tfs_weigh_free(struct tfs_weigh *w)
{
	if (!w)
		return;
	for (size_t i = 0; w->types && i < w->n; i++)
		free(w->types[i]);
	free(w->types);
	free(w);
}

/* --- notes */

/* Types whose stacks were added up, if there are several */
static int note_types(const struct tfs_weigh *w, struct tfs_strbuf *out)
{
	const struct tfs_event_type *first = NULL;
	size_t n = 0, start = out->len;
	bool differ = false;
	int rc = tfs_strbuf_adds(out, "the stacks of several events were added up:");

	for (size_t i = 0; i < w->n; i++) {
		for (size_t k = 0; k < tfs_trace_index(w->traces[i])->n && !rc; k++) {
			const struct type_count *t = &w->types[i][k];

			if (!t->with)
				continue;
			/* Several recordings may have one event each. */
			first = first ? first : t->type;
			differ |= strcmp(t->type->system, first->system) ||
				  t->type->name_len != first->name_len ||
				  memcmp(t->type->name, first->name, first->name_len);
			if (n++ < NAMED_MAX)
				rc = tfs_strbuf_addf(out, "%s %s:%.*s (%" PRIu64 ")",
						     n > 1 ? "," : "", t->type->system,
						     (int)t->type->name_len, t->type->name,
						     t->with);
		}
	}
	if (!rc && n > NAMED_MAX)
		rc = tfs_strbuf_addf(out, " and %zu more", n - NAMED_MAX);
	if (!rc)
		rc = tfs_strbuf_adds(out, "; choose one with -F\n");
	if (!differ) {
		out->len = start;
		out->s[start] = '\0';
	}
	return rc;
}

static int note_type(const struct type_count *t, struct tfs_strbuf *out)
{
	const struct {
		uint64_t n;
		const char *what;
	} notes[] = {
		{ t->with ? t->without : 0, "have no stack" },
		{ t->weightless, "do not have the field" },
		{ t->negative, "have a negative weight" },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes) && !rc; i++)
		if (notes[i].n)
			rc = tfs_strbuf_addf(out, "%" PRIu64 " of %" PRIu64 " %s:%.*s %s\n",
					     notes[i].n, t->with + t->without, t->type->system,
					     (int)t->type->name_len, t->type->name, notes[i].what);
	return rc;
}

bool tfs_weigh_any(const struct tfs_weigh *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < tfs_trace_index(w->traces[i])->n; k++)
			if (w->types[i][k].with)
				return true;
	return false;
}

/* Stacks may have been recorded, and not be in the file any more. */
static int note_none(const struct tfs_weigh *w, struct tfs_strbuf *out)
{
	bool damaged = false;

	for (size_t i = 0; i < w->n; i++)
		damaged |= tfs_dat_damage(tfs_trace_dat(w->traces[i])) != NULL;
	return tfs_strbuf_addf(out, "no event %s\n",
			       damaged ? "that could be read has a stack" :
					 "has a stack: record with -T, or -O userstacktrace");
}

int tfs_weigh_notes(const struct tfs_weigh *w, struct tfs_strbuf *out)
{
	const struct {
		uint64_t n;
		const char *what;
	} notes[] = {
		{ w->cut, "user stacks have the 8 callers that the kernel stores, and may go on" },
		{ w->after_loss, "events were followed by a loss, in which their stacks may be" },
	};
	int rc = tfs_weigh_any(w) ? note_types(w, out) : note_none(w, out);

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < tfs_trace_index(w->traces[i])->n && !rc; k++)
			if (w->types[i][k].type)
				rc = note_type(&w->types[i][k], out);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes) && !rc; i++)
		if (notes[i].n)
			rc = tfs_strbuf_addf(out, "%" PRIu64 " %s\n", notes[i].n, notes[i].what);
	return rc;
}

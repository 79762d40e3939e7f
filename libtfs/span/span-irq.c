/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "decode/event-type.h"
#include "decode/value.h"

/* Keys of open spans: a vector's name, an interrupt's number, a softirq's */
#define VECTOR (UINT64_C(1) << 32)
#define HANDLER (UINT64_C(2) << 32)
#define SOFTIRQ (UINT64_C(3) << 32)

/* "virtio0 (24)": one interrupt may have several handlers, several the same name */
static int name_handler(struct tfs_spans *s, const struct span_at *at, uint64_t irq, uint32_t *name)
{
	struct tfs_value value = { 0 };
	const struct tfs_field *f = at->type->text;
	bool has = f && tfs_fields_get(at->event->type->fields, f, at->event->rec.data,
				       at->event->rec.size, &value);
	uint64_t key = tfs_hash64(TFS_HASH64_INIT, &irq, sizeof(irq));
	char text[128];
	int rc;

	if (has)
		key = tfs_hash64(key, value.data, strnlen((const char *)value.data, value.size));
	*name = tfs_span_memo(s, key);
	if (*name != SPAN_NO_NAME)
		return 0;
	if (has)
		snprintf(text, sizeof(text), "%.*s (%" PRId64 ")",
			 (int)strnlen((const char *)value.data, value.size < 64 ? value.size : 64),
			 (const char *)value.data, (int64_t)irq);
	else
		snprintf(text, sizeof(text), "irq %" PRId64, (int64_t)irq);
	rc = tfs_span_name(s, text, sizeof(text), name);
	return rc ? rc : tfs_span_note(s, key, *name);
}

static int name_softirq(struct tfs_spans *s, const struct span_type *t, uint64_t vec,
			uint32_t *name)
{
	const char *label = tfs_span_label(&t->labels, vec);
	char text[24];

	if (label)
		return tfs_span_name(s, label, strlen(label), name);
	snprintf(text, sizeof(text), "softirq %u", (unsigned int)vec);
	return tfs_span_name(s, text, sizeof(text), name);
}

/* The subject of the record. false: it does not say */
static bool key_of(const struct span_at *at, uint64_t *key, uint64_t *number)
{
	switch (at->type->role) {
	case SPAN_VECTOR_ENTRY:
	case SPAN_VECTOR_EXIT:
		*key = VECTOR | at->type->name;
		return true;
	default:
		break;
	}
	if (!tfs_span_number(at->event, at->type->field[0], number))
		return false;
	*key = (at->type->role == SPAN_IRQ_ENTRY || at->type->role == SPAN_IRQ_EXIT ? HANDLER :
										      SOFTIRQ) |
	       (uint32_t)*number;
	return true;
}

static int end_top(struct tfs_spans *s, const struct span_scope *scope, struct span_cpu *cpu,
		   const struct span_close *how, const struct tfs_event *last)
{
	struct span_open *open = &cpu->irqs.v[--cpu->irqs.n];
	struct tfs_span_record end;
	struct tfs_span span = {
		.kind = (enum tfs_span_kind)open->kind,
		.flags = open->flags | how->flag,
		.cpu = cpu->nr,
		.end_cpu = cpu->nr,
		.tid = open->tid,
		.end_tid = open->tid,
		.name_id = open->name,
		.comm_id = s->none,
		.depth = open->depth,
		.begin = open->begin,
		.end = how->ts,
		.first = open->kept ? &open->kept->rec : NULL,
	};
	int rc;

	if (last) {
		end = tfs_span_record(last);
		span.last = &end;
	}
	rc = tfs_span_emit(s, scope, &span);
	free(open->kept);
	return rc;
}

int tfs_span_close_irqs(struct tfs_spans *s, const struct span_scope *scope, struct span_cpu *cpu,
			const struct span_close *how)
{
	int rc = 0;

	while (cpu->irqs.n && !rc)
		rc = end_top(s, scope, cpu, how, NULL);
	return rc;
}

static int name_of(struct tfs_spans *s, const struct span_at *at, uint64_t number, uint32_t *name)
{
	switch (at->type->role) {
	case SPAN_VECTOR_ENTRY:
	case SPAN_VECTOR_EXIT:
		*name = at->type->name;
		return 0;
	case SPAN_IRQ_ENTRY:
	case SPAN_IRQ_EXIT:
		return name_handler(s, at, number, name);
	default:
		return name_softirq(s, at->type, number, name);
	}
}

static enum tfs_span_kind kind_of(enum span_role role)
{
	return role == SPAN_SOFTIRQ_ENTRY || role == SPAN_SOFTIRQ_EXIT ? TFS_SPAN_SOFTIRQ :
									 TFS_SPAN_IRQ;
}

static int begin(struct tfs_spans *s, const struct span_at *at, uint64_t key, uint64_t number)
{
	struct span_cpu *cpu = at->cpu;
	struct span_open open = {
		.begin = at->ts,
		.key = key,
		.cpu = cpu->nr,
		.tid = at->event->pid,
		.flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED,
		.kind = (uint8_t)kind_of(at->type->role),
		.depth = (uint16_t)cpu->irqs.n,
	};
	int rc = name_of(s, at, number, &open.name);

	if (!rc && cpu->irqs.n >= SPAN_OPEN_MAX)
		rc = tfs_span_close_irqs(s, at->scope, cpu,
					 &(struct span_close){ .flag = TFS_SPAN_NO_END,
							       .ts = at->ts });
	if (!rc)
		rc = tfs_span_keep(s, kind_of(at->type->role), at->event, &open.kept);
	if (!rc)
		rc = tfs_span_push(&cpu->irqs, &open);
	if (rc)
		free(open.kept);
	return rc;
}

/* Its beginning was not recorded: what is open began in it, or earlier. */
static int end_unbegun(struct tfs_spans *s, const struct span_at *at, uint64_t key, uint64_t number)
{
	int rc = begin(s, at, key, number);

	if (rc)
		return rc;
	at->cpu->irqs.v[at->cpu->irqs.n - 1].flags |= TFS_SPAN_NO_BEGIN;
	return end_top(s, at->scope, at->cpu, &(struct span_close){ .ts = at->ts }, at->event);
}

static int end(struct tfs_spans *s, const struct span_at *at, uint64_t key, uint64_t number)
{
	const struct span_close missed = { .flag = TFS_SPAN_NO_END, .ts = at->ts };
	const struct span_close now = { .ts = at->ts };
	struct span_cpu *cpu = at->cpu;
	size_t i = cpu->irqs.n;
	int rc = 0;

	while (i && cpu->irqs.v[i - 1].key != key)
		i--;
	if (!i)
		return end_unbegun(s, at, key, number);
	while (cpu->irqs.n > i && !rc)
		rc = end_top(s, at->scope, cpu, &missed, NULL);
	return rc ? rc : end_top(s, at->scope, cpu, &now, at->event);
}

int tfs_span_irq(struct tfs_spans *s, const struct span_at *at)
{
	uint64_t key, number = 0;

	if (!tfs_span_wants(s, kind_of(at->type->role)) || !key_of(at, &key, &number))
		return 0;
	switch (at->type->role) {
	case SPAN_IRQ_ENTRY:
	case SPAN_VECTOR_ENTRY:
	case SPAN_SOFTIRQ_ENTRY:
		return begin(s, at, key, number);
	default:
		return end(s, at, key, number);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "printfmt/env.h"
#include "tracedat/dat-recorder.h"
#include "view/export-value.h"

/* Tags and lengths around an event's fields, its time stamp and task */
#define HEAD_MAX (8 * TFS_PROTO_FIELD_MAX)
/* Field of interned data, and of what it holds */
enum { INTERNED_KERNEL_SYMBOLS = 26, STRING_IID = 1, STRING_TEXT = 2 };
/* Fields of google.protobuf.DescriptorProto and FieldDescriptorProto */
enum { DESCRIPTOR_NAME = 1, DESCRIPTOR_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5, LABEL_OPTIONAL = 1 };
enum { TYPE_INT64 = 3, TYPE_UINT64 = 4, TYPE_INT32 = 5, TYPE_STRING = 9, TYPE_UINT32 = 13 };
/* Fields of a bundle's generic_event_descriptors */
enum { GENERIC_NUMBER = 1, GENERIC_DESCRIPTOR = 2, GENERIC_GROUP = 3 };

/* The kernel's devices: 12 and 20 bits */
#define MINOR_BITS 20

static const char *symbol_name(const struct perfetto_machine *m, uint64_t addr)
{
	const struct tfs_format_env *env = tfs_trace_env(m->trace);
	uint64_t start;

	return env->symbol ? env->symbol(env->symbols, addr, &start) : NULL;
}

static char *put_hex(char *p, uint64_t addr)
{
	return tfs_digits_hex(mempcpy(p, "0x", 2), addr, 1);
}

uint64_t tfs_perfetto_symbol(struct perfetto_machine *m, struct perfetto_cpu *cpu, uint64_t addr)
{
	uint64_t iid = (uintptr_t)tfs_hashmap_int(&cpu->symbols, addr);
	const char *name;
	char hex[24];

	if (iid)
		return iid;
	iid = cpu->symbols.n + 1;
	if (tfs_hashmap_add(&cpu->symbols, tfs_hash_int(addr), (void *)(uintptr_t)iid))
		return 0;
	name = symbol_name(m, addr);
	if (!name) {
		*put_hex(hex, addr) = '\0';
		name = hex;
	}
	tfs_proto_open(&cpu->interned, INTERNED_KERNEL_SYMBOLS);
	tfs_proto_uint(&cpu->interned, STRING_IID, iid);
	tfs_proto_string(&cpu->interned, STRING_TEXT, name);
	tfs_proto_close(&cpu->interned);
	return iid;
}

static unsigned int proto_type(const struct perfetto_rule *r)
{
	if (r->kind != PERFETTO_NUMBER)
		return TYPE_STRING;
	if (r->field->kind == TFS_VALUE_SIGNED)
		return r->field->element == 8 ? TYPE_INT64 : TYPE_INT32;
	return r->field->element == 8 ? TYPE_UINT64 : TYPE_UINT32;
}

/* The name of an event alone, unless another system has one of that name, too */
static bool is_name_unique(const struct perfetto_machine *m, const struct tfs_event_type *type)
{
	const struct tfs_event_index *index = tfs_trace_index(m->trace);

	for (size_t i = 0; i < index->n; i++) {
		const struct tfs_event_type *other = &index->types[i];

		if (other != type && other->name_len == type->name_len &&
		    !memcmp(other->name, type->name, type->name_len) &&
		    strcmp(other->system, type->system))
			return false;
	}
	return true;
}

static void describe_fields(const struct perfetto_type *t, struct tfs_proto *d)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct perfetto_rule *r = &t->rule[i];

		tfs_proto_open(d, DESCRIPTOR_FIELD);
		if (r->kind == PERFETTO_REST)
			tfs_proto_string(d, FIELD_NAME, "more_fields");
		else
			tfs_proto_text(d, FIELD_NAME, r->field->name, r->field->name_len);
		tfs_proto_uint(d, FIELD_NUMBER, r->number);
		tfs_proto_uint(d, FIELD_LABEL, LABEL_OPTIONAL);
		tfs_proto_uint(d, FIELD_TYPE, proto_type(r));
		tfs_proto_close(d);
	}
}

/* In the bundle that first has such an event */
static int describe(struct perfetto *pf, const struct perfetto_machine *m,
		    const struct tfs_event_type *type, struct perfetto_type *t, struct tfs_proto *d)
{
	int rc = 0;

	tfs_strbuf_reset(&pf->scratch);
	if (!is_name_unique(m, type))
		rc = tfs_strbuf_addf(&pf->scratch, "%s:", type->system);
	if (!rc)
		rc = tfs_strbuf_add(&pf->scratch, type->name, type->name_len);
	if (rc)
		return rc;
	tfs_proto_open(d, BUNDLE_DESCRIPTOR);
	tfs_proto_uint(d, GENERIC_NUMBER, t->message);
	tfs_proto_open(d, GENERIC_DESCRIPTOR);
	tfs_proto_text(d, DESCRIPTOR_NAME, pf->scratch.s, pf->scratch.len);
	describe_fields(t, d);
	tfs_proto_close(d);
	tfs_proto_string(d, GENERIC_GROUP, type->system);
	tfs_proto_close(d);
	t->described = true;
	return d->rc;
}

/* This field and those after it, as -R shows them */
static int add_rest(const struct tfs_event *event, const struct tfs_field *first,
		    struct tfs_strbuf *out)
{
	const struct tfs_fields *fields = event->type->fields;
	struct tfs_value v;
	int rc = 0;

	for (const struct tfs_field *f = first; f < fields->field + fields->n && !rc; f++) {
		if (!tfs_fields_get(fields, f, event->rec.data, event->rec.size, &v))
			continue;
		rc = tfs_strbuf_addf(out, "%s%.*s=", f == first ? "" : " ", (int)f->name_len,
				     f->name);
		if (!rc)
			rc = tfs_word_value(out, f, &v);
	}
	return rc;
}

static int add_name(const struct perfetto_machine *m, uint64_t addr, struct tfs_strbuf *out)
{
	const char *name = symbol_name(m, addr);
	char hex[24];

	return name ? tfs_strbuf_adds(out, name) :
		      tfs_strbuf_add(out, hex, (size_t)(put_hex(hex, addr) - hex));
}

/* Text goes to the scratch buffer; the value says where it is there. */
static int add_text(struct perfetto *pf, const struct perfetto_machine *m,
		    const struct tfs_event *event, const struct perfetto_rule *r,
		    struct tfs_value *v)
{
	struct tfs_strbuf *out = &pf->scratch;
	size_t start = out->len;
	int rc;

	if (r->kind == PERFETTO_DEVICE)
		rc = tfs_strbuf_addf(out, "%" PRIu64 ",%" PRIu64, v->number >> MINOR_BITS,
				     v->number & ((1u << MINOR_BITS) - 1));
	else if (r->kind == PERFETTO_NAME)
		rc = add_name(m, v->number, out);
	else if (r->kind == PERFETTO_REST)
		rc = add_rest(event, r->field, out);
	else
		rc = tfs_plain_value(out, r->field, v);
	v->number = start;
	v->size = out->len - start;
	v->n = 1;
	return rc;
}

/*
 * The value of a field, ready to be written; @v->n is 0 if the record has none. Adds to @room what
 * writing it takes at most.
 */
static int get_value(struct perfetto *pf, struct perfetto_cpu *cpu, const struct tfs_event *event,
		     const struct perfetto_rule *r, struct tfs_value *v, size_t *room)
{
	struct perfetto_machine *m = &pf->machine[event->input];
	int rc;

	*room += TFS_PROTO_FIELD_MAX;
	v->n = 1;
	if (r->kind == PERFETTO_RECORDER) {
		v->number = (uint64_t)(int64_t)event->pid;
		return 0;
	}
	if (!tfs_fields_get(event->type->fields, r->field, event->rec.data, event->rec.size, v)) {
		v->n = 0;
		if (r->kind != PERFETTO_REST)
			return 0;
	}
	switch (r->kind) {
	case PERFETTO_NUMBERS:
		*room += v->n * TFS_PROTO_FIELD_MAX;
		return 0;
	case PERFETTO_STRING:
		*room += TFS_PROTO_TEXT_MAX * v->size;
		v->n = 1;
		return 0;
	case PERFETTO_SYMBOL:
		v->n = 1;
		v->number = tfs_perfetto_symbol(m, cpu, v->number);
		return v->number ? 0 : -ENOMEM;
	case PERFETTO_NUMBER:
		v->n = 1;
		return 0;
	default:
		rc = add_text(pf, m, event, r, v);
		*room += TFS_PROTO_TEXT_MAX * v->size;
		return rc;
	}
}

static char *put_value(const struct perfetto *pf, char *p, const struct perfetto_rule *r,
		       const struct tfs_value *v)
{
	switch (r->kind) {
	case PERFETTO_NUMBER:
	case PERFETTO_SYMBOL:
	case PERFETTO_RECORDER:
		return tfs_proto_put_uint(p, r->number, v->number);
	case PERFETTO_NUMBERS:
		for (size_t i = 0; i < v->n; i++)
			p = tfs_proto_put_uint(p, r->number, tfs_value_element(r->field, v, i));
		return p;
	case PERFETTO_STRING:
		return tfs_proto_put_text(p, r->number, v->data, v->size);
	default:
		return tfs_proto_put_text(p, r->number, pf->scratch.s + v->number, v->size);
	}
}

/* An event's head: @body and @fields are set for what closes it. */
static char *put_head(char *p, const struct tfs_event *event, uint32_t message, char **body,
		      char **fields)
{
	p = tfs_proto_put_open(p, BUNDLE_EVENT, body);
	p = tfs_proto_put_uint(p, EVENT_TIMESTAMP, event->rec.ts);
	p = tfs_proto_put_uint(p, EVENT_PID, (uint64_t)(int64_t)event->pid);
	return tfs_proto_put_open(p, message, fields);
}

/* The same at the end: its message was written up to @p. */
static void end_event(struct perfetto_cpu *cpu, char *p, char *body, char *fields)
{
	tfs_proto_wrote(&cpu->events, tfs_proto_put_close(body, tfs_proto_put_close(fields, p)));
}

/* Values of a sched_switch, in the order of perfetto-types.c */
enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO, SWITCH_VALUES };
#define TASK_INTERRUPTIBLE 1

/*
 * The switch from one thread of the recorder to another that the kernel has left out. Readers need
 * it before this one, which takes off the other one, and count an error without it. Why the first
 * one was taken off nobody knows; as most of the time, it is taken to sleep.
 */
static int make_switch(struct perfetto *pf, struct perfetto_machine *m, struct perfetto_cpu *cpu,
		       const struct perfetto_type *t, const struct tfs_event *event)
{
	const struct tfs_value *v = pf->values;
	char *p, *body, *fields;

	p = tfs_proto_room(&cpu->events,
			   HEAD_MAX + SWITCH_VALUES * TFS_PROTO_FIELD_MAX +
				   TFS_PROTO_TEXT_MAX * (v[PREV_COMM].size + cpu->running.size));
	if (!p)
		return -ENOMEM;
	p = put_head(p, event, MESSAGE_SCHED_SWITCH, &body, &fields);
	p = tfs_proto_put_text(p, t->rule[PREV_COMM].number, cpu->running.comm, cpu->running.size);
	p = tfs_proto_put_uint(p, t->rule[PREV_PID].number, cpu->running.pid);
	p = tfs_proto_put_uint(p, t->rule[PREV_PRIO].number, cpu->running.prio);
	p = tfs_proto_put_uint(p, t->rule[PREV_STATE].number, TASK_INTERRUPTIBLE);
	p = tfs_proto_put_text(p, t->rule[NEXT_COMM].number, v[PREV_COMM].data, v[PREV_COMM].size);
	p = tfs_proto_put_uint(p, t->rule[NEXT_PID].number, v[PREV_PID].number);
	p = tfs_proto_put_uint(p, t->rule[NEXT_PRIO].number, v[PREV_PRIO].number);
	end_event(cpu, p, body, fields);
	m->counts.made++;
	return 0;
}

/* @pf->values are those of a sched_switch. */
static int follow_switch(struct perfetto *pf, struct perfetto_machine *m, struct perfetto_cpu *cpu,
			 const struct perfetto_type *t, const struct tfs_event *event)
{
	const struct tfs_value *v = pf->values;
	int rc = 0;

	for (size_t i = 0; i < SWITCH_VALUES; i++)
		if (!v[i].n ||
		    t->rule[i].kind !=
			    (i == PREV_COMM || i == NEXT_COMM ? PERFETTO_STRING : PERFETTO_NUMBER))
			return 0;
	if (cpu->running.known && cpu->running.buffer == event->rec.buffer &&
	    cpu->running.pid != v[PREV_PID].number &&
	    tfs_dat_recorder_has(m->recorder, (uint32_t)cpu->running.pid,
				 (uint32_t)v[PREV_PID].number))
		rc = make_switch(pf, m, cpu, t, event);
	cpu->running.known = v[NEXT_COMM].size <= sizeof(cpu->running.comm);
	cpu->running.buffer = event->rec.buffer;
	cpu->running.pid = v[NEXT_PID].number;
	cpu->running.prio = v[NEXT_PRIO].number;
	cpu->running.size = cpu->running.known ? v[NEXT_COMM].size : 0;
	memcpy(cpu->running.comm, v[NEXT_COMM].data, cpu->running.size);
	return rc;
}

static int write_event(struct perfetto *pf, struct perfetto_machine *m, struct perfetto_cpu *cpu,
		       const struct perfetto_type *t, const struct tfs_event *event)
{
	size_t room = HEAD_MAX;
	char *p, *body, *fields;
	int rc = 0;

	tfs_strbuf_reset(&pf->scratch);
	for (size_t i = 0; i < t->n && !rc; i++)
		rc = get_value(pf, cpu, event, &t->rule[i], &pf->values[i], &room);
	if (!rc && t->message == MESSAGE_SCHED_SWITCH && t->n == SWITCH_VALUES)
		rc = follow_switch(pf, m, cpu, t, event);
	if (rc)
		return rc;
	p = tfs_proto_room(&cpu->events, room);
	if (!p)
		return -ENOMEM;
	/* A sched_wakeup is written as the sched_waking that was not recorded. */
	p = put_head(p, event,
		     t->kind == PERFETTO_WAKEUP && !m->waking ? MESSAGE_SCHED_WAKING : t->message,
		     &body, &fields);
	for (size_t i = 0; i < t->n; i++)
		if (pf->values[i].n)
			p = put_value(pf, p, &t->rule[i], &pf->values[i]);
	end_event(cpu, p, body, fields);
	return 0;
}

/* The message is what tc-report prints of it: trace_printk(). */
static int write_print(struct perfetto *pf, struct perfetto_machine *m, struct perfetto_cpu *cpu,
		       const struct tfs_event *event)
{
	char *p, *body, *fields;
	int rc = 0;

	if (!m->text)
		rc = tfs_event_text_new(m->trace, TFS_EVENT_TEXT_FORMATTED, &m->text);
	tfs_strbuf_reset(&pf->event_text);
	if (!rc)
		rc = tfs_event_text_line(m->text, event, &pf->event_text);
	if (rc)
		return rc;
	p = tfs_proto_room(&cpu->events, HEAD_MAX + TFS_PROTO_TEXT_MAX * pf->event_text.len);
	if (!p)
		return -ENOMEM;
	p = put_head(p, event, MESSAGE_PRINT, &body, &fields);
	p = tfs_proto_put_text(p, 2, pf->event_text.s, pf->event_text.len);
	end_event(cpu, p, body, fields);
	return 0;
}

/*
 * raw_syscalls:sys_enter and syscalls:sys_enter_read may both have been recorded: they follow each
 * other on their CPU. The second is written with its fields.
 */
static struct perfetto_type *choose_call(struct perfetto_cpu *cpu, struct perfetto_type *t,
					 const struct tfs_event *event)
{
	bool enter = t->kind == PERFETTO_ENTER, second;
	struct tfs_value id = { 0 };

	tfs_fields_get(event->type->fields, t->rule[0].field, event->rec.data, event->rec.size,
		       &id);
	second = cpu->call.any && cpu->call.by_name != t->by_name && cpu->call.enter == enter &&
		 cpu->call.pid == event->pid && cpu->call.id == id.number;
	cpu->call.any = !second;
	cpu->call.by_name = t->by_name;
	cpu->call.enter = enter;
	cpu->call.pid = event->pid;
	cpu->call.id = id.number;
	return second ? t->other : t;
}

int tfs_perfetto_event(struct perfetto *pf, struct perfetto_machine *m, struct perfetto_cpu *cpu,
		       struct perfetto_type *t, const struct tfs_event *event)
{
	int rc = 0;

	switch (t->kind) {
	case PERFETTO_NOTHING:
		return 0;
	case PERFETTO_PRINT:
		m->counts.events++;
		return write_print(pf, m, cpu, event);
	case PERFETTO_WAKING:
		m->waking = true;
		break;
	case PERFETTO_WAKEUP:
		m->counts.woken += !m->waking;
		break;
	case PERFETTO_ENTER:
	case PERFETTO_EXIT:
		t = choose_call(cpu, t, event);
		break;
	case PERFETTO_CALL:
		rc = tfs_perfetto_call(m, t, event);
		break;
	case PERFETTO_RETURN:
		rc = tfs_perfetto_return(m, t, event);
		if (rc != 1)
			return rc;
		rc = 0;
		break;
	default:
		break;
	}
	if (rc)
		return rc < 0 ? rc : 0;
	if (t->generic && !t->described)
		rc = describe(pf, m, event->type, t, &cpu->described);
	if (rc)
		return rc;
	m->counts.events++;
	return t->kind == PERFETTO_NOTHING ? 0 : write_event(pf, m, cpu, t, event);
}

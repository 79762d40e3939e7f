/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>

#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/value.h"

/* Events whose records mean something to the model; the first fields are needed, NULL: no more */
static const struct role {
	const char *system, *name;
	enum span_role role;
	unsigned int needed;
	const char *fields[4];
	const char *text[2];
} roles[] = {
	{ "sched",
	  "sched_switch",
	  SPAN_SWITCH,
	  3,
	  { "prev_pid", "prev_state", "next_pid" },
	  { "prev_comm", "next_comm" } },
	{ "sched", "sched_waking", SPAN_WAKING, 1, { "pid", "target_cpu", "success" }, { "comm" } },
	{ "sched", "sched_wakeup", SPAN_WAKEUP, 1, { "pid", "target_cpu", "success" }, { "comm" } },
	{ "sched",
	  "sched_wakeup_new",
	  SPAN_WAKEUP_NEW,
	  1,
	  { "pid", "target_cpu", "success" },
	  { "comm" } },
	{ "sched", "sched_migrate_task", SPAN_MIGRATE, 2, { "pid", "dest_cpu" }, { NULL } },
	{ "irq", "irq_handler_entry", SPAN_IRQ_ENTRY, 1, { "irq" }, { "name" } },
	{ "irq", "irq_handler_exit", SPAN_IRQ_EXIT, 1, { "irq" }, { NULL } },
	{ "irq", "softirq_entry", SPAN_SOFTIRQ_ENTRY, 1, { "vec" }, { NULL } },
	{ "irq", "softirq_exit", SPAN_SOFTIRQ_EXIT, 1, { "vec" }, { NULL } },
	{ "raw_syscalls", "sys_enter", SPAN_RAW_ENTER, 1, { "id" }, { NULL } },
	{ "raw_syscalls", "sys_exit", SPAN_RAW_EXIT, 1, { "id", "ret" }, { NULL } },
	{ "ftrace", "funcgraph_entry", SPAN_CALL_ENTRY, 2, { "func", "depth" }, { NULL } },
	{ "ftrace", "fgraph_retaddr_entry", SPAN_CALL_ENTRY, 2, { "func", "depth" }, { NULL } },
	{ "ftrace",
	  "funcgraph_exit",
	  SPAN_CALL_EXIT,
	  2,
	  { "func", "depth", "calltime", "rettime" },
	  { NULL } },
};

/* Events of a system that come in twos: prefix and suffix of the name */
static const struct family {
	const char *system, *prefix, *suffix;
	enum span_role role;
} families[] = {
	{ "irq_vectors", "", "_entry", SPAN_VECTOR_ENTRY },
	{ "irq_vectors", "", "_exit", SPAN_VECTOR_EXIT },
	{ "syscalls", "sys_enter_", "", SPAN_SYS_ENTER },
	{ "syscalls", "sys_exit_", "", SPAN_SYS_EXIT },
};

static bool is_named(const struct tfs_event_type *type, const char *name)
{
	return type->name_len == strlen(name) && !memcmp(type->name, name, type->name_len);
}

static const struct tfs_field *find(const struct tfs_event_type *type, const char *name)
{
	return tfs_fields_find(type->fields, name, strlen(name));
}

/* A number at a fixed place; else there is none. */
static struct span_field number_field(const struct tfs_event_type *type, const char *name)
{
	const struct tfs_field *f = find(type, name);

	if (!f || f->place != TFS_FIELD_FIXED || f->array || f->offset > UINT16_MAX ||
	    (f->kind != TFS_VALUE_UNSIGNED && f->kind != TFS_VALUE_SIGNED &&
	     f->kind != TFS_VALUE_ADDRESS) ||
	    (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return (struct span_field){ 0 };
	return (struct span_field){ .offset = (uint16_t)f->offset,
				    .size = (uint8_t)f->size,
				    .is_signed = f->kind == TFS_VALUE_SIGNED,
				    .big = f->big };
}

static void learn_text(struct span_type *t, const struct tfs_event_type *type, const char *name,
		       struct span_text *comm)
{
	const struct tfs_field *f = find(type, name);

	if (!f || f->kind != TFS_VALUE_STRING)
		return;
	t->text = f;
	if (f->place != TFS_FIELD_FIXED || f->offset > UINT16_MAX || f->size > UINT16_MAX)
		return;
	*comm = (struct span_text){ (uint16_t)f->offset, (uint16_t)f->size };
}

static int learn_role(struct span_type *t, const struct tfs_event_type *type,
		      const struct role *role)
{
	for (size_t i = 0; i < ARRAY_SIZE(role->fields) && role->fields[i]; i++) {
		t->field[i] = number_field(type, role->fields[i]);
		if (!t->field[i].size && i < role->needed)
			return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(role->text) && role->text[i]; i++)
		learn_text(t, type, role->text[i], &t->comm[i]);
	t->role = role->role;
	if (t->role == SPAN_SWITCH || t->role == SPAN_SOFTIRQ_ENTRY)
		return tfs_span_labels(type, &t->labels);
	return 0;
}

static int learn_family(struct tfs_spans *s, struct span_type *t, const struct tfs_event_type *type)
{
	const struct family *f;
	size_t before, after;

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		f = &families[i];
		before = strlen(f->prefix);
		after = strlen(f->suffix);
		if (strcmp(type->system, f->system) != 0 || type->name_len <= before + after ||
		    memcmp(type->name, f->prefix, before) != 0 ||
		    memcmp(type->name + type->name_len - after, f->suffix, after) != 0)
			continue;
		t->role = f->role;
		t->field[0] = number_field(type, "__syscall_nr");
		if (!t->field[0].size)
			t->field[0] = number_field(type, "nr");
		t->field[1] = number_field(type, "ret");
		return tfs_span_name(s, type->name + before, type->name_len - before - after,
				     &t->name);
	}
	return 0;
}

int tfs_span_learn(struct tfs_spans *s, struct span_type *t, const struct tfs_event_type *type)
{
	t->role = SPAN_NO_ROLE;
	t->name = s->none;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (!strcmp(type->system, roles[i].system) && is_named(type, roles[i].name))
			return learn_role(t, type, &roles[i]);
	return learn_family(s, t, type);
}

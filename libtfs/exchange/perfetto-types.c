/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/types.h"

/* Fields that a described event may have; the last takes the rest as text. */
#define GENERIC_FIELDS 31

/*
 * Messages of events that readers make more of than rows
 * (protos/perfetto/trace/ftrace/ftrace_event.proto and the files that it includes). Others are
 * described in the file: a message would leave out what their kernel added.
 * @fields: the first is field 1 of the message, and so on. "*": an address that is shown by name;
 *	"?": not all kernels have it; "!": where they have not, it is the task that recorded
 *	the event
 */
static const struct native {
	const char *system, *name;
	enum perfetto_event_kind kind;
	uint32_t message;
	const char *fields;
} natives[] = {
	{ "ftrace", "print", PERFETTO_PLAIN, 3, "ip buf" },
	{ "ftrace", "funcgraph_entry", PERFETTO_CALL, 437, "depth func*" },
	{ "ftrace", "funcgraph_exit", PERFETTO_RETURN, 438,
	  "calltime? depth func* overrun? rettime?" },
	{ "sched", "sched_switch", PERFETTO_PLAIN, 4,
	  "prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio" },
	{ "sched", "sched_waking", PERFETTO_WAKING, 20, "comm pid prio success? target_cpu?" },
	{ "sched", "sched_wakeup", PERFETTO_WAKEUP, 17, "comm pid prio success? target_cpu?" },
	{ "sched", "sched_wakeup_new", PERFETTO_PLAIN, 114, "comm pid prio success? target_cpu?" },
	{ "sched", "sched_blocked_reason", PERFETTO_PLAIN, 18, "pid caller* io_wait" },
	{ "sched", "sched_process_exec", PERFETTO_PLAIN, 237, "filename pid old_pid" },
	{ "sched", "sched_process_exit", PERFETTO_PLAIN, 238, "comm pid tgid? prio" },
	{ "sched", "sched_process_fork", PERFETTO_PLAIN, 239,
	  "parent_comm parent_pid child_comm child_pid" },
	{ "sched", "sched_process_free", PERFETTO_PLAIN, 240, "comm pid prio" },
	{ "task", "task_newtask", PERFETTO_PLAIN, 235, "pid comm clone_flags oom_score_adj?" },
	{ "task", "task_rename", PERFETTO_PLAIN, 236, "pid! oldcomm newcomm oom_score_adj?" },
	{ "irq", "irq_handler_entry", PERFETTO_PLAIN, 36, "irq name" },
	{ "irq", "irq_handler_exit", PERFETTO_PLAIN, 37, "irq ret" },
	{ "irq", "softirq_entry", PERFETTO_PLAIN, 24, "vec" },
	{ "irq", "softirq_exit", PERFETTO_PLAIN, 25, "vec" },
	{ "irq", "softirq_raise", PERFETTO_PLAIN, 26, "vec" },
	{ "irq_vectors", "local_timer_entry", PERFETTO_PLAIN, 559, "vector" },
	{ "irq_vectors", "local_timer_exit", PERFETTO_PLAIN, 560, "vector" },
	{ "timer", "hrtimer_expire_entry", PERFETTO_PLAIN, 553, "hrtimer now function*" },
	{ "timer", "hrtimer_expire_exit", PERFETTO_PLAIN, 554, "hrtimer" },
	{ "workqueue", "workqueue_execute_start", PERFETTO_PLAIN, 58, "work function*" },
	{ "workqueue", "workqueue_execute_end", PERFETTO_PLAIN, 57, "work function*?" },
	{ "raw_syscalls", "sys_enter", PERFETTO_ENTER, 329, "id args" },
	{ "raw_syscalls", "sys_exit", PERFETTO_EXIT, 330, "id ret" },
	{ "power", "cpu_frequency", PERFETTO_PLAIN, 11, "state cpu_id" },
	{ "power", "cpu_idle", PERFETTO_PLAIN, 13, "state cpu_id" },
	{ "signal", "signal_generate", PERFETTO_PLAIN, 325, "code comm group pid result sig" },
	{ "signal", "signal_deliver", PERFETTO_PLAIN, 324, "code sa_flags sig" },
	{ "block", "block_io_start", PERFETTO_PLAIN, 546,
	  "dev sector nr_sector bytes ioprio? rwbs comm cmd?" },
	{ "block", "block_io_done", PERFETTO_PLAIN, 547,
	  "dev sector nr_sector bytes ioprio? rwbs comm cmd?" },
};

static bool is_type(const struct tfs_event_type *t, const char *system, const char *name)
{
	return !strcmp(t->system, system) && strlen(name) == t->name_len &&
	       !memcmp(t->name, name, t->name_len);
}

static struct perfetto_type *new_type(enum perfetto_event_kind kind, size_t n)
{
	struct perfetto_type *t = calloc(1, sizeof(*t) + n * sizeof(t->rule[0]));

	if (t)
		t->kind = kind;
	return t;
}

void tfs_perfetto_type_free(struct perfetto_type *t)
{
	if (t)
		free(t->other);
	free(t);
}

static bool is_number(const struct tfs_field *f)
{
	return f->kind <= TFS_VALUE_ADDRESS && !f->array;
}

static enum perfetto_rule_kind native_rule(const struct tfs_field *f)
{
	if (f->kind == TFS_VALUE_STRING)
		return PERFETTO_STRING;
	if (f->kind > TFS_VALUE_ADDRESS)
		return PERFETTO_TEXT;
	return f->array ? PERFETTO_NUMBERS : PERFETTO_NUMBER;
}

/* *@out stays NULL if the format lacks a field that the message needs. */
static int compile_native(const struct native *native, const struct tfs_fields *fields,
			  struct perfetto_type **out)
{
	const char *name = native->fields, *end;
	struct perfetto_type *t = new_type(native->kind, strlen(name) / 2 + 1);
	uint32_t number = 1;

	if (!t)
		return -ENOMEM;
	t->message = native->message;
	for (; *name; name = end + strcspn(end, " "), name += *name == ' ', number++) {
		struct perfetto_rule *r = &t->rule[t->n];
		size_t len = strcspn(name, "*?! ");

		end = name + len;
		r->field = tfs_fields_find(fields, name, len);
		r->number = number;
		if (!r->field && *end == '!') {
			r->kind = PERFETTO_RECORDER;
		} else if (!r->field) {
			if (end[strspn(end, "*")] == '?')
				continue;
			free(t);
			return 0;
		} else {
			r->kind = *end == '*' && is_number(r->field) ? PERFETTO_SYMBOL :
								       native_rule(r->field);
		}
		t->n++;
	}
	t->func = tfs_fields_find(fields, "func", 4);
	t->depth = tfs_fields_find(fields, "depth", 5);
	*out = t;
	return 0;
}

static enum perfetto_rule_kind generic_rule(const struct tfs_event_type *type,
					    const struct tfs_field *f)
{
	if (f->kind == TFS_VALUE_STRING)
		return PERFETTO_STRING;
	if (f->means || !is_number(f))
		return PERFETTO_TEXT;
	if (f->device)
		return PERFETTO_DEVICE;
	/* A traced function is shown by name. */
	if (tfs_type_is_ftrace(type, "function") && f->element == 8)
		return PERFETTO_NAME;
	return PERFETTO_NUMBER;
}

/* One that the file describes; it is not written when there are too many. */
static int compile_generic(struct perfetto *pf, const struct tfs_event_type *type,
			   struct perfetto_type **out)
{
	const struct tfs_fields *fields = type->fields;
	size_t n = fields->n > GENERIC_FIELDS ? GENERIC_FIELDS : fields->n;
	struct perfetto_type *t = new_type(PERFETTO_PLAIN, n);

	*out = t;
	if (!t)
		return -ENOMEM;
	if (pf->next > PERFETTO_GENERIC_LAST) {
		t->kind = PERFETTO_NOTHING;
		return 0;
	}
	t->generic = true;
	t->message = pf->next++;
	for (; t->n < n; t->n++)
		t->rule[t->n] = (struct perfetto_rule){
			.kind = generic_rule(type, &fields->field[t->n]),
			.number = (uint32_t)t->n + 1,
			.field = &fields->field[t->n],
		};
	if (fields->n > n)
		t->rule[n - 1].kind = PERFETTO_REST;
	return 0;
}

/* syscalls:sys_enter_read as raw_syscalls:sys_enter: the number, and what follows it */
static int compile_syscall(struct perfetto *pf, const struct tfs_event_type *type,
			   struct perfetto_type **out)
{
	static const char nr[] = "__syscall_nr";
	bool enter = !strncmp(type->name, "sys_enter_", 10);
	const struct tfs_fields *fields = type->fields;
	const struct tfs_field *id = tfs_fields_find(fields, nr, sizeof(nr) - 1);
	struct perfetto_type *t;

	if (!id || !(enter || !strncmp(type->name, "sys_exit_", 9)))
		return compile_generic(pf, type, out);
	t = new_type(enter ? PERFETTO_ENTER : PERFETTO_EXIT, fields->n);
	if (!t)
		return -ENOMEM;
	t->message = enter ? MESSAGE_SYS_ENTER : MESSAGE_SYS_EXIT;
	t->by_name = true;
	t->rule[t->n++] = (struct perfetto_rule){ PERFETTO_NUMBER, 1, id };
	for (size_t i = 0; i < fields->n; i++)
		if (&fields->field[i] != id && is_number(&fields->field[i]))
			t->rule[t->n++] =
				(struct perfetto_rule){ PERFETTO_NUMBER, 2, &fields->field[i] };
	*out = t;
	return compile_generic(pf, type, &t->other);
}

static bool is_syscall(const struct tfs_event_type *type)
{
	return !strcmp(type->system, "syscalls") || !strcmp(type->system, "raw_syscalls");
}

static int compile(struct perfetto *pf, const struct perfetto_machine *m,
		   const struct tfs_event_type *type, struct perfetto_type **out)
{
	int rc = 0;

	if (m->own_syscalls && is_syscall(type))
		return compile_generic(pf, type, out);

	if (tfs_type_is_ftrace(type, "kernel_stack") || tfs_type_is_ftrace(type, "user_stack")) {
		*out = new_type(PERFETTO_NOTHING, 0);
		return *out ? 0 : -ENOMEM;
	}
	if (tfs_type_is_ftrace(type, "bprint") || tfs_type_is_ftrace(type, "bputs")) {
		*out = new_type(PERFETTO_PRINT, 0);
		return *out ? 0 : -ENOMEM;
	}
	if (!strcmp(type->system, "syscalls"))
		return compile_syscall(pf, type, out);
	for (size_t i = 0; i < ARRAY_SIZE(natives) && !rc && !*out; i++)
		if (is_type(type, natives[i].system, natives[i].name))
			rc = compile_native(&natives[i], type->fields, out);
	if (!rc && !*out)
		return compile_generic(pf, type, out);
	if (!rc && ((*out)->kind == PERFETTO_ENTER || (*out)->kind == PERFETTO_EXIT))
		rc = compile_generic(pf, type, &(*out)->other);
	return rc;
}

int tfs_perfetto_type(struct perfetto *pf, struct perfetto_machine *m,
		      const struct tfs_event_type *type, struct perfetto_type **out)
{
	struct perfetto_type **t = &m->types[type->index];
	struct tfs_value *values;
	int rc;

	if (!*t) {
		if (type->fields->n > pf->n_values) {
			values = realloc(pf->values, type->fields->n * sizeof(*values));
			if (!values)
				return -ENOMEM;
			pf->values = values;
			pf->n_values = type->fields->n;
		}
		rc = compile(pf, m, type, t);
		if (rc) {
			tfs_perfetto_type_free(*t);
			*t = NULL;
			return rc;
		}
	}
	*out = *t;
	return 0;
}

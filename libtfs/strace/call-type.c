/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-type.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/value.h"
#include "strace/args-kinds.h"
#include "strace/call-texts.h"
#include "strace/calls.h"
#include "syscalls/tables.h"

#define ENTER "sys_enter_"
#define EXIT "sys_exit_"
/* Kernels from 6.19 on call the text of parameter NAME __NAME_val */
#define TEXT_FORMAT "__%s_val"
#define NAME_MAX_LEN 64
/* syscall_user_buf_size: by default, and at most (kernel: SYSCALL_FAULT_USER_MAX in trace.h) */
#define DEFAULT_SIZE 63
#define MAX_SIZE 165

static bool starts_with(const struct tfs_event_type *type, const char *start)
{
	return type->name_len > strlen(start) && !memcmp(type->name, start, strlen(start));
}

static bool is_name(const struct tfs_event_type *type, const char *name)
{
	return type->name_len == strlen(name) && !memcmp(type->name, name, type->name_len);
}

static enum tfs_call_type_role find_role(const struct tfs_event_type *type)
{
	static const struct {
		const char *system, *name;
		enum tfs_call_type_role role;
	} roles[] = {
		{ "raw_syscalls", "sys_enter", TFS_CALL_TYPE_ENTER },
		{ "raw_syscalls", "sys_exit", TFS_CALL_TYPE_EXIT },
		{ "sched", "sched_process_fork", TFS_CALL_TYPE_FORK },
		{ "task", "task_newtask", TFS_CALL_TYPE_FORK },
		{ "sched", "sched_process_exec", TFS_CALL_TYPE_EXEC },
		{ "sched", "sched_process_exit", TFS_CALL_TYPE_TASK_END },
		{ "signal", "signal_deliver", TFS_CALL_TYPE_SIGNAL },
		{ "task", "task_rename", TFS_CALL_TYPE_RENAME },
	};

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (!strcmp(type->system, roles[i].system) && is_name(type, roles[i].name))
			return roles[i].role;
	if (!strcmp(type->system, "syscalls")) {
		if (starts_with(type, ENTER))
			return TFS_CALL_TYPE_NAMED_ENTER;
		if (starts_with(type, EXIT))
			return TFS_CALL_TYPE_NAMED_EXIT;
	}
	if (is_name(type, TFS_CALL_GETNAME))
		return TFS_CALL_TYPE_GETNAME;
	if (starts_with(type, TFS_CALL_ENTER_TEXT))
		return TFS_CALL_TYPE_TEXT;
	if (starts_with(type, TFS_CALL_BEFORE_TEXT))
		return TFS_CALL_TYPE_BEFORE;
	return TFS_CALL_TYPE_OTHER;
}

static const struct tfs_field *find(const struct tfs_fields *fields, const char *name)
{
	return tfs_fields_find(fields, name, strlen(name));
}

static void set_number(struct tfs_call_number *n, const struct tfs_field *f, size_t i)
{
	if (!f || f->place != TFS_FIELD_FIXED || f->kind > TFS_VALUE_ADDRESS ||
	    (i + 1) * f->element > f->size)
		return;
	*n = (struct tfs_call_number){
		.offset = f->offset + (unsigned int)(i * f->element),
		.size = (uint8_t)f->element,
		.big = f->big,
		.is_signed = f->kind == TFS_VALUE_SIGNED,
	};
}

/* An id or a result is a long, whatever its field is called: compare it as one. */
static void set_signed(struct tfs_call_number *n, const struct tfs_field *f)
{
	set_number(n, f, 0);
	n->is_signed = true;
}

static void init_named(struct tfs_call_type *t)
{
	char name[NAME_MAX_LEN];

	set_signed(&t->nr, find(t->fields, "__syscall_nr"));
	if (!t->nr.size)
		set_signed(&t->nr, find(t->fields, "nr"));
	for (size_t i = 0; i < t->fields->n && t->n_args < TFS_CALL_ARGS; i++) {
		const struct tfs_field *f = &t->fields->field[i];

		/* The number and texts are not parameters; those are one register each. */
		if (f->place != TFS_FIELD_FIXED || !strcmp(f->name, "__syscall_nr") ||
		    !strcmp(f->name, "nr"))
			continue;
		set_number(&t->args[t->n_args], f, 0);
		snprintf(name, sizeof(name), TEXT_FORMAT, f->name);
		t->text[t->n_args] = find(t->fields, name);
		t->has_text |= t->text[t->n_args] != NULL;
		t->n_args++;
	}
	t->native = t->has_text;
}

static void init_text(struct tfs_call_type *t)
{
	char name[NAME_MAX_LEN];

	set_signed(&t->nr, find(t->fields, "nr"));
	for (t->n_args = 0; t->n_args < TFS_CALL_ARGS; t->n_args++) {
		snprintf(name, sizeof(name), "text%u", t->n_args);
		t->text[t->n_args] = find(t->fields, name);
		t->has_text |= t->text[t->n_args] != NULL;
	}
}

static void init_getname(struct tfs_call_type *t)
{
	set_signed(&t->ret, find(t->fields, "ret"));
	set_number(&t->address, find(t->fields, "ptr"), 0);
	t->text[0] = find(t->fields, "name");
	t->has_text = t->text[0] != NULL;
	t->n_args = 1;
}

static void init_raw(struct tfs_call_type *t)
{
	const struct tfs_field *args = find(t->fields, "args");

	set_signed(&t->nr, find(t->fields, "id"));
	for (t->n_args = 0; args && t->n_args < TFS_CALL_ARGS; t->n_args++)
		set_number(&t->args[t->n_args], args, t->n_args);
}

void tfs_call_type_init(struct tfs_call_type *t, const struct tfs_event_type *type)
{
	*t = (struct tfs_call_type){ .role = TFS_CALL_TYPE_OTHER, .fields = type->fields };
	if (!type->fields)
		return;
	t->role = find_role(type);
	switch (t->role) {
	case TFS_CALL_TYPE_ENTER:
		init_raw(t);
		break;
	case TFS_CALL_TYPE_NAMED_ENTER:
		init_named(t);
		break;
	case TFS_CALL_TYPE_EXIT:
		set_signed(&t->nr, find(t->fields, "id"));
		set_signed(&t->ret, find(t->fields, "ret"));
		break;
	case TFS_CALL_TYPE_NAMED_EXIT:
		init_named(t);
		set_signed(&t->ret, find(t->fields, "ret"));
		break;
	case TFS_CALL_TYPE_FORK:
		set_number(&t->pid, find(t->fields, "child_pid"), 0);
		if (!t->pid.size)
			set_number(&t->pid, find(t->fields, "pid"), 0);
		set_number(&t->clone_flags, find(t->fields, "clone_flags"), 0);
		break;
	case TFS_CALL_TYPE_EXEC:
		set_number(&t->old_pid, find(t->fields, "old_pid"), 0);
		t->file = find(t->fields, "filename");
		break;
	case TFS_CALL_TYPE_SIGNAL:
		set_number(&t->sig, find(t->fields, "sig"), 0);
		set_number(&t->code, find(t->fields, "code"), 0);
		set_number(&t->error, find(t->fields, "errno"), 0);
		set_number(&t->handler, find(t->fields, "sa_handler"), 0);
		break;
	case TFS_CALL_TYPE_RENAME:
		set_number(&t->pid, find(t->fields, "pid"), 0);
		t->comm = find(t->fields, "newcomm");
		break;
	case TFS_CALL_TYPE_GETNAME:
		init_getname(t);
		break;
	case TFS_CALL_TYPE_TEXT:
	case TFS_CALL_TYPE_BEFORE:
		init_text(t);
		break;
	case TFS_CALL_TYPE_TASK_END:
	case TFS_CALL_TYPE_UNKNOWN:
	case TFS_CALL_TYPE_OTHER:
		break;
	}
}

static uint64_t read_bytes(const unsigned char *p, unsigned int size, bool big)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < size; i++)
		n |= (uint64_t)p[big ? size - 1 - i : i] << 8 * i;
	return n;
}

bool tfs_call_type_number(const struct tfs_call_number *n, const struct tfs_event *event,
			  int64_t *value)
{
	const unsigned char *p = (const unsigned char *)event->rec.data + n->offset;
	const bool foreign = n->big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	uint64_t v;

	if (!n->size || (uint64_t)n->offset + n->size > event->rec.size)
		return false;
	if (n->size == sizeof(v) && !foreign) {
		memcpy(value, p, sizeof(*value));
		return true;
	}
	v = read_bytes(p, n->size, n->big);
	if (n->is_signed && n->size < sizeof(v)) {
		unsigned int unused = 64 - 8u * n->size;

		*value = (int64_t)(v << unused) >> unused;
	} else {
		*value = (int64_t)v;
	}
	return true;
}

bool tfs_call_type_nr(const struct tfs_call_type *t, const struct tfs_event *event, int64_t *nr)
{
	return tfs_call_type_number(&t->nr, event, nr);
}

bool tfs_call_type_ret(const struct tfs_call_type *t, const struct tfs_event *event, int64_t *ret)
{
	return tfs_call_type_number(&t->ret, event, ret);
}

void tfs_call_type_args(const struct tfs_call_type *t, const struct tfs_event *event,
			struct tfs_call *call)
{
	int64_t value;

	for (unsigned int i = 0; i < t->n_args; i++)
		call->args[i] = tfs_call_type_number(&t->args[i], event, &value) ? (uint64_t)value :
										   0;
}

/* A text that was cut ends in three dots, after as many bytes as syscall_user_buf_size says. */
static bool is_cut(const unsigned char *data, size_t size)
{
	static const char dots[] = "...";

	return (size == DEFAULT_SIZE + sizeof(dots) || size == MAX_SIZE + sizeof(dots)) &&
	       !memcmp(data + size - sizeof(dots), dots, sizeof(dots));
}

/*
 * The kernel's own text of parameter @i: a string with its end, or as many bytes as the parameter
 * after it says. Without any byte it could not be read.
 */
static bool set_native(const struct tfs_call *call, unsigned int i, const struct tfs_value *v,
		       size_t size, struct tfs_call_text *text)
{
	const struct sys_proto *proto = call && call->entry ? call->entry->proto : NULL;
	const bool counted = size ? !memchr(v->data, 0, size) : false;

	if (!proto || i >= proto->n_args || !args_is_text(proto->args[i].kind))
		return false;
	*text = (struct tfs_call_text){ .s = (const char *)v->data, .len = (uint32_t)v->size };
	if (proto->args[i].kind == SYS_BUF || counted) {
		const uint64_t count = i + 1 < TFS_CALL_ARGS ? call->args[i + 1] : 0;

		text->len = (uint32_t)size;
		text->cut = size < count;
		return size || !count;
	}
	if (is_cut(v->data, size)) {
		text->len -= 3;
		text->cut = true;
	}
	return size;
}

/* A probe could not read the memory. A string without bytes still has its end. */
static bool is_fault(const struct tfs_value *v, size_t size)
{
	static const char fault[] = "(fault)";

	return !size || (v->size == strlen(fault) && !memcmp(v->data, fault, v->size));
}

unsigned int tfs_call_type_text(const struct tfs_call_type *t, const struct tfs_event *event,
				const struct tfs_call *call,
				struct tfs_call_text text[TFS_CALL_ARGS])
{
	unsigned int has = 0;
	struct tfs_value v;

	for (unsigned int i = 0; t->has_text && i < t->n_args; i++) {
		const struct tfs_field *f = t->text[i];
		const unsigned char *data = event->rec.data;
		size_t size;

		if (!f || f->place == TFS_FIELD_FIXED ||
		    !tfs_fields_get(t->fields, f, data, event->rec.size, &v))
			continue;
		size = tfs_load_u32(data + f->offset, f->big) >> 16;
		if (t->native) {
			has |= set_native(call, i, &v, size, &text[i]) ? 1u << i : 0;
		} else if (!is_fault(&v, size)) {
			text[i] = (struct tfs_call_text){ .s = (const char *)v.data,
							  .len = (uint32_t)v.size };
			has |= 1u << i;
		}
	}
	return has;
}

bool tfs_call_type_signal(const struct tfs_call_type *t, const struct tfs_event *event,
			  struct tfs_call_signal *sig, int64_t *handler)
{
	int64_t nr, code, error;

	if (!tfs_call_type_number(&t->sig, event, &nr) ||
	    !tfs_call_type_number(&t->code, event, &code) ||
	    !tfs_call_type_number(&t->error, event, &error) ||
	    !tfs_call_type_number(&t->handler, event, handler))
		return false;
	sig->sig = (int)nr;
	sig->code = (int)code;
	sig->error = (int)error;
	return true;
}

void tfs_call_type_comm(const struct tfs_call_type *t, const struct tfs_event *event,
			char comm[TFS_CALL_COMM])
{
	struct tfs_value v;
	size_t len = 0;

	if (t->comm && tfs_fields_get(t->fields, t->comm, event->rec.data, event->rec.size, &v))
		len = v.size < TFS_CALL_COMM ? v.size : TFS_CALL_COMM - 1;
	if (len)
		memcpy(comm, v.data, len);
	comm[len] = '\0';
}

const char *tfs_call_type_file(const struct tfs_call_type *t, const struct tfs_event *event)
{
	struct tfs_value v;

	if (!t->file || !tfs_fields_get(t->fields, t->file, event->rec.data, event->rec.size, &v) ||
	    !v.size ||
	    !memchr(v.data, 0,
		    (size_t)((const unsigned char *)event->rec.data + event->rec.size - v.data)))
		return NULL;
	return (const char *)v.data;
}

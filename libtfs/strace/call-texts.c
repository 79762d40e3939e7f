/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/event-type.h"
#include "decode/event.h"
#include "strace/args-kinds.h"
#include "strace/call-type.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"
#include "tracedat/dat-read.h"

#define SYS_ENTER "sys_enter_"
/* The text of a parameter in a format: "__data_loc char[] __filename_val" */
#define NATIVE_TEXT "_val;"
/* uapi/linux/fcntl.h */
#define AT_EMPTY_PATH 0x1000

/* Parameters that a text can be of */
static unsigned int text_args(const struct sys_proto *proto)
{
	unsigned int args = 0;

	for (unsigned int i = 0; i < proto->n_args && i < TFS_CALL_ARGS; i++)
		if (args_is_text(proto->args[i].kind))
			args |= 1u << i;
	return args;
}

static unsigned int path_args(const struct sys_proto *proto)
{
	unsigned int args = 0;

	for (unsigned int i = 0; i < proto->n_args && i < TFS_CALL_ARGS; i++)
		if (proto->args[i].kind == SYS_PATH)
			args |= 1u << i;
	return args;
}

/* All calls of that event have these. */
static void add_event(struct tfs_call_texts *texts, const char *event, size_t len)
{
	const struct sys_table *table = &sys_tables[texts->abi];

	for (size_t i = 0; i < table->n; i++) {
		const struct sys_proto *proto = table->entries[i].proto;

		if (proto->event && !strncmp(proto->event, event, len) && !proto->event[len])
			texts->by_entry[i] = (uint8_t)text_args(proto);
	}
}

static bool begins(const struct tfs_event_type *type, const char *start)
{
	return type->name_len > strlen(start) && !memcmp(type->name, start, strlen(start));
}

static bool is_event(const struct tfs_event_type *type, const char *name)
{
	return type->name_len == strlen(name) && !memcmp(type->name, name, type->name_len);
}

static bool has_native_text(const struct tfs_event_type *type)
{
	const struct tfs_blob *text = type->format ? &type->format->text : NULL;

	return !strcmp(type->system, "syscalls") && begins(type, SYS_ENTER) && text &&
	       memmem(text->data, text->size, NATIVE_TEXT, strlen(NATIVE_TEXT));
}

int tfs_call_texts_init(struct tfs_call_texts *texts, const struct tfs_trace *trace, int abi)
{
	const struct tfs_event_index *index = tfs_trace_index(trace);
	const bool known = abi >= 0 && abi < SYS_N_ABIS;

	*texts = (struct tfs_call_texts){ .abi = abi };
	texts->by_entry = calloc(known ? sys_tables[abi].n + 1 : 1, sizeof(*texts->by_entry));
	if (!texts->by_entry)
		return -ENOMEM;
	for (size_t i = 0; known && i < index->n; i++) {
		const struct tfs_event_type *type = &index->types[i];
		const size_t native = strlen(SYS_ENTER), probe = strlen(TFS_CALL_ENTER_TEXT);

		if (is_event(type, TFS_CALL_GETNAME))
			texts->names = true;
		else if (is_event(type, "sched_process_exec"))
			texts->execs = true;
		else if (begins(type, TFS_CALL_ENTER_TEXT))
			add_event(texts, type->name + probe, type->name_len - probe);
		else if (has_native_text(type))
			add_event(texts, type->name + native, type->name_len - native);
	}
	return 0;
}

void tfs_call_texts_release(struct tfs_call_texts *texts)
{
	free(texts->by_entry);
	texts->by_entry = NULL;
}

void tfs_call_kept_init(struct tfs_call_kept *kept)
{
	memset(kept, 0, sizeof(*kept));
	tfs_strbuf_init(&kept->bytes);
}

void tfs_call_kept_release(struct tfs_call_kept *kept)
{
	tfs_strbuf_release(&kept->bytes);
}

/* An argument without an address has no text. */
static unsigned int set_args(const struct tfs_call *call, unsigned int args)
{
	for (unsigned int i = 0; i < TFS_CALL_ARGS; i++)
		if (args & 1u << i && !args_value(call, call->entry->proto, i))
			args &= ~(1u << i);
	return args;
}

static bool executes(const struct sys_entry *entry)
{
	return !strcmp(entry->name, "execve") || !strcmp(entry->name, "execveat");
}

void tfs_call_kept_begin(struct tfs_call_kept *kept, const struct tfs_call_texts *texts,
			 const struct tfs_call *call)
{
	const struct sys_entry *entry = call->entry;

	tfs_strbuf_reset(&kept->bytes);
	kept->has = kept->awaited = kept->copies = kept->empty = kept->unknown = 0;
	if (!entry || !entry->proto)
		return;
	if (texts->names)
		kept->copies = set_args(call, path_args(entry->proto));
	else if (texts->execs && executes(entry))
		kept->awaited = path_args(entry->proto);
	/* Calls of other ABIs have no events by name. */
	if (call->abi == texts->abi)
		kept->awaited |= texts->by_entry[entry - sys_tables[texts->abi].entries];
	kept->awaited = set_args(call, kept->awaited);
}

int tfs_call_keep(struct tfs_call_kept *kept, struct tfs_call *call, unsigned int i,
		  const struct tfs_call_text *text)
{
	const size_t start = kept->bytes.len;

	if (tfs_strbuf_add(&kept->bytes, text->s, text->len))
		return -ENOMEM;
	kept->at[i] = (uint32_t)start;
	kept->has |= 1u << i;
	call->text[i].len = text->len;
	call->text[i].cut = text->cut;
	call->text[i].guess = text->guess;
	/* They may have moved. */
	for (unsigned int k = 0; k < TFS_CALL_ARGS; k++)
		if (kept->has & 1u << k)
			call->text[k].s = kept->bytes.s + kept->at[k];
	return 0;
}

int tfs_call_keep_named(struct tfs_call_kept *kept, struct tfs_call *call,
			const struct tfs_call_type *type, const struct tfs_event *event)
{
	struct tfs_call_text text[TFS_CALL_ARGS];
	unsigned int args = tfs_call_type_text(type, event, call, text);
	int rc = 0;

	if (type->has_text)
		kept->awaited = 0;
	for (unsigned int i = 0; !rc && i < TFS_CALL_ARGS; i++)
		if (args & 1u << i && !(kept->has & 1u << i))
			rc = tfs_call_keep(kept, call, i, &text[i]);
	return rc;
}

static int keep_empty(struct tfs_call_kept *kept, struct tfs_call *call)
{
	static const struct tfs_call_text empty = { .s = "" };
	int rc = 0;

	for (unsigned int i = 0; !rc && i < TFS_CALL_ARGS; i++)
		if (kept->copies & 1u << i)
			rc = tfs_call_keep(kept, call, i, &empty);
	return rc;
}

/* The text of the arguments that have this address; of the first one, if it is not recorded */
static int keep_copy(struct tfs_call_kept *kept, struct tfs_call *call,
		     const struct tfs_call_text *text, const uint64_t *address)
{
	unsigned int left = kept->copies;
	int rc = 0;

	for (unsigned int i = 0; !rc && left && i < TFS_CALL_ARGS; i++) {
		if (!(left & 1u << i) ||
		    (address && args_value(call, call->entry->proto, i) != *address))
			continue;
		rc = tfs_call_keep(kept, call, i, text);
		kept->copies &= ~(1u << i);
		left = address ? left : 0;
	}
	return rc;
}

/* The others could not be copied. If not all for the same reason, nobody knows which is empty. */
static int end_copies(struct tfs_call_kept *kept, struct tfs_call *call)
{
	int rc = kept->unknown ? 0 : keep_empty(kept, call);

	kept->copies = 0;
	return rc;
}

int tfs_call_keep_name(struct tfs_call_kept *kept, struct tfs_call *call,
		       const struct tfs_call_type *type, const struct tfs_event *event)
{
	struct tfs_call_text text[TFS_CALL_ARGS];
	int64_t ret, address;
	int rc = 0;

	if (!kept->copies || !tfs_call_type_ret(type, event, &ret))
		return 0;
	/* The call's own events come before. */
	kept->awaited = 0;
	if (ret < 0 && ret >= -TFS_CALL_ERRNO_MAX) {
		kept->empty += ret == -ENOENT;
		kept->unknown += ret != -ENOENT;
	} else if (tfs_call_type_text(type, event, call, text) & 1) {
		const bool known = tfs_call_type_number(&type->address, event, &address);
		const uint64_t at = (uint64_t)address;

		rc = keep_copy(kept, call, &text[0], known ? &at : NULL);
	}
	if (!rc && (unsigned int)__builtin_popcount(kept->copies) <= kept->empty + kept->unknown)
		rc = end_copies(kept, call);
	return rc;
}

/* The kernel calls a path below a descriptor /dev/fd/N/PATH. */
int tfs_call_keep_exec(struct tfs_call_kept *kept, struct tfs_call *call, const char *file)
{
	static const char below[] = "/dev/fd/";
	const struct tfs_call_text text = { .s = file, .len = (uint32_t)strlen(file) };
	unsigned int paths;

	if (!call->entry || !call->entry->proto || !executes(call->entry))
		return 0;
	paths = path_args(call->entry->proto);
	kept->awaited = kept->copies = 0;
	if (kept->has & paths || (paths != 1 && !strncmp(file, below, strlen(below))))
		return 0;
	return tfs_call_keep(kept, call, paths == 1 ? 0 : 1, &text);
}

int tfs_call_take_early(struct tfs_call_early *early, const struct tfs_call_type *type,
			const struct tfs_event *event)
{
	struct tfs_call_text text[TFS_CALL_ARGS];
	int rc = 0;

	early->has = 0;
	tfs_strbuf_reset(&early->bytes);
	if (!tfs_call_type_nr(type, event, &early->number))
		return 0;
	early->has = tfs_call_type_text(type, event, NULL, text);
	for (unsigned int i = 0; !rc && i < TFS_CALL_ARGS; i++) {
		if (!(early->has & 1u << i))
			continue;
		early->len[i] = text[i].len;
		rc = tfs_strbuf_add(&early->bytes, text[i].s, text[i].len);
	}
	return rc;
}

int tfs_call_keep_early(struct tfs_call_kept *kept, struct tfs_call_early *early,
			struct tfs_call *call)
{
	const unsigned int has = early->number == call->nr ? early->has : 0;
	struct tfs_call_text text = { .s = early->bytes.s };
	int rc = 0;

	for (unsigned int i = 0; !rc && i < TFS_CALL_ARGS; i++) {
		if (!(has & 1u << i))
			continue;
		text.len = early->len[i];
		rc = tfs_call_keep(kept, call, i, &text);
		text.s += text.len;
	}
	early->has = 0;
	return rc;
}

/* Is there a flag that lets a path be empty? */
static bool may_be_empty(const struct tfs_call *call)
{
	const struct sys_proto *proto = call->entry->proto;

	for (unsigned int i = 0; i < proto->n_args; i++)
		if (proto->args[i].kind == SYS_SET && strstr(proto->args[i].name, "flag"))
			return args_value(call, proto, i) & AT_EMPTY_PATH;
	return false;
}

/*
 * Kernels from 6.11 on do not copy a path that may be empty and is: of a call that succeeded
 * without a copy, that is the path (tests/vm/t-strings.sh).
 */
int tfs_call_kept_return(struct tfs_call_kept *kept, struct tfs_call *call)
{
	const bool succeeded = !(call->flags & TFS_CALL_NO_EXIT) && !tfs_call_failed(call);
	int rc = 0;

	if (kept->copies && succeeded && !(kept->copies & (kept->has | (kept->copies - 1))) &&
	    !kept->empty && !kept->unknown && may_be_empty(call))
		rc = keep_empty(kept, call);
	kept->awaited = kept->copies = 0;
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/json.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/value.h"
#include "dso/demangle.h"
#include "record/names.h"
#include "stack/stack.h"
#include "symbolize/symbolize.h"

/* @waits: its call has no stack yet; @ts: of the event with the stack */
struct thread {
	int tid, tgid;
	bool waits;
	uint64_t ts;
	size_t n;
	uint64_t addrs[TFS_STACK_USER_MAX];
};

struct tfs_call_stacks {
	struct tfs_names *names;
	struct tfs_symbolize *symbolize;
	struct tfs_hashmap threads; /* struct thread, by tid */
	const struct tfs_event_type *type;
	const struct tfs_field *callers, *tgid;
};

/* @owned: @name is to be freed */
struct frame {
	const char *path, *name;
	char *owned;
	uint64_t file_offset, offset;
};

int tfs_call_stacks_new(struct tfs_trace *trace, struct tfs_names *names,
			struct tfs_call_stacks **out)
{
	struct tfs_call_stacks *stacks = calloc(1, sizeof(*stacks));
	int rc = stacks ? 0 : -ENOMEM;

	if (!rc && !names)
		rc = tfs_symbolize_new(trace, NULL, &stacks->symbolize);
	if (rc) {
		free(stacks);
		return rc;
	}
	stacks->names = names;
	*out = stacks;
	return 0;
}

void tfs_call_stacks_free(struct tfs_call_stacks *stacks)
{
	struct thread *t;
	size_t i;

	if (!stacks)
		return;
	tfs_hashmap_for_each(&stacks->threads, i, t) free(t);
	tfs_hashmap_release(&stacks->threads);
	tfs_symbolize_free(stacks->symbolize);
	free(stacks);
}

static struct thread *find(const struct tfs_call_stacks *stacks, int tid)
{
	return tfs_hashmap_int(&stacks->threads, (uint32_t)tid);
}

int tfs_call_stacks_enter(struct tfs_call_stacks *stacks, int tid)
{
	struct thread *t = find(stacks, tid);

	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t || tfs_hashmap_add(&stacks->threads, tfs_hash_int((uint32_t)tid), t)) {
			free(t);
			return -ENOMEM;
		}
		t->tid = tid;
	}
	t->waits = true;
	t->n = 0;
	return 0;
}

void tfs_call_stacks_end(struct tfs_call_stacks *stacks, int tid)
{
	struct thread *t = find(stacks, tid);

	if (!t)
		return;
	tfs_hashmap_remove(&stacks->threads, tfs_hash_int((uint32_t)tid), t);
	free(t);
}

static bool is_user_stack(struct tfs_call_stacks *stacks, const struct tfs_event_type *type)
{
	static const char name[] = "user_stack";

	if (stacks->type || strcmp(type->system, "ftrace") != 0 || type->name_len != strlen(name) ||
	    memcmp(type->name, name, type->name_len) != 0 || !type->fields)
		return type == stacks->type;
	stacks->type = type;
	stacks->callers = tfs_fields_find(type->fields, "caller", strlen("caller"));
	stacks->tgid = tfs_fields_find(type->fields, "tgid", strlen("tgid"));
	return true;
}

int tfs_call_stacks_event(struct tfs_call_stacks *stacks, const struct tfs_event *event)
{
	const struct tfs_event_type *type = event->type;
	struct tfs_value callers, tgid;
	struct thread *t;

	if (!type || !is_user_stack(stacks, type) || !stacks->callers || !stacks->tgid)
		return 0;
	t = find(stacks, event->pid);
	if (!t || !t->waits ||
	    !tfs_fields_get(type->fields, stacks->callers, event->rec.data, event->rec.size,
			    &callers) ||
	    !tfs_fields_get(type->fields, stacks->tgid, event->rec.data, event->rec.size, &tgid))
		return 0;
	t->waits = false;
	t->ts = event->rec.ts;
	t->tgid = (int)tgid.number;
	for (t->n = 0; t->n < callers.n && t->n < TFS_STACK_USER_MAX; t->n++) {
		t->addrs[t->n] = tfs_value_element(stacks->callers, &callers, t->n);
		if (!t->addrs[t->n])
			break;
	}
	return 0;
}

static void find_recorded(const struct tfs_call_stacks *stacks, const struct thread *t, size_t i,
			  struct frame *f)
{
	struct tfs_symbol_at at;
	const uint64_t addr = t->addrs[i];

	if (i)
		tfs_symbolize_caller(stacks->symbolize, t->tgid, t->ts, addr, &at);
	else
		tfs_symbolize_user(stacks->symbolize, t->tgid, t->ts, addr, &at);
	*f = (struct frame){
		.path = at.object,
		.name = at.name,
		.file_offset = at.object ? addr - at.map_start + at.map_offset : addr,
		.offset = at.offset,
	};
}

static void find_live(const struct tfs_call_stacks *stacks, const struct thread *t, size_t i,
		      struct frame *f)
{
	struct tfs_name_at at;

	*f = (struct frame){ .file_offset = t->addrs[i] };
	if (!tfs_names_find(stacks->names, (uint32_t)t->tgid, t->ts, t->addrs[i], i > 0, &at))
		return;
	f->path = at.path;
	f->name = at.name;
	f->file_offset = at.file_offset;
	f->offset = at.file_offset - at.start;
	f->owned = at.name && tfs_demangle_is_mangled(at.name) ? tfs_demangle(at.name, 0) : NULL;
	if (f->owned)
		f->name = f->owned;
}

static int print_line(const struct frame *f, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addf(out, " > %s(", f->path ? f->path : "?");

	if (!rc && f->name)
		rc = tfs_strbuf_addf(out, "%s+0x%" PRIx64, f->name, f->offset);
	return rc ? rc : tfs_strbuf_addf(out, ") [0x%" PRIx64 "]\n", f->file_offset);
}

static int add_text(const char *member, const char *text, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, member);

	if (!rc)
		rc = text ? tfs_json_string(out, text, strlen(text)) : tfs_strbuf_adds(out, "null");
	return rc;
}

static int print_object(const struct frame *f, uint64_t addr, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addf(out, "{\"address\":\"0x%" PRIx64 "\"", addr);

	if (!rc)
		rc = add_text(",\"file\":", f->path, out);
	if (!rc)
		rc = f->path ? tfs_strbuf_addf(out, ",\"file_offset\":%" PRIu64, f->file_offset) :
			       tfs_strbuf_adds(out, ",\"file_offset\":null");
	if (!rc)
		rc = add_text(",\"function\":", f->name, out);
	if (!rc)
		rc = f->name ? tfs_strbuf_addf(out, ",\"offset\":%" PRIu64 "}", f->offset) :
			       tfs_strbuf_adds(out, ",\"offset\":null}");
	return rc;
}

static int print_frame(const struct tfs_call_stacks *stacks, const struct thread *t, size_t i,
		       bool json, struct tfs_strbuf *out)
{
	struct frame f;
	int rc = json && i ? tfs_strbuf_addc(out, ',') : 0;

	if (stacks->names)
		find_live(stacks, t, i, &f);
	else
		find_recorded(stacks, t, i, &f);
	if (!rc)
		rc = json ? print_object(&f, t->addrs[i], out) : print_line(&f, out);
	free(f.owned);
	return rc;
}

int tfs_call_stacks_print(struct tfs_call_stacks *stacks, int tid, bool json,
			  struct tfs_strbuf *out)
{
	const struct thread *t = find(stacks, tid);
	int rc = json ? tfs_strbuf_adds(out, ",\"stack\":[") : 0;

	for (size_t i = 0; !rc && t && i < t->n; i++)
		rc = print_frame(stacks, t, i, json, out);
	return rc || !json ? rc : tfs_strbuf_addc(out, ']');
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/user-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/inert.h"
#include "base/strbuf-core.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/types.h"
#include "decode/value.h"

/* A program's address on every architecture that has uprobes; the kernel's are above. */
#define USER_MAX ((uint64_t)1 << 63)

struct tfs_user_text {
	struct tfs_symbolize *symbolize;
	atomic_ullong stacks, no_maps, addresses;
	atomic_ullong why[TFS_SYMBOL_N_WHY];
};

int tfs_user_text_new(struct tfs_trace *trace, const struct tfs_symbolize_opts *opts,
		      struct tfs_user_text **out)
{
	struct tfs_user_text *u = calloc(1, sizeof(*u));
	int rc = u ? tfs_symbolize_new(trace, opts, &u->symbolize) : -ENOMEM;

	if (rc)
		free(u);
	else
		*out = u;
	return rc;
}

void tfs_user_text_free(struct tfs_user_text *u)
{
	if (!u)
		return;
	tfs_symbolize_free(u->symbolize);
	free(u);
}

static void count(atomic_ullong *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

static uint64_t counted(const atomic_ullong *n)
{
	return atomic_load_explicit(n, memory_order_relaxed);
}

void tfs_user_text_counts(const struct tfs_user_text *u, struct tfs_user_text_counts *counts)
{
	counts->stacks += counted(&u->stacks);
	counts->no_maps += counted(&u->no_maps);
	counts->addresses += counted(&u->addresses);
	for (size_t i = 0; i < TFS_SYMBOL_N_WHY; i++)
		counts->why[i] += counted(&u->why[i]);
}

static const struct tfs_field *field_of(const struct tfs_event *event, const char *name,
					struct tfs_value *v)
{
	const struct tfs_fields *fields = event->type->fields;
	const struct tfs_field *f = fields ? tfs_fields_find(fields, name, strlen(name)) : NULL;

	return f && tfs_fields_get(fields, f, event->rec.data, event->rec.size, v) ? f : NULL;
}

/* Names come from files of strangers: they stay one line, on a terminal or not. */
static int put_name(const char *name, size_t len, struct tfs_strbuf *out)
{
	size_t start = out->len;
	int rc = tfs_strbuf_add(out, name, len);

	return rc ? rc : tfs_inert_rest(out, start, TFS_INERT_NONE);
}

/* Where and when an address was met. @is_caller: it is after a call: that may end its function */
struct place {
	uint64_t ts;
	int tgid;
	bool is_caller;
};

/* "main+0x1f (/bin/a)", "0x4010 (/bin/a)" with the address in the file, or "0x7f1234" */
static int put_address(struct tfs_user_text *u, const struct place *place, uint64_t addr,
		       struct tfs_strbuf *out, enum tfs_symbol_why *why)
{
	struct tfs_symbol_at at;
	int rc;

	if (place->is_caller)
		tfs_symbolize_caller(u->symbolize, place->tgid, place->ts, addr, &at);
	else
		tfs_symbolize_user(u->symbolize, place->tgid, place->ts, addr, &at);
	count(&u->addresses);
	count(&u->why[at.why]);
	*why = at.why;
	if (at.why == TFS_SYMBOL_NAMED) {
		rc = put_name(at.name, at.name_len, out);
		if (!rc)
			rc = tfs_strbuf_addf(out, "+0x%" PRIx64, at.offset);
	} else {
		rc = tfs_strbuf_addf(out, "0x%" PRIx64, at.object ? at.address : addr);
	}
	if (rc || !at.object)
		return rc;
	rc = tfs_strbuf_adds(out, " (");
	if (!rc)
		rc = put_name(at.object, strlen(at.object), out);
	return rc ? rc : tfs_strbuf_addc(out, ')');
}

static int put_stack(struct tfs_user_text *u, const struct tfs_event *event, struct tfs_strbuf *out)
{
	bool no_maps = false;
	struct tfs_value tgid, callers;
	const struct tfs_field *f = field_of(event, "caller", &callers);
	struct place place = { .ts = event->rec.ts, .tgid = -1 };
	enum tfs_symbol_why why;
	int rc = 0;

	if (field_of(event, "tgid", &tgid))
		place.tgid = (int)tgid.number;
	count(&u->stacks);
	for (size_t i = 0; f && i < callers.n && !rc; i++) {
		uint64_t addr = tfs_value_element(f, &callers, i);

		if (!addr)
			break;
		rc = tfs_strbuf_adds(out, i ? "\n\t=> " : "\t=> ");
		place.is_caller = i > 0;
		if (!rc)
			rc = put_address(u, &place, addr, out, &why);
		no_maps = no_maps || (!rc && why == TFS_SYMBOL_NO_MAPS);
	}
	if (no_maps)
		count(&u->no_maps);
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

/* A uprobe's text begins with "(ADDRESS)", that of a return with "(TO <- FUNCTION)". */
static int put_probe(struct tfs_user_text *u, const struct tfs_event *event, const uint64_t *addr,
		     size_t n, struct tfs_strbuf *out)
{
	struct place place = {
		.ts = event->rec.ts,
		.tgid = tfs_symbolize_tgid(u->symbolize, event->pid, event->rec.ts),
	};
	int rc;
	enum tfs_symbol_why why;

	/* The first thread of a process has its number. */
	if (place.tgid < 0)
		place.tgid = event->pid;
	rc = tfs_strbuf_addc(out, '(');
	for (size_t i = 0; i < n && !rc; i++) {
		rc = i ? tfs_strbuf_adds(out, " <- ") : 0;
		if (!rc)
			rc = put_address(u, &place, addr[i], out, &why);
	}
	return rc ? rc : tfs_strbuf_addc(out, ')');
}

/* The addresses of a uprobe's event; 0: it is not one */
static size_t addresses_of(const struct tfs_event *event, uint64_t addr[2])
{
	struct tfs_value v;
	size_t n = 0;

	if (field_of(event, "__probe_ip", &v)) {
		addr[n++] = v.number;
	} else if (field_of(event, "__probe_ret_ip", &v)) {
		addr[n++] = v.number;
		if (field_of(event, "__probe_func", &v))
			addr[n++] = v.number;
	}
	return n && addr[0] < USER_MAX ? n : 0;
}

int tfs_user_text_line(struct tfs_user_text *u, struct tfs_event_text *text,
		       const struct tfs_event *event, struct tfs_strbuf *out)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	uint64_t addr[2];
	const char *rest;
	size_t n;
	int rc;

	if (tfs_type_is_ftrace(event->type, "user_stack")) {
		rc = put_stack(u, event, out);
		return rc ? rc : 1;
	}
	n = addresses_of(event, addr);
	if (!n)
		return 0;
	rc = tfs_event_text_line(text, event, &line);
	rest = *line.s == '(' ? strchr(line.s, ')') : NULL;
	if (!rc && rest)
		rc = put_probe(u, event, addr, n, out);
	if (!rc)
		rc = tfs_strbuf_adds(out, rest ? rest + 1 : line.s);
	tfs_strbuf_release(&line);
	return rc ? rc : 1;
}

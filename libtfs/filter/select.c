/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "decode/event-type.h"
#include "decode/names.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "filter/filter.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

/* CPUs of one buffer: for each context a bit that says whether its last record was shown. */
#define SHOWN_BYTES TFS_CPUS_MAX

/* Bits of common_flags (enum trace_flag_type) */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

/* A field that holds a pid; size 0: the event has none. */
struct pid_field {
	unsigned int offset, size;
	bool is_signed;
};

/* Fields of an event, known after its first record. */
struct event_pids {
	bool known;
	struct pid_field pid, next_pid;
};

/* sched_process_fork; @id -1: the recording has none */
struct fork {
	int id;
	struct pid_field parent, child;
};

struct tfs_select {
	struct tfs_trace *trace;
	unsigned char *events;     /* by id; NULL: all */
	struct event_pids *fields; /* by index of the type */
	int64_t *pids;             /* sorted */
	size_t n_pids, cap_pids;
	int64_t *unmet; /* of the pids that were typed, those of which nothing is known yet */
	size_t n_unmet;
	bool by_pid, children;
	struct fork fork;
	struct tfs_filter **filters; /* the first @n_wanted say what is wanted */
	size_t n_filters, n_wanted;
	bool *buffers; /* NULL: all */
	unsigned int no_flags;
	unsigned char *shown; /* SHOWN_BYTES for each buffer */
	struct tfs_cpus cpus;
	bool by_cpu;
	struct tfs_strvec *missing; /* while it is prepared; NULL: what is missing is an error */
};

bool tfs_select_event_glob(const char *glob, const char *system, const char *event)
{
	const char *colon = strchr(glob, ':');
	size_t len = colon ? (size_t)(colon - glob) : 0;
	char head[256];

	if (!colon)
		return !fnmatch(glob, event, 0) || !fnmatch(glob, system, 0);
	if (len >= sizeof(head))
		return false;
	memcpy(head, glob, len);
	head[len] = '\0';
	return !fnmatch(len ? head : "*", system, 0) &&
	       !fnmatch(colon[1] ? colon + 1 : "*", event, 0);
}

static int type_name(const struct tfs_event_type *t, struct tfs_strbuf *sb)
{
	tfs_strbuf_reset(sb);
	return tfs_strbuf_add(sb, t->name, t->name_len);
}

static int add_events(struct tfs_select *sel, const struct tfs_strvec *globs, struct tfs_err *err)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	size_t i, g, hits;
	int rc = 0;

	sel->events = calloc(TFS_EVENT_IDS / 8, 1);
	if (!sel->events)
		return -ENOMEM;
	for (g = 0; g < globs->n && !rc; g++) {
		hits = 0;
		for (i = 0; i < tfs_trace_index(sel->trace)->n && !rc; i++) {
			const struct tfs_event_type *t = &tfs_trace_index(sel->trace)->types[i];

			rc = type_name(t, &name);
			if (rc || !tfs_select_event_glob(globs->v[g], t->system, name.s))
				continue;
			sel->events[t->id / 8] |= (unsigned char)(1 << t->id % 8);
			hits++;
		}
		if (rc || hits)
			continue;
		if (sel->missing)
			rc = tfs_strvec_pushf(sel->missing, "event '%s'", globs->v[g]);
		else
			rc = tfs_names_no_event(sel->trace, globs->v[g], err);
	}
	tfs_strbuf_release(&name);
	return rc;
}

static int add_pid(struct tfs_select *sel, int64_t pid)
{
	if (tfs_grow(&sel->pids, &sel->cap_pids, sel->n_pids + 1))
		return -ENOMEM;
	sel->pids[sel->n_pids++] = pid;
	return 0;
}

static int add_pids(struct tfs_select *sel, const struct tfs_strvec *lists, struct tfs_err *err)
{
	struct tfs_strvec parts = TFS_STRVEC_INIT;
	uint64_t pid;
	size_t i;
	int rc = 0;

	for (i = 0; i < lists->n && !rc; i++) {
		rc = tfs_strvec_split(&parts, lists->v[i], ", ");
		if (!rc && !parts.n)
			rc = tfs_err_say(err, -EINVAL, "'%s': no pid in the list", lists->v[i]);
	}
	for (i = 0; i < parts.n && !rc; i++) {
		rc = tfs_parse_u64(parts.v[i], 0, INT32_MAX, &pid, err);
		if (!rc)
			rc = add_pid(sel, (int64_t)pid);
	}
	tfs_strvec_release(&parts);
	return rc;
}

/* The pid of a line "pid comm" of the file's table of names; -1: a name may hold a newline */
static int64_t line_pid(const char *line, char **end)
{
	long pid = *line >= '0' && *line <= '9' ? strtol(line, end, 10) : -1;

	return pid < 0 || pid > INT32_MAX || **end != ' ' ? -1 : pid;
}

static void meet(struct tfs_select *sel, int64_t pid)
{
	for (size_t i = 0; i < sel->n_unmet; i++)
		if (sel->unmet[i] == pid)
			sel->unmet[i--] = sel->unmet[--sel->n_unmet];
}

/* A task that has a name, and the idle one, is one of the recording's. */
static int set_unmet(struct tfs_select *sel)
{
	struct tfs_blob blob;
	const char *p, *nl;
	char *end;

	sel->unmet = calloc(sel->n_pids + 1, sizeof(*sel->unmet));
	if (!sel->unmet)
		return -ENOMEM;
	for (; sel->n_unmet < sel->n_pids; sel->n_unmet++)
		sel->unmet[sel->n_unmet] = sel->pids[sel->n_unmet];
	meet(sel, 0);
	tfs_dat_blob(tfs_trace_dat(sel->trace), TFS_DAT_BLOB_CMDLINES, &blob);
	for (p = blob.data; blob.size && *p && sel->n_unmet; p = *nl ? nl + 1 : nl) {
		nl = strchrnul(p, '\n');
		meet(sel, line_pid(p, &end));
	}
	return 0;
}

/* One glob against the file's table of names, and the idle task's. */
static int add_comm(struct tfs_select *sel, const char *glob, struct tfs_strvec *names)
{
	size_t before = sel->n_pids;
	struct tfs_strbuf comm = TFS_STRBUF_INIT;
	struct tfs_blob blob;
	const char *p, *nl;
	int64_t pid;
	char *end;
	int rc = fnmatch(glob, "<idle>", 0) ? 0 : add_pid(sel, 0);

	tfs_dat_blob(tfs_trace_dat(sel->trace), TFS_DAT_BLOB_CMDLINES, &blob);
	for (p = blob.data; blob.size && *p && !rc; p = *nl ? nl + 1 : nl) {
		nl = strchrnul(p, '\n');
		pid = line_pid(p, &end);
		if (pid < 0)
			continue;
		tfs_strbuf_reset(&comm);
		rc = tfs_strbuf_add(&comm, end + 1, (size_t)(nl - end - 1));
		if (!rc)
			rc = tfs_strvec_push(names, comm.s);
		if (!rc && !fnmatch(glob, comm.s, 0))
			rc = add_pid(sel, pid);
	}
	tfs_strbuf_release(&comm);
	return rc ? rc : sel->n_pids == before;
}

static int add_comms(struct tfs_select *sel, const struct tfs_strvec *lists, struct tfs_err *err)
{
	struct tfs_strvec parts = TFS_STRVEC_INIT, names = TFS_STRVEC_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; i < lists->n && !rc; i++) {
		rc = tfs_strvec_split(&parts, lists->v[i], ",");
		if (!rc && !parts.n)
			rc = tfs_err_say(err, -EINVAL, "'%s': no name in the list", lists->v[i]);
	}
	for (i = 0; i < parts.n && !rc; i++) {
		tfs_strvec_release(&names);
		rc = add_comm(sel, parts.v[i], &names);
		if (rc > 0 && sel->missing) {
			rc = tfs_strvec_pushf(sel->missing, "task '%s'", parts.v[i]);
		} else if (rc > 0) {
			rc = tfs_err_say(err, -ENOENT,
					 "'%s': no task of this name is known to the recording",
					 parts.v[i]);
			tfs_suggest_hint(
				err, parts.v[i], &names,
				"a recording knows the names of some tasks only; try --pid");
		}
	}
	tfs_strvec_release(&parts);
	tfs_strvec_release(&names);
	return rc;
}

static int compare_pids(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool wanted(const struct tfs_select *sel, int64_t pid)
{
	return sel->n_pids && bsearch(&pid, sel->pids, sel->n_pids, sizeof(pid), compare_pids);
}

static void find_field(struct tep_event *event, const char *name, struct pid_field *out)
{
	const struct tep_format_field *f = tep_find_field(event, name);

	if (!f || (f->flags & TEP_FIELD_IS_ARRAY))
		return;
	out->offset = (unsigned int)f->offset;
	out->size = (unsigned int)f->size;
	out->is_signed = f->flags & TEP_FIELD_IS_SIGNED;
}

/* False: the record has no such field */
static bool field_pid(const struct tfs_select *sel, const struct tfs_record *rec,
		      const struct pid_field *f, int64_t *pid)
{
	const unsigned char *p = (const unsigned char *)rec->data + f->offset;
	bool big = tfs_dat_info(tfs_trace_dat(sel->trace))->big_endian;

	if (f->offset > rec->size || f->size > rec->size - f->offset)
		return false;
	switch (f->size) {
	case 2:
		*pid = f->is_signed ? (int16_t)tfs_load_u16(p, big) : tfs_load_u16(p, big);
		return true;
	case 4:
		*pid = f->is_signed ? (int32_t)tfs_load_u32(p, big) : (int64_t)tfs_load_u32(p, big);
		return true;
	case 8:
		*pid = (int64_t)tfs_load_u64(p, big);
		return true;
	default:
		return false;
	}
}

static bool field_wanted(const struct tfs_select *sel, const struct tfs_record *rec,
			 const struct pid_field *f)
{
	int64_t pid;

	return field_pid(sel, rec, f, &pid) && wanted(sel, pid);
}

static void find_fork(struct tfs_select *sel)
{
	struct tfs_trace *trace = sel->trace;
	const struct tfs_event_type *t;
	size_t i;

	for (i = 0; i < tfs_trace_index(trace)->n; i++) {
		t = &tfs_trace_index(trace)->types[i];
		if (strcmp(t->system, "sched") || t->name_len != strlen("sched_process_fork") ||
		    strncmp(t->name, "sched_process_fork", t->name_len))
			continue;
		if (!tfs_trace_event(trace, t->id))
			continue;
		sel->fork.id = t->id;
		find_field(t->tep, "parent_pid", &sel->fork.parent);
		find_field(t->tep, "child_pid", &sel->fork.child);
	}
}

/* The list is short and this is rare; without memory a child is missed, as if it had not been. */
static void follow_fork(struct tfs_select *sel, const struct tfs_record *rec)
{
	int64_t child;

	if (!field_wanted(sel, rec, &sel->fork.parent) ||
	    !field_pid(sel, rec, &sel->fork.child, &child) || wanted(sel, child) ||
	    add_pid(sel, child))
		return;
	qsort(sel->pids, sel->n_pids, sizeof(*sel->pids), compare_pids);
}

static int add_filters(struct tfs_select *sel, const struct tfs_strvec *texts, struct tfs_err *err)
{
	int rc = 0;

	sel->filters = calloc(texts->n, sizeof(struct tfs_filter *));
	if (!sel->filters)
		return -ENOMEM;
	while (sel->n_filters < texts->n && !rc) {
		rc = tfs_filter_new(sel->trace, texts->v[sel->n_filters], sel->missing,
				    &sel->filters[sel->n_filters], err);
		if (!rc)
			sel->n_filters++;
	}
	return rc;
}

static int add_buffers(struct tfs_select *sel, const struct tfs_strvec *names, struct tfs_err *err)
{
	size_t n = tfs_dat_n_buffers(tfs_trace_dat(sel->trace)), i, k;
	struct tfs_strvec known = TFS_STRVEC_INIT;
	int rc = 0;

	sel->buffers = calloc(n + 1, sizeof(*sel->buffers));
	if (!sel->buffers)
		return -ENOMEM;
	for (i = 0; i < n && !rc; i++)
		rc = tfs_strvec_push(&known, tfs_dat_buffer(tfs_trace_dat(sel->trace), i)->name);
	for (k = 0; k < names->n && !rc; k++) {
		if (tfs_strvec_has(&known, names->v[k])) {
			for (i = 0; i < n; i++)
				if (!strcmp(known.v[i], names->v[k]))
					sel->buffers[i] = true;
		} else if (sel->missing) {
			rc = tfs_strvec_pushf(sel->missing, "instance '%s'", names->v[k]);
		} else {
			rc = tfs_err_say(err, -ENOENT, "'%s': the recording has no such instance",
					 names->v[k]);
			tfs_suggest_hint(err, names->v[k], &known, "'' is the top buffer");
		}
	}
	tfs_strvec_release(&known);
	return rc;
}

static int add_all(struct tfs_select *sel, const struct tfs_select_opts *opts, struct tfs_err *err)
{
	int rc = 0;

	if (opts->events && opts->events->n)
		rc = add_events(sel, opts->events, err);
	if (!rc && opts->filters && opts->filters->n)
		rc = add_filters(sel, opts->filters, err);
	if (!rc && opts->pids && opts->pids->n)
		rc = add_pids(sel, opts->pids, err);
	if (!rc && sel->n_pids)
		rc = set_unmet(sel);
	if (!rc && opts->comms && opts->comms->n)
		rc = add_comms(sel, opts->comms, err);
	if (!rc && opts->buffers && opts->buffers->n)
		rc = add_buffers(sel, opts->buffers, err);
	if (!rc && sel->children)
		find_fork(sel);
	return rc;
}

int tfs_select_new(struct tfs_trace *trace, const struct tfs_select_opts *opts,
		   struct tfs_select **out, struct tfs_err *err)
{
	struct tfs_select *sel = calloc(1, sizeof(*sel));
	int rc = -ENOMEM;

	if (!sel)
		return tfs_err_set(err, rc, "cannot prepare the selection");
	sel->trace = trace;
	sel->by_cpu = opts->cpus && tfs_cpus_count(opts->cpus);
	if (sel->by_cpu)
		sel->cpus = *opts->cpus;
	sel->fields = calloc(tfs_trace_index(trace)->n + 1, sizeof(*sel->fields));
	sel->shown = calloc(tfs_dat_n_buffers(tfs_trace_dat(trace)) + 1, SHOWN_BYTES);
	if (!sel->fields || !sel->shown)
		goto out;
	sel->n_wanted = opts->n_filters;
	sel->children = opts->children;
	sel->no_flags = (opts->no_hardirq ? FLAG_HARDIRQ : 0) |
			(opts->no_softirq ? FLAG_SOFTIRQ : 0);
	sel->missing = opts->missing;
	rc = add_all(sel, opts, err);
	sel->missing = NULL;
	sel->by_pid = (opts->pids && opts->pids->n) || (opts->comms && opts->comms->n);
	if (sel->n_pids)
		qsort(sel->pids, sel->n_pids, sizeof(*sel->pids), compare_pids);
out:
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the selection");
	if (rc)
		tfs_select_free(sel);
	else
		*out = sel;
	return rc;
}

void tfs_select_free(struct tfs_select *sel)
{
	if (!sel)
		return;
	while (sel->n_filters)
		tfs_filter_free(sel->filters[--sel->n_filters]);
	free(sel->filters);
	free(sel->buffers);
	free(sel->events);
	free(sel->fields);
	free(sel->shown);
	free(sel->unmet);
	free(sel->pids);
	free(sel);
}

/* NULL: of this event nothing is known */
static const struct event_pids *event_pids(struct tfs_select *sel, int id)
{
	const struct tfs_event_type *type = tfs_trace_event(sel->trace, id);
	struct event_pids *f = type ? &sel->fields[type->index] : NULL;

	if (f && !f->known) {
		find_field(type->tep, "pid", &f->pid);
		find_field(type->tep, "next_pid", &f->next_pid);
		f->known = true;
	}
	return f;
}

static bool pid_match(struct tfs_select *sel, const struct tfs_record *rec, int id)
{
	const struct event_pids *f;

	if (wanted(sel, tfs_trace_record_pid(sel->trace, rec)))
		return true;
	f = event_pids(sel, id);
	return f && ((f->pid.size && field_wanted(sel, rec, &f->pid)) ||
		     (f->next_pid.size && field_wanted(sel, rec, &f->next_pid)));
}

/* Whom the record is about, by the same rules. */
static void meet_all(struct tfs_select *sel, const struct tfs_record *rec, int id)
{
	const struct event_pids *f = event_pids(sel, id);
	int64_t pid;

	meet(sel, tfs_trace_record_pid(sel->trace, rec));
	if (f && f->pid.size && field_pid(sel, rec, &f->pid, &pid))
		meet(sel, pid);
	if (f && f->next_pid.size && field_pid(sel, rec, &f->next_pid, &pid))
		meet(sel, pid);
}

int tfs_select_unmatched_pids(const struct tfs_select *sel, struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t i = 0; i < sel->n_unmet && !rc; i++)
		rc = tfs_strvec_pushf(out, "%" PRId64, sel->unmet[i]);
	return rc;
}

bool tfs_select_wants_cpu(const struct tfs_select *sel, const struct tfs_record *rec)
{
	return (!sel->by_cpu || tfs_cpus_has(&sel->cpus, rec->cpu)) &&
	       (!sel->buffers || sel->buffers[rec->buffer]);
}

const struct tfs_filter *tfs_select_filter(const struct tfs_select *sel, size_t n)
{
	return n < sel->n_filters ? sel->filters[n] : NULL;
}

static bool has_event(const struct tfs_select *sel, int id)
{
	return id >= 0 && sel->events[id / 8] & 1 << id % 8;
}

/* The joint verdict of filters @from to @to: a match counts most, then that one names the event. */
static enum tfs_filter_verdict ask(const struct tfs_select *sel, size_t from, size_t to,
				   const struct tfs_record *rec)
{
	enum tfs_filter_verdict verdict, all = TFS_FILTER_NONE;

	for (; from < to && all != TFS_FILTER_MATCH; from++) {
		verdict = tfs_filter_match(sel->filters[from], rec);
		if (verdict > all)
			all = verdict;
	}
	return all;
}

bool tfs_select_filtered(const struct tfs_select *sel, const struct tfs_record *rec)
{
	return ask(sel, 0, sel->n_wanted, rec) == TFS_FILTER_MATCH;
}

/* Without the filters that say what is not wanted; NONE: nothing was asked of this event. */
static enum tfs_filter_verdict match(struct tfs_select *sel, const struct tfs_record *rec, int id)
{
	enum tfs_filter_verdict verdict = TFS_FILTER_MATCH;

	if (sel->events && !has_event(sel, id))
		return TFS_FILTER_NONE;
	if (sel->n_wanted || sel->by_pid)
		verdict = ask(sel, 0, sel->n_wanted, rec);
	if (verdict != TFS_FILTER_MATCH && sel->by_pid && pid_match(sel, rec, id))
		return TFS_FILTER_MATCH;
	return verdict;
}

/* Was a stack trace asked for by name, and not only what it belongs to? */
static bool asks_stack(const struct tfs_select *sel, const struct tfs_record *rec, int id)
{
	if (sel->events)
		return has_event(sel, id);
	return sel->n_wanted && ask(sel, 0, sel->n_wanted, rec) == TFS_FILTER_MATCH;
}

static bool is_unwanted(const struct tfs_select *sel, const struct tfs_record *rec)
{
	return (sel->no_flags & tfs_trace_record_flags(sel->trace, rec)) ||
	       ask(sel, sel->n_wanted, sel->n_filters, rec) == TFS_FILTER_MATCH;
}

static bool asks_record(const struct tfs_select *sel)
{
	return sel->events || sel->by_pid || sel->n_filters || sel->no_flags;
}

bool tfs_select_is_all(const struct tfs_select *sel)
{
	return !asks_record(sel) && !sel->by_cpu && !sel->buffers;
}

bool tfs_select_match(struct tfs_select *sel, const struct tfs_record *rec)
{
	enum tfs_filter_verdict verdict;
	unsigned char *shown, bit;
	unsigned int flags;
	int id, pid;
	bool found;

	if (!tfs_trace_head(tfs_trace_index(sel->trace), rec, &id, &flags, &pid)) {
		id = tfs_trace_record_id(sel->trace, rec);
		flags = tfs_trace_record_flags(sel->trace, rec);
	}
	if (sel->children && sel->by_pid && sel->fork.child.size && id == sel->fork.id)
		follow_fork(sel, rec);
	if (sel->n_unmet)
		meet_all(sel, rec, id);
	if (!tfs_select_wants_cpu(sel, rec))
		return false;
	if (!asks_record(sel))
		return true;
	verdict = match(sel, rec, id);
	found = verdict == TFS_FILTER_MATCH && !is_unwanted(sel, rec);
	if (rec->cpu >= TFS_CPUS_MAX)
		return found;
	shown = &sel->shown[rec->buffer * (size_t)SHOWN_BYTES + rec->cpu];
	bit = (unsigned char)(1 << tfs_flags_context(flags));
	/* An interrupt is over when what it interrupted goes on. */
	*shown = rec->lost ? 0 : (unsigned char)(*shown & (2 * bit - 1));
	/* It is shown when the record was that it is part of. */
	if (tfs_trace_is_stack(sel->trace, rec)) {
		if (asks_stack(sel, rec, id))
			return found;
		return (*shown & bit) && !is_unwanted(sel, rec);
	}
	*shown = (unsigned char)(found ? *shown | bit : *shown & ~bit);
	return found;
}

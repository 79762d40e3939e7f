/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-calls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-records.h"

enum { RECORD_COMMAND = 1, RECORD_PROCESS = 2, RECORD_LOOK = 3 };

/* A thread's process from @at on */
struct process {
	uint64_t at;
	int32_t tid, tgid;
	const char *comm;
};

struct tfs_dat_calls {
	struct tfs_dat_records records;
	int32_t command;
	struct process *processes; /* by tid, then time */
	size_t n_processes, cap_processes;
	struct tfs_dat_look *looks; /* by time, then tid, then as they were made */
	size_t n_looks, cap_looks;
};

int tfs_dat_calls_add_command(struct tfs_strbuf *payload, int tid)
{
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_COMMAND, &at);

	if (!rc)
		rc = tfs_dat_put_u32(payload, (uint32_t)tid);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

int tfs_dat_calls_add_process(struct tfs_strbuf *payload, uint64_t at, int tid, int tgid,
			      const char *comm)
{
	size_t head;
	int rc = tfs_dat_record_begin(payload, RECORD_PROCESS, &head);

	if (!rc)
		rc = tfs_dat_put_u64(payload, at);
	if (!rc)
		rc = tfs_dat_put_u32(payload, (uint32_t)tid);
	if (!rc)
		rc = tfs_dat_put_u32(payload, (uint32_t)tgid);
	if (!rc)
		rc = tfs_dat_put_strz(payload, comm);
	return rc ? rc : tfs_dat_record_end(payload, head);
}

int tfs_dat_calls_add_look(struct tfs_strbuf *payload, const struct tfs_dat_look *look)
{
	const int32_t numbers[] = { look->tid, look->tgid, look->fd, look->cloexec };
	size_t head;
	int rc = tfs_dat_record_begin(payload, RECORD_LOOK, &head);

	if (!rc)
		rc = tfs_dat_put_u64(payload, look->at);
	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_dat_put_u32(payload, (uint32_t)numbers[i]);
	if (!rc)
		rc = tfs_dat_put_u64(payload, look->begin);
	if (!rc)
		rc = tfs_dat_put_u64(payload, look->end);
	if (!rc)
		rc = tfs_dat_put_strz(payload, look->text);
	return rc ? rc : tfs_dat_record_end(payload, head);
}

static int read_s32(struct tfs_cursor *c, int32_t *out)
{
	uint32_t v;
	int rc = tfs_cursor_u32(c, &v);

	if (!rc)
		*out = (int32_t)v;
	return rc;
}

static int read_process(struct tfs_dat_calls *calls, struct tfs_cursor *c)
{
	struct process p = { 0 };
	int rc = tfs_cursor_u64(c, &p.at);

	if (!rc)
		rc = read_s32(c, &p.tid);
	if (!rc)
		rc = read_s32(c, &p.tgid);
	if (!rc)
		rc = tfs_cursor_strz(c, &p.comm);
	if (!rc)
		rc = tfs_dat_records_take(&calls->records, sizeof(p));
	if (!rc)
		rc = tfs_grow(&calls->processes, &calls->cap_processes, calls->n_processes + 1);
	if (!rc)
		calls->processes[calls->n_processes++] = p;
	return rc;
}

static int read_look(struct tfs_dat_calls *calls, struct tfs_cursor *c)
{
	struct tfs_dat_look look = { 0 };
	int32_t *const numbers[] = { &look.tid, &look.tgid, &look.fd, &look.cloexec };
	int rc = tfs_cursor_u64(c, &look.at);

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = read_s32(c, numbers[i]);
	if (!rc)
		rc = tfs_cursor_u64(c, &look.begin);
	if (!rc)
		rc = tfs_cursor_u64(c, &look.end);
	if (!rc)
		rc = tfs_cursor_strz(c, &look.text);
	if (!rc)
		rc = tfs_dat_records_take(&calls->records, sizeof(look));
	if (!rc)
		rc = tfs_grow(&calls->looks, &calls->cap_looks, calls->n_looks + 1);
	if (!rc)
		calls->looks[calls->n_looks++] = look;
	return rc;
}

static int read_all(struct tfs_dat_calls *calls)
{
	struct tfs_cursor c;
	uint16_t type;
	int rc;

	while ((rc = tfs_dat_records_next(&calls->records, &type, &c)) > 0) {
		if (type == RECORD_COMMAND)
			rc = read_s32(&c, &calls->command);
		else if (type == RECORD_PROCESS)
			rc = read_process(calls, &c);
		else if (type == RECORD_LOOK)
			rc = read_look(calls, &c);
		if (rc == -ENOMEM)
			break;
	}
	return rc == -ENOMEM ? rc : 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* One thread looks: the order of the file is that of time. */
static int compare_looks(const void *a, const void *b)
{
	const struct tfs_dat_look *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

int tfs_dat_calls_new(const struct tfs_dat *dat, struct tfs_dat_calls **out)
{
	struct tfs_dat_calls *calls = calloc(1, sizeof(*calls));
	int rc;

	*out = NULL;
	if (!calls)
		return -ENOMEM;
	tfs_dat_records_init(&calls->records, dat, TFS_DAT_PRIVATE_CALLS);
	rc = read_all(calls);
	if (!rc && calls->n_processes)
		qsort(calls->processes, calls->n_processes, sizeof(*calls->processes),
		      compare_processes);
	if (!rc && calls->n_looks)
		qsort(calls->looks, calls->n_looks, sizeof(*calls->looks), compare_looks);
	if (rc || (!calls->command && !calls->n_processes && !calls->n_looks))
		tfs_dat_calls_free(calls);
	else
		*out = calls;
	return rc;
}

void tfs_dat_calls_free(struct tfs_dat_calls *calls)
{
	if (!calls)
		return;
	free(calls->processes);
	free(calls->looks);
	tfs_dat_records_release(&calls->records);
	free(calls);
}

int tfs_dat_calls_command(const struct tfs_dat_calls *calls)
{
	return calls ? calls->command : 0;
}

static bool is_until(const struct process *p, int tid, uint64_t at)
{
	return p->tid < tid || (p->tid == tid && p->at <= at);
}

int tfs_dat_calls_tgid(const struct tfs_dat_calls *calls, int tid, uint64_t at, const char **comm)
{
	size_t i =
		calls ? tfs_bisect(k, calls->n_processes, is_until(&calls->processes[k], tid, at)) :
			0;
	const struct process *p = i ? &calls->processes[i - 1] : NULL;
	const bool found = p && p->tid == tid;

	if (comm)
		*comm = found ? p->comm : "";
	return found ? p->tgid : 0;
}

int tfs_dat_calls_thread(const struct tfs_dat_calls *calls, int tgid, int tid)
{
	size_t i;

	if (!calls)
		return 0;
	i = tfs_bisect(k, calls->n_processes, calls->processes[k].tid <= tid);
	while (i < calls->n_processes && calls->processes[i].tgid != tgid)
		i++;
	return i < calls->n_processes ? calls->processes[i].tid : 0;
}

/* The index of the first look that does not come before @tid's of @at */
static size_t first_look(const struct tfs_dat_calls *calls, int tid, uint64_t at)
{
	return tfs_bisect(k, calls->n_looks,
			  calls->looks[k].at < at ||
				  (calls->looks[k].at == at && calls->looks[k].tid < tid));
}

const struct tfs_dat_look *tfs_dat_calls_looks(const struct tfs_dat_calls *calls, int tid,
					       uint64_t at, size_t *n)
{
	size_t first, i;

	*n = 0;
	if (!calls)
		return NULL;
	first = first_look(calls, tid, at);
	for (i = first; i < calls->n_looks && calls->looks[i].at == at; i++)
		if (calls->looks[i].tid != tid)
			break;
	*n = i - first;
	return *n ? &calls->looks[first] : NULL;
}

int tfs_dat_calls_next(const struct tfs_dat_calls *calls, int tid, uint64_t at)
{
	size_t i;

	if (!calls || tid == INT32_MAX)
		return 0;
	i = first_look(calls, tid + 1, at);
	return i < calls->n_looks && calls->looks[i].at == at ? calls->looks[i].tid : 0;
}

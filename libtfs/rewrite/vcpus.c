/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/vcpus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "format/event-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"

#define TYPE_SIZE 2
#define PID_OFFSET 4 /* struct trace_entry: type, flags, preempt_count, pid */

static const char *const event_names[] = { "kvm_entry", "kvm_exit" };

#define N_EVENTS (sizeof(event_names) / sizeof(event_names[0]))

/* An event with the number of the virtual CPU */
struct kvm_event {
	bool known;
	uint16_t id;
	unsigned int offset;
};

struct search {
	struct tfs_dat *dat;
	struct kvm_event events[N_EVENTS];
	const uint32_t *pids; /* sorted copies would not pay: few are given */
	size_t n_pids, most;
	struct tfs_vcpu *v; /* by pid */
	size_t n;
	bool seen; /* an event of any thread */
};

static bool is_wanted(const struct search *s, uint32_t pid)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (s->pids[i] == pid)
			return true;
	return !s->n_pids;
}

/* Return: 0, also for a thread that is known; -E2BIG; -ENOMEM. */
static int take(struct search *s, uint32_t pid, uint32_t cpu)
{
	const size_t at = tfs_bisect(i, s->n, s->v[i].pid < pid);

	s->seen = true;
	if ((at < s->n && s->v[at].pid == pid) || !is_wanted(s, pid))
		return 0;
	if (s->n >= TFS_VCPUS_MAX)
		return -E2BIG;
	if (tfs_grow_one(&s->v, s->n))
		return -ENOMEM;
	memmove(s->v + at + 1, s->v + at, (s->n - at) * sizeof(*s->v));
	s->v[at] = (struct tfs_vcpu){ cpu, pid };
	s->n++;
	return 0;
}

static int take_record(struct search *s, const struct tfs_record *rec)
{
	const bool big = tfs_dat_info(s->dat)->big_endian;
	const unsigned char *data = rec->data;

	if (rec->size < PID_OFFSET + sizeof(uint32_t))
		return 0;
	for (size_t i = 0; i < N_EVENTS; i++) {
		const struct kvm_event *e = &s->events[i];

		if (!e->known || tfs_load_u16(data, big) != e->id ||
		    rec->size < e->offset + sizeof(uint32_t))
			continue;
		return take(s, tfs_load_u32(data + PID_OFFSET, big),
			    tfs_load_u32(data + e->offset, big));
	}
	return 0;
}

static bool is_done(const struct search *s)
{
	return (s->most && s->n >= s->most) || (s->n_pids && s->n >= s->n_pids);
}

static int walk_page(struct search *s, const void *page, size_t size, struct tfs_err *fault)
{
	const struct tfs_dat_info *info = tfs_dat_info(s->dat);
	struct tfs_record rec;
	struct tfs_page pg;
	int rc, got = tfs_page_init(&pg, page, size, info->kernel_long_size, info->page_data_offset,
				    info->big_endian);

	while (!got && (got = tfs_page_next(&pg, &rec)) > 0) {
		rc = take_record(s, &rec);
		if (rc)
			return rc;
		got = 0;
	}
	return got ? tfs_err_say(fault, -EBADMSG, "a sub-buffer is damaged") : 0;
}

static int walk_cpu(struct search *s, size_t buffer, size_t cpu)
{
	const size_t size = tfs_dat_buffer(s->dat, buffer)->page_size;
	struct tfs_err fault = TFS_ERR_INIT;
	struct tfs_stream *stream;
	const void *page;
	int rc = tfs_stream_new(s->dat, buffer, cpu, &stream, &fault);

	if (!rc) {
		while (!is_done(s) && (rc = tfs_stream_next(stream, &page, &fault)) > 0) {
			rc = walk_page(s, page, size, &fault);
			if (rc)
				break;
		}
		tfs_stream_free(stream);
	}
	if (rc == -ENOMEM || rc == -E2BIG)
		return rc;
	if (rc < 0)
		tfs_dat_note_damage(s->dat, &fault);
	return 0;
}

/* Kernels before 5.10 have no vcpu_id in kvm_exit. */
static void find_events(struct search *s)
{
	for (size_t i = 0; i < tfs_dat_n_formats(s->dat); i++) {
		const struct tfs_dat_format *format = tfs_dat_format(s->dat, i);
		const struct tfs_blob *text = &format->text;
		struct tfs_event_format e;
		struct tfs_format_field f;

		if (strcmp(format->system, "kvm") != 0 ||
		    tfs_event_format_parse(text->data, text->size, &e) ||
		    !tfs_format_find(text->data, text->size, "vcpu_id", strlen("vcpu_id"), &f) ||
		    f.size != sizeof(uint32_t) || f.offset < TYPE_SIZE || f.offset > UINT16_MAX)
			continue;
		for (size_t k = 0; k < N_EVENTS; k++)
			if (strlen(event_names[k]) == e.name_len &&
			    !memcmp(event_names[k], e.name, e.name_len))
				s->events[k] = (struct kvm_event){ true, (uint16_t)e.id, f.offset };
	}
}

static int by_cpu(const void *a, const void *b)
{
	const struct tfs_vcpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int check_found(struct search *s, struct tfs_err *err)
{
	const char *path = tfs_dat_path(s->dat);

	if (!s->seen) {
		tfs_err_say(err, -ENOENT, "'%s' has no events kvm_entry and kvm_exit", path);
		tfs_err_hint(err, "record the host with -e kvm, or say which thread ran which "
				  "virtual CPU: CPU=PID");
		return -ENOENT;
	}
	if (!s->n) {
		tfs_err_say(err, -ENOENT, "'%s': none of these threads ran a virtual CPU", path);
		tfs_err_hint(err, "give all threads of the guest's process: those in "
				  "/proc/PID/task");
		return -ENOENT;
	}
	qsort(s->v, s->n, sizeof(*s->v), by_cpu);
	for (size_t i = 1; i < s->n; i++) {
		if (s->v[i].cpu != s->v[i - 1].cpu)
			continue;
		tfs_err_say(err, -EINVAL,
			    "'%s': threads %u and %u both ran a virtual CPU %u: there is more than "
			    "one guest",
			    path, s->v[i - 1].pid, s->v[i].pid, s->v[i].cpu);
		tfs_err_hint(err, "give the threads of one guest");
		return -EINVAL;
	}
	return 0;
}

int tfs_vcpus_find(struct tfs_dat *dat, const uint32_t *pids, size_t n_pids, size_t most,
		   struct tfs_vcpus *out, struct tfs_err *err)
{
	struct search s = { .dat = dat, .pids = pids, .n_pids = n_pids, .most = most };
	int rc = 0;

	*out = (struct tfs_vcpus){ .n = 0 };
	find_events(&s);
	for (size_t i = 0; i < tfs_dat_n_buffers(dat) && !rc; i++)
		for (size_t k = 0; k < tfs_dat_buffer(dat, i)->n_cpus && !rc; k++)
			if (tfs_dat_buffer(dat, i)->cpus[k].size)
				rc = walk_cpu(&s, i, k);
	rc = rc ? tfs_err_set(err, rc, "cannot look for virtual CPUs") : check_found(&s, err);
	if (rc) {
		free(s.v);
		return rc;
	}
	*out = (struct tfs_vcpus){ s.v, s.n };
	return 0;
}

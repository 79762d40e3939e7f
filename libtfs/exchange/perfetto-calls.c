/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "decode/event-type.h"
#include "decode/event.h"

/*
 * Readers match the end of a call with the innermost open one of its name, and know nothing of
 * losses: what was open is ended here, and an end whose beginning is not in the file is left out.
 */

/* Calls deeper than this are not written: the kernel's stack has no room for as many. */
#define DEPTH_MAX 1024
/* Fields of funcgraph_exit */
enum { RETURN_DEPTH = 2, RETURN_FUNC = 3, RETURN_RETTIME = 5 };

/* The open calls of a task, or of a CPU's idle task, listed at the CPU it was last seen on */
struct perfetto_calls {
	struct perfetto_calls *next, **link; /* @link: what points here; NULL: in no list */
	uint32_t cpu;
	int pid;
	size_t n, alloc;
	struct open_call {
		uint64_t func, depth;
	} * open;
};

/* Each CPU has an idle task, all with the same pid. */
static uint64_t key_of(const struct tfs_event *event)
{
	return event->pid ? (uint32_t)event->pid : UINT64_C(1) << 32 | event->rec.cpu;
}

static struct perfetto_calls *find_task(struct perfetto_machine *m, const struct tfs_event *event,
					bool add)
{
	uint64_t hash = tfs_hash_int(key_of(event));
	struct perfetto_calls *c = tfs_hashmap_find(&m->tasks, hash, NULL, NULL);

	if (c || !add)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c || tfs_hashmap_add(&m->tasks, hash, c)) {
		free(c);
		return NULL;
	}
	c->pid = event->pid;
	return c;
}

static void leave_cpu(struct perfetto_calls *c)
{
	if (!c->link)
		return;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->link = NULL;
}

static int move_to_cpu(struct perfetto_machine *m, struct perfetto_calls *c, uint32_t number)
{
	struct perfetto_cpu *cpu;
	int rc = 0;

	if (c->link && c->cpu == number)
		return 0;
	rc = tfs_perfetto_cpu(m, number, &cpu);
	if (rc)
		return rc;
	leave_cpu(c);
	c->cpu = number;
	c->next = cpu->open;
	c->link = &cpu->open;
	if (c->next)
		c->next->link = &c->next;
	cpu->open = c;
	return 0;
}

static uint64_t number_of(const struct tfs_field *f, const struct tfs_event *event)
{
	struct tfs_value v = { 0 };

	if (f)
		tfs_fields_get(event->type->fields, f, event->rec.data, event->rec.size, &v);
	return v.number;
}

/* The end of a task's innermost call, on the CPU that it was last seen on */
static int write_end(struct perfetto_machine *m, struct perfetto_calls *c, uint64_t ts)
{
	const struct open_call *open = &c->open[--c->n];
	struct perfetto_cpu *cpu;
	uint64_t iid;
	char *p, *body, *fields;
	int rc = tfs_perfetto_cpu(m, c->cpu, &cpu);

	if (rc)
		return rc;
	iid = tfs_perfetto_symbol(m, cpu, open->func);
	p = tfs_proto_room(&cpu->events, 8 * TFS_PROTO_FIELD_MAX);
	if (!iid || !p)
		return -ENOMEM;
	p = tfs_proto_put_open(p, BUNDLE_EVENT, &body);
	p = tfs_proto_put_uint(p, EVENT_TIMESTAMP, ts);
	p = tfs_proto_put_uint(p, EVENT_PID, (uint64_t)(int64_t)c->pid);
	p = tfs_proto_put_open(p, MESSAGE_FUNCGRAPH_EXIT, &fields);
	p = tfs_proto_put_uint(p, RETURN_DEPTH, open->depth);
	p = tfs_proto_put_uint(p, RETURN_FUNC, iid);
	p = tfs_proto_put_uint(p, RETURN_RETTIME, ts);
	tfs_proto_wrote(&cpu->events, tfs_proto_put_close(body, tfs_proto_put_close(fields, p)));
	m->counts.cut++;
	return 0;
}

int tfs_perfetto_call(struct perfetto_machine *m, const struct perfetto_type *t,
		      const struct tfs_event *event)
{
	struct perfetto_calls *c = find_task(m, event, true);
	uint64_t depth = number_of(t->depth, event);
	int rc = 0;

	if (!c)
		return -ENOMEM;
	/* The ends of calls as deep as this one were not recorded. */
	while (c->n && c->open[c->n - 1].depth >= depth && !rc)
		rc = write_end(m, c, event->rec.ts);
	if (!rc)
		rc = move_to_cpu(m, c, event->rec.cpu);
	if (rc)
		return rc;
	if (c->n >= DEPTH_MAX) {
		m->counts.deep++;
		return 1;
	}
	if (tfs_grow(&c->open, &c->alloc, c->n + 1))
		return -ENOMEM;
	c->open[c->n++] = (struct open_call){ number_of(t->func, event), depth };
	return 0;
}

int tfs_perfetto_return(struct perfetto_machine *m, const struct perfetto_type *t,
			const struct tfs_event *event)
{
	struct perfetto_calls *c = find_task(m, event, false);
	uint64_t func = number_of(t->func, event), depth = number_of(t->depth, event);
	size_t n = c ? c->n : 0;
	int rc = 0;

	while (n && c->open[n - 1].depth > depth)
		n--;
	if (!n || c->open[n - 1].depth != depth || c->open[n - 1].func != func) {
		m->counts.unmatched++;
		return 0;
	}
	while (c->n > n && !rc)
		rc = write_end(m, c, event->rec.ts);
	c->n = n - 1;
	if (!rc && c->n)
		rc = move_to_cpu(m, c, event->rec.cpu);
	else
		leave_cpu(c);
	return rc ? rc : 1;
}

int tfs_perfetto_cut(struct perfetto_machine *m, struct perfetto_cpu *cpu, uint64_t ts)
{
	struct perfetto_calls *c;
	int rc = 0;

	while ((c = cpu->open) && !rc) {
		while (c->n && !rc)
			rc = write_end(m, c, ts);
		leave_cpu(c);
	}
	return rc;
}

void tfs_perfetto_calls_release(struct perfetto_machine *m)
{
	struct perfetto_calls *c;
	size_t i;

	tfs_hashmap_for_each(&m->tasks, i, c)
	{
		free(c->open);
		free(c);
	}
	tfs_hashmap_release(&m->tasks);
}

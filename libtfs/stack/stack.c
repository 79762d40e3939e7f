/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/stack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "printfmt/env.h"

/* CPUs of a buffer that are looked after; records of others have no stacks. */
#define CPU_MAX 65536

/* The last event of a context of a CPU that was not a stack. */
struct pending {
	bool open; /* it is selected, and was not given yet */
	bool any;  /* there was an event, and nothing was lost since */
	int pid;
	struct tfs_event event;
	void *data;
	size_t data_alloc;
	struct tfs_stack stack;
	uint64_t *kernel;
	size_t kernel_alloc;
	uint64_t user[TFS_STACK_USER_MAX];
};

struct cpus {
	struct pending **v; /* TFS_CONTEXTS of each */
	size_t n, alloc;
};

/* The stack records of a recording; a type that it does not have is NULL. */
struct layout {
	const struct tfs_event_type *kernel, *user;
	const struct tfs_field *kernel_caller, *user_caller, *user_tgid;
	uint64_t end; /* what the kernel writes after the last caller */
};

struct tfs_stacks {
	struct tfs_trace *const *traces;
	size_t n_traces;
	struct layout *layout; /* of each recording */
	struct cpus **buffers; /* of each recording: of each of its buffers */
	size_t *n_buffers, *buffers_alloc;
	tfs_stacks_func *call;
	void *ctx;
	uint64_t orphans;
};

int tfs_stacks_new(struct tfs_trace *const *traces, size_t n, tfs_stacks_func *call, void *ctx,
		   struct tfs_stacks **out)
{
	struct tfs_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->traces = traces;
	s->n_traces = n;
	s->call = call;
	s->ctx = ctx;
	s->layout = calloc(n, sizeof(*s->layout));
	s->buffers = calloc(n, sizeof(struct cpus *));
	s->n_buffers = calloc(n, sizeof(*s->n_buffers));
	s->buffers_alloc = calloc(n, sizeof(*s->buffers_alloc));
	if (!s->layout || !s->buffers || !s->n_buffers || !s->buffers_alloc) {
		tfs_stacks_free(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		s->layout[i].end = tfs_trace_env(traces[i])->long_size == 4 ? UINT32_MAX :
									      UINT64_MAX;
	*out = s;
	return 0;
}

static void free_cpus(struct cpus *cpus)
{
	for (size_t i = 0; i < cpus->n; i++) {
		if (!cpus->v[i])
			continue;
		for (size_t k = 0; k < TFS_CONTEXTS; k++) {
			free(cpus->v[i][k].data);
			free(cpus->v[i][k].kernel);
		}
		free(cpus->v[i]);
	}
	free(cpus->v);
}

void tfs_stacks_free(struct tfs_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->buffers && s->n_buffers && i < s->n_traces; i++) {
		for (size_t b = 0; b < s->n_buffers[i]; b++)
			free_cpus(&s->buffers[i][b]);
		free(s->buffers[i]);
	}
	free(s->layout);
	free(s->buffers);
	free(s->n_buffers);
	free(s->buffers_alloc);
	free(s);
}

/* --- the CPU that recorded an event */

static int grow_buffers(struct tfs_stacks *s, uint32_t input, uint32_t buffer)
{
	if (tfs_grow(&s->buffers[input], &s->buffers_alloc[input], (size_t)buffer + 1))
		return -ENOMEM;
	while (s->n_buffers[input] <= buffer)
		s->buffers[input][s->n_buffers[input]++] = (struct cpus){ NULL, 0, 0 };
	return 0;
}

static int grow_cpus(struct cpus *cpus, uint32_t cpu)
{
	if (tfs_grow(&cpus->v, &cpus->alloc, (size_t)cpu + 1))
		return -ENOMEM;
	while (cpus->n <= cpu)
		cpus->v[cpus->n++] = NULL;
	return 0;
}

/* NULL: nothing was recorded there yet */
static struct pending *find(const struct tfs_stacks *s, uint32_t input, uint32_t buffer,
			    uint32_t cpu)
{
	if (buffer >= s->n_buffers[input] || cpu >= s->buffers[input][buffer].n)
		return NULL;
	return s->buffers[input][buffer].v[cpu];
}

static struct pending *make(struct tfs_stacks *s, uint32_t input, uint32_t buffer, uint32_t cpu)
{
	struct cpus *cpus;

	if (buffer >= s->n_buffers[input] && grow_buffers(s, input, buffer))
		return NULL;
	cpus = &s->buffers[input][buffer];
	if (cpu >= cpus->n && grow_cpus(cpus, cpu))
		return NULL;
	cpus->v[cpu] = calloc(TFS_CONTEXTS, sizeof(struct pending));
	return cpus->v[cpu];
}

/* --- stack records */

static const struct tfs_field *find_callers(const struct tfs_event_type *type)
{
	const struct tfs_field *f = tfs_fields_find(type->fields, "caller", 6);

	return f && f->array && f->kind != TFS_VALUE_STRING && f->kind != TFS_VALUE_BYTES &&
			       f->kind != TFS_VALUE_MASK ?
		       f :
		       NULL;
}

/* A type is parsed when its first record is met. */
static bool is_stack(struct layout *l, const struct tfs_event_type *type)
{
	if (!type)
		return false;
	if (type == l->kernel || type == l->user)
		return true;
	if (!l->kernel && tfs_type_is_ftrace(type, "kernel_stack")) {
		l->kernel = type;
		l->kernel_caller = find_callers(type);
		return true;
	}
	if (!l->user && tfs_type_is_ftrace(type, "user_stack")) {
		l->user = type;
		l->user_caller = find_callers(type);
		l->user_tgid = tfs_fields_find(type->fields, "tgid", 4);
		return true;
	}
	return false;
}

/* The callers of a record up to the end mark, or to a zero. Return: how many, at most @max */
static size_t read_callers(const struct layout *l, const struct tfs_event *event,
			   const struct tfs_field *f, uint64_t *to, size_t max)
{
	struct tfs_value value;
	size_t n;

	if (!f || !tfs_fields_get(event->type->fields, f, event->rec.data, event->rec.size, &value))
		return 0;
	if (value.n < max)
		max = value.n;
	for (n = 0; n < max; n++) {
		to[n] = tfs_value_element(f, &value, n);
		if (!to[n] || to[n] == l->end)
			break;
	}
	return n;
}

static int add_kernel(const struct layout *l, const struct tfs_event *event, struct pending *p)
{
	size_t max = event->rec.size / sizeof(uint32_t);

	if (max > TFS_STACK_KERNEL_MAX)
		max = TFS_STACK_KERNEL_MAX;
	if (tfs_grow(&p->kernel, &p->kernel_alloc, max))
		return -ENOMEM;
	p->stack.kernel = p->kernel;
	p->stack.n_kernel = read_callers(l, event, l->kernel_caller, p->kernel, max);
	p->stack.flags |= TFS_STACK_KERNEL;
	return 0;
}

static void add_user(const struct layout *l, const struct tfs_event *event, struct pending *p)
{
	struct tfs_value tgid;

	p->stack.user = p->user;
	p->stack.n_user = read_callers(l, event, l->user_caller, p->user, TFS_STACK_USER_MAX);
	p->stack.flags |= TFS_STACK_USER;
	if (p->stack.n_user == TFS_STACK_USER_MAX)
		p->stack.flags |= TFS_STACK_CUT;
	if (l->user_tgid && tfs_fields_get(event->type->fields, l->user_tgid, event->rec.data,
					   event->rec.size, &tgid))
		p->stack.tgid = (int)tgid.number;
}

/* --- events */

static int complete(struct tfs_stacks *s, struct pending *p)
{
	if (!p->open)
		return 0;
	p->open = false;
	return s->call(s->ctx, &p->event, &p->stack);
}

/* The events of @p from context @from on; nothing more can belong to them. */
static int complete_from(struct tfs_stacks *s, struct pending *p, unsigned int from)
{
	int rc = 0;

	for (unsigned int i = TFS_CONTEXTS; i-- > from && !rc;) {
		rc = complete(s, &p[i]);
		p[i].any = false;
	}
	return rc;
}

/* Before events were lost, which may have been stacks. */
static int complete_cut(struct tfs_stacks *s, struct pending *p)
{
	for (unsigned int i = 0; i < TFS_CONTEXTS; i++)
		if (p[i].any)
			p[i].stack.flags |= TFS_STACK_LOSS;
	return complete_from(s, p, 0);
}

/* A stack belongs to the event before it, unless that was lost or has such a stack already. */
static int add_stack(struct tfs_stacks *s, const struct layout *l, const struct tfs_event *event,
		     struct pending *p)
{
	unsigned int flag = event->type == l->kernel ? TFS_STACK_KERNEL : TFS_STACK_USER;
	int rc = 0;

	if (!p->any || p->stack.flags & flag || p->pid != event->pid ||
	    (flag == TFS_STACK_KERNEL && p->stack.flags & TFS_STACK_USER)) {
		s->orphans++;
		p->any = false;
		return 0;
	}
	if (flag == TFS_STACK_KERNEL)
		rc = p->open ? add_kernel(l, event, p) : 0;
	else if (p->open)
		add_user(l, event, p);
	p->stack.flags |= flag;
	return rc;
}

/* The event's record is only there until the next one is read. */
static int keep(struct pending *p, const struct tfs_event *event)
{
	unsigned char **data = (unsigned char **)&p->data;

	if (tfs_grow(data, &p->data_alloc, (size_t)event->rec.size + 1))
		return -ENOMEM;
	memcpy(p->data, event->rec.data, event->rec.size);
	p->event = *event;
	p->event.rec.data = p->data;
	p->event.rec.room = event->rec.size;
	p->event.text = NULL;
	p->event.text_len = 0;
	p->event.leaf.type = NULL;
	p->event.leaf.data = NULL;
	return 0;
}

int tfs_stacks_event(struct tfs_stacks *s, const struct tfs_event *event)
{
	const struct tfs_record *rec = &event->rec;
	struct layout *l = &s->layout[event->input];
	struct pending *p = find(s, event->input, rec->buffer, rec->cpu);
	unsigned int context = tfs_flags_context(event->flags);
	int rc = 0;

	if (!p && rec->cpu < CPU_MAX)
		p = make(s, event->input, rec->buffer, rec->cpu);
	if (!p)
		return rec->cpu < CPU_MAX ? -ENOMEM : 0;
	if (rec->lost)
		rc = complete_cut(s, p);
	if (!rc && is_stack(l, event->type)) {
		rc = complete_from(s, p, context + 1);
		return rc ? rc : add_stack(s, l, event, &p[context]);
	}
	if (!rc)
		rc = complete_from(s, p, context);
	if (rc)
		return rc;
	p += context;
	p->any = true;
	p->pid = event->pid;
	p->stack = (struct tfs_stack){ .tgid = -1 };
	if (!event->selected)
		return 0;
	rc = keep(p, event);
	p->open = !rc;
	return rc;
}

int tfs_stacks_flush(struct tfs_stacks *s, uint32_t input, uint32_t buffer, uint32_t cpu)
{
	struct pending *p = find(s, input, buffer, cpu);

	return p ? complete_from(s, p, 0) : 0;
}

int tfs_stacks_end(struct tfs_stacks *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_traces; i++)
		for (size_t b = 0; b < s->n_buffers[i]; b++)
			for (size_t c = 0; c < s->buffers[i][b].n && !rc; c++)
				if (s->buffers[i][b].v[c])
					rc = complete_from(s, s->buffers[i][b].v[c], 0);
	return rc;
}

uint64_t tfs_stacks_orphans(const struct tfs_stacks *s)
{
	return s->orphans;
}

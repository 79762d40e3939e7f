/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/guests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/trace-internal.h"
#include "tracedat/dat-guest.h"

/* A thread of the host that runs a virtual CPU */
struct vcpu {
	int pid;
	struct tfs_trace *guest;
};

/* An event handled by a plugin. Its hook gets only the event and @context, which is this struct. */
struct kvm_event {
	struct kvm_event *next;
	const struct tfs_guests *guests;
	tep_event_handler_func handler;
	void *context;
};

struct tfs_guests {
	struct vcpu *vcpus; /* by pid */
	size_t n;
	struct kvm_event *events;
};

static int by_pid(const void *a, const void *b)
{
	const struct vcpu *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int add_vcpus(struct tfs_guests *guests, struct tfs_trace *guest, const int *pids, size_t n)
{
	struct vcpu *v = reallocarray(guests->vcpus, guests->n + n, sizeof(*v));

	if (!v)
		return -ENOMEM;
	guests->vcpus = v;
	for (size_t i = 0; i < n; i++)
		v[guests->n++] = (struct vcpu){ pids[i], guest };
	qsort(v, guests->n, sizeof(*v), by_pid);
	return 0;
}

int tfs_guests_add(struct tfs_trace *host, struct tfs_trace *guest)
{
	int *pids, rc;
	uint64_t id;
	size_t n;

	if (!tfs_dat_trace_id(guest->dat, &id))
		return 0;
	rc = tfs_dat_vcpu_pids(host->dat, id, &pids, &n);
	if (rc || !n)
		goto out;
	if (!host->guests)
		host->guests = calloc(1, sizeof(*host->guests));
	rc = host->guests ? add_vcpus(host->guests, guest, pids, n) : -ENOMEM;
	/* A filter has had them prepared already. */
	for (size_t i = 0; i < host->index.n && !rc; i++)
		if (host->index.types[i].ready && host->index.types[i].handled)
			rc = tfs_guests_event(host, &host->index.types[i]);
out:
	free(pids);
	return rc;
}

void tfs_guests_free(struct tfs_guests *guests)
{
	struct kvm_event *next;

	if (!guests)
		return;
	for (; guests->events; guests->events = next) {
		next = guests->events->next;
		free(guests->events);
	}
	free(guests->vcpus);
	free(guests);
}

static int print_by_plugin(struct trace_seq *s, struct tep_record *rec, struct tep_event *event,
			   void *context)
{
	const struct kvm_event *e = context;

	return e->handler(s, rec, event, e->context);
}

int tfs_guests_event(struct tfs_trace *trace, struct tfs_event_type *type)
{
	struct tep_event *event = type->tep;
	struct kvm_event *e;

	if (!trace->guests || !event->handler || event->handler == print_by_plugin ||
	    strcmp(event->system, "kvm") != 0)
		return 0;
	e = malloc(sizeof(*e));
	if (!e)
		return -ENOMEM;
	*e = (struct kvm_event){ trace->guests->events, trace->guests, event->handler,
				 event->context };
	trace->guests->events = e;
	event->handler = print_by_plugin;
	event->context = e;
	return 0;
}

/*
 * The plugin's weak symbol, which a program replaces: the function of the guest at *@val, which
 * becomes that function's address; NULL: it is not known. Called under the trace's lock, which both
 * recordings share.
 */
__attribute__((visibility("default"))) const char *
tep_plugin_kvm_get_func(struct tep_event *event, struct tep_record *record,
			unsigned long long *val);

const char *tep_plugin_kvm_get_func(struct tep_event *event, struct tep_record *record,
				    unsigned long long *val)
{
	const struct kvm_event *e = event->context;
	struct vcpu key = { 0 }, *found;
	const char *name;

	if (event->handler != print_by_plugin)
		return NULL;
	key.pid = tep_data_pid(event->tep, record);
	found = bsearch(&key, e->guests->vcpus, e->guests->n, sizeof(key), by_pid);
	if (!found)
		return NULL;
	tfs_trace_load_symbols(found->guest);
	name = tep_find_function(found->guest->tep, *val);
	if (name)
		*val = tep_find_function_address(found->guest->tep, *val);
	return name;
}

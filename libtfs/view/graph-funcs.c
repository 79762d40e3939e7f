/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strvec.h"
#include "decode/event-type.h"
#include "decode/trace.h"
#include "printfmt/env.h"

/* Slots at first. */
#define SLOTS 1024

static bool matches(const struct tfs_strvec *globs, const char *name)
{
	for (size_t i = 0; i < globs->n; i++)
		if (!fnmatch(globs->v[i], name, 0))
			return true;
	return false;
}

static struct graph_func *add(struct tfs_graph *g, const char *name)
{
	struct graph_funcs *funcs = &g->funcs;
	struct graph_func *f, **v;
	size_t room;

	if (funcs->n == funcs->room) {
		room = funcs->room ? 2 * funcs->room : 64;
		v = reallocarray(funcs->v, room, sizeof(struct graph_func *));
		if (!v)
			return NULL;
		funcs->v = v;
		funcs->room = room;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->name = strdup(name);
	if (!f->name || tfs_strmap_put(&funcs->by_name, name, funcs->n)) {
		free(f->name);
		free(f);
		return NULL;
	}
	f->named = matches(g->opts.funcs, name);
	f->caller = matches(g->opts.callers, name);
	f->hardirq = tfs_irq_text_is_hard(&funcs->irq_text, 0, name);
	f->softirq = tfs_irq_text_is_soft(&funcs->irq_text, 0, name);
	funcs->v[funcs->n++] = f;
	return f;
}

struct graph_func *tfs_graph_func_named(struct tfs_graph *g, const char *name)
{
	size_t i;

	return tfs_strmap_get(&g->funcs.by_name, name, &i) ? g->funcs.v[i] : add(g, name);
}

int tfs_graph_func_event(struct tfs_graph *g, struct graph_func *f,
			 const struct tfs_event_type *type)
{
	if (f->event)
		return 0;
	f->event = strndup(type->name, type->name_len);
	if (!f->event)
		return -ENOMEM;
	f->named |= matches(g->opts.funcs, f->event);
	f->caller |= matches(g->opts.callers, f->event);
	return 0;
}

static struct graph_address *slot_of(struct graph_address *slots, size_t n, uint64_t addr)
{
	/* Functions are aligned: the last bits carry no information. */
	size_t i = (size_t)((addr * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (n - 1);

	while (slots[i].func && slots[i].addr != addr)
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static int grow(struct graph_funcs *f)
{
	size_t n = f->n_slots ? 2 * f->n_slots : SLOTS, i;
	struct graph_address *slots;

	if (2 * f->n_addresses < f->n_slots)
		return 0;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -1;
	for (i = 0; i < f->n_slots; i++)
		if (f->address[i].func)
			*slot_of(slots, n, f->address[i].addr) = f->address[i];
	free(f->address);
	f->address = slots;
	f->n_slots = n;
	return 0;
}

/* A function that the recording has no symbol for is called by its address. */
static struct graph_func *look_up(struct tfs_graph *g, uint64_t addr)
{
	const struct tfs_format_env *env = tfs_trace_env(g->trace);
	uint64_t start;
	const char *name = env->symbol ? env->symbol(env->symbols, addr, &start) : NULL;
	char hex[24];

	snprintf(hex, sizeof(hex), "%llx", (unsigned long long)addr);
	return tfs_graph_func_named(g, name ? name : hex);
}

struct graph_func *tfs_graph_func_at(struct tfs_graph *g, uint64_t addr)
{
	struct graph_funcs *f = &g->funcs;
	struct graph_address *slot;
	struct graph_func *func;

	if (f->n_slots) {
		slot = slot_of(f->address, f->n_slots, addr);
		if (slot->func)
			return slot->func;
	} else {
		/* Symbols are there once a type that looks some up was prepared. */
		tfs_irq_text_find(tfs_trace_env(g->trace), &f->irq_text);
	}
	func = look_up(g, addr);
	if (!func || grow(f))
		return NULL;
	func->hardirq |= tfs_irq_text_is_hard(&f->irq_text, addr, NULL);
	func->softirq |= tfs_irq_text_is_soft(&f->irq_text, addr, NULL);
	*slot_of(f->address, f->n_slots, addr) = (struct graph_address){ addr, func };
	f->n_addresses++;
	return func;
}

void tfs_graph_funcs_release(struct graph_funcs *funcs)
{
	for (size_t i = 0; i < funcs->n; i++) {
		free(funcs->v[i]->name);
		free(funcs->v[i]->event);
		free(funcs->v[i]);
	}
	free(funcs->v);
	free(funcs->address);
	tfs_strmap_release(&funcs->by_name);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/indent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cpus.h"

#define COLUMNS 3

/* Callers, each called by the one before it; entries after the last one set are stale. */
struct stack {
	const char **name;
	size_t n, room;
};

struct tfs_indent {
	struct stack *cpus;
	size_t n_cpus;
};

int tfs_indent_new(struct tfs_indent **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void tfs_indent_free(struct tfs_indent *indent)
{
	size_t i;

	if (!indent)
		return;
	for (i = 0; i < indent->n_cpus; i++)
		free(indent->cpus[i].name);
	free(indent->cpus);
	free(indent);
}

static struct stack *stack_of(struct tfs_indent *indent, unsigned int cpu)
{
	struct stack *cpus;
	size_t n = cpu + 1;

	if (cpu >= indent->n_cpus) {
		cpus = realloc(indent->cpus, n * sizeof(*cpus));
		if (!cpus)
			return NULL;
		memset(cpus + indent->n_cpus, 0, (n - indent->n_cpus) * sizeof(*cpus));
		indent->cpus = cpus;
		indent->n_cpus = n;
	}
	return &indent->cpus[cpu];
}

/* Sets entry @at, which is at most one after the last. */
static int set(struct stack *s, size_t at, const char *name)
{
	if (!name)
		return 0;
	if (tfs_grow(&s->name, &s->room, at + 1))
		return -ENOMEM;
	s->name[at] = name;
	if (at >= s->n)
		s->n = at + 1;
	return 0;
}

int tfs_indent_next(struct tfs_indent *indent, unsigned int cpu, const char *parent,
		    const char *function)
{
	struct stack *s;
	size_t i;
	int rc;

	if (!parent || cpu >= TFS_CPUS_MAX)
		return 0;
	s = stack_of(indent, cpu);
	if (!s)
		return -ENOMEM;
	for (i = 0; i < s->n; i++)
		if (s->name[i] == parent || !strcmp(s->name[i], parent))
			break;
	if (i == s->n) {
		i = 0;
		rc = set(s, 0, parent);
		if (rc)
			return rc;
	}
	rc = set(s, i + 1, function);
	return rc ? rc : (int)i * COLUMNS;
}

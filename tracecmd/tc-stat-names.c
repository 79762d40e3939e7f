/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-stat-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "cli/clause.h"
#include "tracefs/event.h"

void stat_events_release(struct stat_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->v[i].name);
	free(events->v);
	*events = (struct stat_events){ 0 };
}

/* perf list hw sw cache: names by which perf_event_open(2) is asked for counters */
static const struct {
	const char *name;
	const char *instead;
} counters[] = {
	{ "alignment-faults", NULL },
	{ "branch-instructions", NULL },
	{ "branch-load-misses", NULL },
	{ "branch-loads", NULL },
	{ "branch-misses", NULL },
	{ "branches", NULL },
	{ "bus-cycles", NULL },
	{ "cache-misses", NULL },
	{ "cache-references", NULL },
	{ "cgroup-switches", NULL },
	{ "context-switches", "sched:sched_switch" },
	{ "cpu-clock", NULL },
	{ "cpu-cycles", NULL },
	{ "cpu-migrations", "sched:sched_migrate_task" },
	{ "cs", "sched:sched_switch" },
	{ "cycles", NULL },
	{ "duration_time", NULL },
	{ "emulation-faults", NULL },
	{ "faults", "exceptions:page_fault_user" },
	{ "instructions", NULL },
	{ "major-faults", NULL },
	{ "migrations", "sched:sched_migrate_task" },
	{ "minor-faults", NULL },
	{ "page-faults", "exceptions:page_fault_user" },
	{ "ref-cycles", NULL },
	{ "stalled-cycles-backend", NULL },
	{ "stalled-cycles-frontend", NULL },
	{ "task-clock", NULL },
};

/* Cache counters are composed: L1-dcache-load-misses. */
static const char *const caches[] = {
	"L1-dcache-", "L1-icache-", "LLC-", "dTLB-", "iTLB-", "node-"
};

static bool is_raw(const char *name)
{
	/* "read" is more likely a word */
	return name[0] == 'r' && strpbrk(name, "0123456789") &&
	       !name[1 + strspn(name + 1, "0123456789abcdefABCDEF")];
}

bool stat_is_counter(const char *name, const char **instead)
{
	/* a modifier may follow: cycles:u */
	const size_t len = strcspn(name, ":");

	*instead = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (strlen(counters[i].name) == len && !strncmp(counters[i].name, name, len)) {
			*instead = counters[i].instead;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
		if (!strncmp(caches[i], name, strlen(caches[i])))
			return true;
	return is_raw(name);
}

/* A counter's name that is also an event's is an event: systems are searched first. */
static int explain(const struct tfs_strvec *missing, int rc, struct tfs_err *err)
{
	const char *name = missing->n ? missing->v[0] : NULL, *instead;

	if (!name || !stat_is_counter(name, &instead))
		return rc;
	tfs_err_clear(err);
	rc = tfs_err_say(err, -ENOENT,
			 "'%s' is a counter of the processor or of perf, not an event of tracefs",
			 name);
	tfs_err_hint(err, "perf stat -e %s counts it%s%s", name,
		     instead ? "; nearly the same is tc-stat -e " : "", instead ? instead : "");
	return rc;
}

static int add(struct stat_events *events, const char *name, const struct tfs_event_spec *spec)
{
	struct stat_event *v;

	for (size_t i = 0; i < events->n; i++)
		if (!spec->probe && !events->v[i].probe && !strcmp(events->v[i].name, name) &&
		    events->v[i].filter == spec->filter)
			return 0;
	v = reallocarray(events->v, events->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	events->v = v;
	v += events->n;
	*v = (struct stat_event){ .filter = spec->filter, .probe = spec->probe };
	/* a probe without its arguments */
	v->name = strndup(name, spec->probe ? strcspn(name, " \t") : strlen(name));
	if (!v->name)
		return -ENOMEM;
	v->text = spec->probe ? spec->text : v->name;
	events->n++;
	return 0;
}

/* "system:*" stands for all events of the system. */
static int add_matched(struct stat_events *events, const struct tfs_event_spec *spec,
		       const char *matched, const struct tfs_strvec *names)
{
	const size_t len = strlen(matched);
	int rc = 0;

	if (len < 2 || strcmp(matched + len - 2, ":*") != 0)
		return add(events, matched, spec);
	for (size_t i = 0; i < names->n && !rc; i++)
		if (!strncmp(names->v[i], matched, len - 1))
			rc = add(events, names->v[i], spec);
	return rc;
}

static int find_all(struct tc_clauses *clauses, const struct tfs_strvec *names,
		    struct stat_events *events, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < clauses->n && !rc; i++) {
		const struct tfs_event_spec *spec = &clauses->events[i];

		if (spec->probe)
			rc = add(events, spec->text, spec);
		for (size_t k = 0; k < spec->matched.n && !spec->probe && !rc; k++)
			rc = add_matched(events, spec, spec->matched.v[k], names);
	}
	return rc ? tfs_err_set(err, rc, "cannot list the events to count") : 0;
}

int stat_events_find(struct tc_clauses *clauses, const struct tfs_root *root,
		     struct stat_events *events, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT, missing = TFS_STRVEC_INIT;
	int rc = tfs_event_list(root, &names, err);

	if (!rc)
		rc = tfs_event_resolve(clauses->events, clauses->n, &names, 0, NULL, err);
	if (rc == -ENOENT && names.n &&
	    !tfs_event_resolve(clauses->events, clauses->n, &names, TFS_EVENT_IGNORE_MISSING,
			       &missing, NULL))
		rc = explain(&missing, rc, err);
	else if (!rc)
		rc = find_all(clauses, &names, events, err);
	tfs_strvec_release(&names);
	tfs_strvec_release(&missing);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/clause.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracefs/event.h"

#define CLAUSES_FIRST 8

void tc_clauses_release(struct tc_clauses *c)
{
	for (size_t i = 0; i < c->n; i++) {
		tfs_strvec_release(&c->events[i].matched);
		tfs_strvec_release(&c->events[i].triggers);
	}
	free(c->events);
	tfs_strvec_release(&c->filters);
	memset(c, 0, sizeof(*c));
}

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot keep the options");
}

static int clauses_grow(struct tc_clauses *c)
{
	size_t cap = c->cap ? 2 * c->cap : CLAUSES_FIRST;
	struct tfs_event_spec *events;

	if (c->n < c->cap)
		return 0;
	if (cap > SIZE_MAX / sizeof(*events))
		return -ENOMEM;
	events = realloc(c->events, cap * sizeof(*events));
	if (!events)
		return -ENOMEM;
	c->events = events;
	c->cap = cap;
	return 0;
}

int tc_clauses_event(struct tc_clauses *c, const char *text, struct tfs_err *err)
{
	struct tfs_event_spec *spec;

	if (!*text)
		return tfs_err_say(err, -EINVAL, "option -e: the name of an event is empty");
	if (clauses_grow(c))
		return no_memory(err);
	spec = &c->events[c->n++];
	*spec = (struct tfs_event_spec){ .text = text, .exclude = c->exclude };
	tfs_strvec_init(&spec->matched);
	tfs_strvec_init(&spec->triggers);
	return 0;
}

int tc_clauses_probe(struct tc_clauses *c, const char *text, struct tfs_err *err)
{
	int rc;

	if (c->exclude) {
		rc = tfs_err_say(err, -EINVAL, "'%s' comes after -v", text);
		tfs_err_hint(
			err,
			"-v disables events, but a probe is defined to be recorded: put it before "
			"-v");
		return rc;
	}
	rc = tc_clauses_event(c, text, err);
	if (!rc)
		c->events[c->n - 1].probe = true;
	return rc;
}

/* @text must hold, too. */
static int add_filter(struct tc_clauses *c, struct tfs_event_spec *spec, const char *text,
		      struct tfs_err *err)
{
	struct tfs_strbuf both = TFS_STRBUF_INIT;
	int rc;

	rc = spec->filter ? tfs_strbuf_addf(&both, "(%s)&&(%s)", spec->filter, text) :
			    tfs_strbuf_adds(&both, text);
	if (!rc)
		rc = tfs_strvec_push(&c->filters, both.s);
	if (rc)
		no_memory(err);
	else
		spec->filter = c->filters.v[c->filters.n - 1];
	tfs_strbuf_release(&both);
	return rc;
}

int tc_clauses_filter(struct tc_clauses *c, const char *text, struct tfs_err *err)
{
	struct tfs_event_spec *spec;
	int rc;

	if (!c->n) {
		rc = tfs_err_say(err, -EINVAL, "there is no -e or -p before the filter '%s'", text);
		tfs_err_hint(err, "a filter belongs to the -e or -p before it: -e EVENT -f FILTER");
		return rc;
	}
	spec = &c->events[c->n - 1];
	if (spec->exclude)
		return tfs_err_say(err, -EINVAL, "'%s' is disabled by -v and takes no filter",
				   spec->text);
	if (!text[strspn(text, " \t\n")])
		return tfs_err_say(err, -EINVAL, "the filter for '%s' is empty", spec->text);
	return add_filter(c, spec, text, err);
}

int tc_clauses_filter_all(struct tc_clauses *c, const char *text, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->n && !rc; i++)
		if (!c->events[i].exclude)
			rc = add_filter(c, &c->events[i], text, err);
	return rc;
}

int tc_clauses_trigger(struct tc_clauses *c, const char *text, struct tfs_err *err)
{
	int rc;

	if (!c->n) {
		rc = tfs_err_say(err, -EINVAL, "there is no -e or -p before the trigger '%s'",
				 text);
		tfs_err_hint(err, "a trigger belongs to the -e or -p before it: -e EVENT -R "
				  "stacktrace");
		return rc;
	}
	if (!text[strspn(text, " \t\n")])
		return tfs_err_say(err, -EINVAL, "the trigger for '%s' is empty",
				   c->events[c->n - 1].text);
	if (text[0] == '!')
		return tfs_err_say(err, -EINVAL, "'%s' would remove a trigger", text);
	rc = tfs_strvec_push(&c->events[c->n - 1].triggers, text);
	return rc ? no_memory(err) : 0;
}

void tc_clauses_exclude(struct tc_clauses *c)
{
	c->exclude = true;
}

int tc_clauses_check(const struct tc_clauses *c, unsigned int flags, struct tfs_err *err)
{
	const bool need = flags & TC_CLAUSES_REQUIRED;
	size_t excluded = 0, idle = 0;
	int rc = 0;

	for (size_t i = 0; i < c->n; i++) {
		excluded += c->events[i].exclude;
		idle += c->events[i].exclude && !c->events[i].triggers.n;
	}
	if (!c->n && need) {
		rc = tfs_err_say(err, -EINVAL, "nothing to record");
		tfs_err_hint(err, "name events with -e, for example -e 'sched:*', a tracer or a "
				  "probe with -p, for example -p function or -p kprobe:vfs_read");
	} else if (c->exclude && !excluded) {
		rc = tfs_err_say(err, -EINVAL, "option -v: there is no -e after it");
		tfs_err_hint(err, "-v disables the events of the -e options that follow it");
	} else if (need && idle == c->n) {
		rc = tfs_err_say(err, -EINVAL, "nothing to record: -v disables every event");
		tfs_err_hint(err, "name the events to record with an -e before -v");
	}
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/event-plan.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

/*
 * struct target - where one spec's steps go
 * @shared: others use the instance too: what is changed there is put back
 * @several: more than one thing was matched, so that one refusal is not the end
 * @group: of the steps that enable, if @several
 */
struct target {
	const struct tfs_event_spec *spec;
	const struct tfs_strvec *names;
	const struct tfs_instance *inst;
	struct tfs_plan *plan;
	bool shared, several;
	unsigned int group;
};

/* "sched:*" -> 6, anything else 0: the bytes that the events of a whole system begin with. */
static size_t system_len(const char *matched)
{
	size_t len = strlen(matched);

	return len > 2 && !strcmp(matched + len - 2, ":*") ? len - 1 : 0;
}

/* PREFIXevents/SYSTEM/EVENT/FILE; without event for a whole system. */
static int event_path(const struct target *t, const char *matched, const char *file,
		      struct tfs_strbuf *sb)
{
	size_t sys = strcspn(matched, ":");
	const char *event = matched[sys] ? matched + sys + 1 : "*";

	tfs_strbuf_reset(sb);
	if (!strcmp(event, "*"))
		return tfs_strbuf_addf(sb, "%sevents/%.*s/%s", t->inst->prefix, (int)sys, matched,
				       file);
	return tfs_strbuf_addf(sb, "%sevents/%.*s/%s/%s", t->inst->prefix, (int)sys, matched, event,
			       file);
}

/* The step added last: how its failure reads, and its undo. */
static int finish_step(const struct target *t, const char *message, const char *input)
{
	int rc = tfs_plan_says(t->plan, message, input);

	if (!rc && t->shared)
		rc = tfs_plan_undo_restore(t->plan);
	return rc;
}

/* The step added last is one of many; @what some events of the system are when it is refused. */
static int join_group(const struct target *t, const char *event, unsigned int group,
		      const char *what)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_addf(&text, "some events of '%.*s' %s", (int)strcspn(event, ":"), event,
			     what);
	if (!rc)
		rc = tfs_plan_group(t->plan, group, text.s);
	tfs_strbuf_release(&text);
	return rc;
}

static int plan_filter(const struct target *t, const char *event, unsigned int group)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	int rc;

	rc = event_path(t, event, "filter", &path);
	if (!rc)
		rc = tfs_plan_write(t->plan, path.s, t->spec->filter);
	if (!rc)
		rc = tfs_strbuf_addf(&text, "cannot filter event '%s'", event);
	if (!rc)
		rc = finish_step(t, text.s, t->spec->filter);
	if (!rc && group)
		rc = join_group(t, event, group, "are recorded without the filter");
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc;
}

/* Call @one for each event of a system: its name and colon are the first @len bytes of @matched. */
static int each_event(const struct target *t, const char *matched, size_t len, unsigned int group,
		      int (*one)(const struct target *t, const char *event, unsigned int group))
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < t->names->n; i++) {
		if (!strncmp(t->names->v[i], matched, len))
			rc = one(t, t->names->v[i], group);
	}
	return rc;
}

/* A trigger is removed by itself with a ! before it, whatever count or filter it has. */
static int plan_trigger(const struct target *t, size_t which, const char *event, unsigned int group)
{
	const char *trigger = t->spec->triggers.v[which];
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	int rc;

	rc = event_path(t, event, "trigger", &path);
	if (!rc)
		rc = tfs_plan_append(t->plan, path.s, trigger);
	if (!rc)
		rc = tfs_strbuf_addf(&text, "!%s", trigger);
	if (!rc)
		rc = tfs_plan_undo_append(t->plan, path.s, text.s);
	tfs_strbuf_reset(&text);
	if (!rc)
		rc = tfs_strbuf_addf(&text, "cannot set a trigger on event '%s'", event);
	if (!rc)
		rc = tfs_plan_says(t->plan, text.s, trigger);
	if (!rc && group)
		rc = join_group(t, event, group, "do not have the trigger");
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc;
}

/* The same for each event of the system whose name and colon are @len bytes of @matched. */
static int each_trigger(const struct target *t, size_t which, const char *matched, size_t len,
			unsigned int group)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->names->n; i++) {
		if (!strncmp(t->names->v[i], matched, len))
			rc = plan_trigger(t, which, t->names->v[i], group);
	}
	return rc;
}

/* Systems first try to filter: events that lack a field do not fail there (one group). */
static int plan_filters(const struct target *t)
{
	unsigned int group = 0;
	const char *matched;
	size_t i, len;
	int rc = 0;

	for (i = 0; !rc && i < t->spec->matched.n; i++) {
		matched = t->spec->matched.v[i];
		len = system_len(matched);
		if (!len) {
			rc = plan_filter(t, matched, 0);
			continue;
		}
		if (!group)
			group = tfs_plan_new_group(t->plan);
		rc = each_event(t, matched, len, group, plan_filter);
	}
	return rc;
}

/*
 * Is it for the first few events only: "stacktrace:3", "enable_event:sched:sched_switch:1 if ..."?
 * (kernel: trace/events.rst, 6.1). Colons in a histogram are of another kind.
 */
static bool is_counted(const char *trigger)
{
	const size_t len = strcspn(trigger, " \t");
	const char *colon = memrchr(trigger, ':', len);
	size_t digits;

	if (!colon || !strncmp(trigger, "hist:", strlen("hist:")))
		return false;
	digits = (size_t)(trigger + len - (colon + 1));
	return digits && strspn(colon + 1, "0123456789") >= digits;
}

static int plan_triggers(const struct target *t, bool counted)
{
	unsigned int group;
	const char *matched;
	size_t i, k, len;
	int rc = 0;

	for (k = 0; !rc && k < t->spec->triggers.n; k++) {
		if (is_counted(t->spec->triggers.v[k]) != counted)
			continue;
		group = 0;
		for (i = 0; !rc && i < t->spec->matched.n; i++) {
			matched = t->spec->matched.v[i];
			len = system_len(matched);
			if (len && !group)
				group = tfs_plan_new_group(t->plan);
			rc = len ? each_trigger(t, k, matched, len, group) :
				   plan_trigger(t, k, matched, 0);
		}
	}
	return rc;
}

static int plan_enable(const struct target *t, const char *matched, unsigned int group)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	const char *verb = t->spec->exclude ? "disable" : "enable";
	size_t len = system_len(matched);
	int rc;

	rc = event_path(t, matched, "enable", &path);
	if (!rc)
		rc = tfs_plan_write(t->plan, path.s, t->spec->exclude ? "0" : "1");
	if (!rc && len)
		rc = tfs_strbuf_addf(&text, "cannot %s the events of '%.*s'", verb, (int)len - 1,
				     matched);
	else if (!rc)
		rc = tfs_strbuf_addf(&text, "cannot %s event '%s'", verb, matched);
	if (!rc)
		rc = finish_step(t, text.s, NULL);
	tfs_strbuf_reset(&text);
	if (!rc)
		rc = tfs_strbuf_addf(&text, "not every event of '%.*s' is %sd",
				     (int)(len ? len - 1 : strlen(t->spec->text)),
				     len ? matched : t->spec->text, verb);
	if (!rc && len && !t->spec->exclude)
		rc = tfs_plan_partial(t->plan, text.s);
	tfs_strbuf_reset(&text);
	if (!rc && group)
		rc = tfs_strbuf_addf(&text, "not everything that '%s' matches is %sd",
				     t->spec->text, verb);
	if (!rc && group)
		rc = tfs_plan_group(t->plan, group, text.s);
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc;
}

/* Does the spec stand for every system there is? */
static bool is_everything(const struct target *t)
{
	size_t i, len, systems = 0;
	const char *name;

	for (i = 0; i < t->spec->matched.n; i++) {
		if (!system_len(t->spec->matched.v[i]))
			return false;
	}
	for (i = 0; i < t->names->n; i++) {
		name = t->names->v[i];
		len = strcspn(name, ":") + 1;
		systems += !i || strncmp(name, t->names->v[i - 1], len) != 0;
	}
	return systems > 1 && systems == t->spec->matched.n;
}

static int plan_enable_all(const struct target *t)
{
	bool off = t->spec->exclude;
	const char *says = off ? "cannot disable all events" : "cannot enable all events";
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_addf(&path, "%sevents/enable", t->inst->prefix);
	if (!rc)
		rc = tfs_plan_write(t->plan, path.s, off ? "0" : "1");
	if (!rc)
		rc = finish_step(t, says, NULL);
	if (!rc && !off)
		rc = tfs_plan_partial(t->plan, "not every event is enabled");
	tfs_strbuf_release(&path);
	return rc;
}

static int plan_spec(struct target *t)
{
	size_t i, len;
	int rc = 0;

	if (!t->spec->matched.n)
		return 0;
	if (t->spec->filter && !t->spec->exclude)
		rc = plan_filters(t);
	if (!rc)
		rc = plan_triggers(t, false);
	if (!rc && !t->shared && is_everything(t))
		return plan_enable_all(t);
	len = system_len(t->spec->matched.v[0]);
	t->several = t->spec->matched.n > 1 || (t->shared && len);
	t->group = t->several ? tfs_plan_new_group(t->plan) : 0;
	for (i = 0; !rc && i < t->spec->matched.n; i++) {
		len = system_len(t->spec->matched.v[i]);
		if (t->shared && len)
			rc = each_event(t, t->spec->matched.v[i], len, t->group, plan_enable);
		else
			rc = plan_enable(t, t->spec->matched.v[i], t->group);
	}
	return rc;
}

static int plan_specs(const struct target *common, const struct tfs_event_spec *specs, size_t n,
		      int (*one)(struct target *t), struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		struct target t = *common;

		t.spec = &specs[i];
		rc = one(&t);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot plan to enable events");
	return rc;
}

int tfs_event_plan(const struct tfs_event_spec *specs, size_t n, const struct tfs_strvec *names,
		   const struct tfs_instance *inst, struct tfs_plan *plan, struct tfs_err *err)
{
	const struct target common = {
		.names = names,
		.inst = inst,
		.plan = plan,
		.shared = inst->shared,
	};

	return plan_specs(&common, specs, n, plan_spec, err);
}

static int plan_counted(struct target *t)
{
	return plan_triggers(t, true);
}

int tfs_event_plan_counted(const struct tfs_event_spec *specs, size_t n,
			   const struct tfs_strvec *names, const struct tfs_instance *inst,
			   struct tfs_plan *plan, struct tfs_err *err)
{
	const struct target common = { .names = names, .inst = inst, .plan = plan };

	return plan_specs(&common, specs, n, plan_counted, err);
}

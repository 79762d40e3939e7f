/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/reset.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/status.h"

/* Settings of struct tfs_status in a new instance; "" empties a list. */
static const struct {
	const char *file;
	const char *text;
} defaults[] = {
	{ "max_graph_depth", "0" },       { "tracing_thresh", "0" },
	{ "tracing_max_latency", "0" },   { "buffer_percent", "50" },
	{ "buffer_subbuf_size_kb", "4" },
};

/* PREFIX FILE := TEXT, and a notice if that is refused */
static int step(struct tfs_plan *plan, const struct tfs_instance *inst, const char *file,
		const char *text)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, what = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&path, "%s%s", inst->prefix, file);

	if (!rc)
		rc = tfs_plan_write(plan, path.s, text);
	if (!rc)
		rc = tfs_strbuf_addf(&what, "'%s' stays as it is", file);
	if (!rc)
		rc = tfs_plan_optional(plan, what.s);
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&what);
	return rc;
}

static int event_step(struct tfs_plan *plan, const struct tfs_instance *inst, const char *event,
		      const char *file, const char *text)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	size_t sys = strcspn(event, ":");
	int rc =
		tfs_strbuf_addf(&path, "events/%.*s/%s/%s", (int)sys, event, event + sys + 1, file);

	if (!rc)
		rc = step(plan, inst, path.s, text);
	tfs_strbuf_release(&path);
	return rc;
}

/*
 * "stacktrace:unlimited", "hist:keys=pid:...:size=2048 if pid > 1 [active]": an exclamation mark
 * before it removes it; the text that the kernel has added must not follow it.
 */
static int plan_trigger(struct tfs_plan *plan, const struct tfs_instance *inst,
			const struct tfs_status_note *t)
{
	static const char *const added[] = { " [active]", " [paused]" };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	size_t len = strlen(t->text);
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
		size_t tail = strlen(added[i]);

		if (len > tail && !strcmp(t->text + len - tail, added[i]))
			len -= tail;
	}
	rc = tfs_strbuf_addf(&text, "!%.*s", (int)len, t->text);
	if (!rc)
		rc = event_step(plan, inst, t->what, "trigger", text.s);
	tfs_strbuf_release(&text);
	return rc;
}

/* "3", "ff,ffffffff": every CPU up to the last of the machine, in groups of eight digits */
static int add_full_mask(struct tfs_strbuf *sb, const struct tfs_status *st)
{
	size_t bits = st->n_cpus ? st->cpus[st->n_cpus - 1].cpu + 1 : 1;
	size_t digits = (bits + 3) / 4;
	int rc = tfs_strbuf_addf(sb, "%x", (1U << (bits - 4 * (digits - 1))) - 1);

	while (--digits && !rc)
		rc = tfs_strbuf_adds(sb, digits % 8 ? "f" : ",f");
	return rc;
}

static int plan_setting(struct tfs_plan *plan, const struct tfs_instance *inst,
			const struct tfs_status_note *s, const struct tfs_status *st)
{
	struct tfs_strbuf mask = TFS_STRBUF_INIT;
	const char *text = "";
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		if (!strcmp(defaults[i].file, s->what))
			text = defaults[i].text;
	}
	if (!strcmp(s->what, "tracing_cpumask")) {
		rc = add_full_mask(&mask, st);
		text = mask.s;
	}
	if (!rc)
		rc = step(plan, inst, s->what, text);
	tfs_strbuf_release(&mask);
	return rc;
}

/* "stacktrace" -> options/stacktrace := 0; "nooverwrite" -> options/overwrite := 1 */
static int plan_option(struct tfs_plan *plan, const struct tfs_instance *inst, const char *word)
{
	struct tfs_strbuf file = TFS_STRBUF_INIT;
	bool off = !strncmp(word, "no", 2);
	int rc = tfs_strbuf_addf(&file, "options/%s", off ? word + 2 : word);

	if (!rc)
		rc = step(plan, inst, file.s, off ? "1" : "0");
	tfs_strbuf_release(&file);
	return rc;
}

int tfs_reset_plan(const struct tfs_status *st, const struct tfs_instance *inst,
		   struct tfs_plan *plan)
{
	int rc = step(plan, inst, "tracing_on", "0");

	for (size_t i = st->triggers.n; i-- && !rc;)
		rc = plan_trigger(plan, inst, &st->triggers.v[i]);
	if (!rc && st->n_events)
		rc = step(plan, inst, "events/enable", "0");
	for (size_t i = 0; i < st->filters.n && !rc; i++)
		rc = event_step(plan, inst, st->filters.v[i].what, "filter", "0");
	if (!rc && st->tracer.len && strcmp(st->tracer.s, "nop") != 0)
		rc = step(plan, inst, "current_tracer", "nop");
	for (size_t i = 0; i < st->settings.n && !rc; i++)
		rc = plan_setting(plan, inst, &st->settings.v[i], st);
	for (size_t i = 0; i < st->options.n && !rc; i++)
		rc = plan_option(plan, inst, st->options.v[i]);
	if (!rc && st->clock.len && strcmp(st->clock.s, "local") != 0)
		rc = step(plan, inst, "trace_clock", "local");
	/* opened to be written anew, the ring buffer is emptied */
	if (!rc)
		rc = step(plan, inst, "trace", "");
	return rc ? rc : step(plan, inst, "tracing_on", "1");
}

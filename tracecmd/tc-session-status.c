/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/print.h"
#include "tc-session-exclude.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "tracefs/file.h"
#include "tracefs/status.h"

/* Names of a list in the text; --json has them all. */
#define NAMES_MAX 12
#define LINES_MAX 8

/*
 * struct status_request - what to print
 * @selection: the first member, see session_instance_options
 * @options: all of them
 */
struct status_request {
	struct session_selection selection;
	bool options, json;
};

#define AT(member) .offset = offsetof(struct status_request, member)

static const struct tc_option options[] = {
	{ 'o', "options", NULL, "all trace options, not only those that were changed", TC_OPT_FLAG,
	  AT(options) },
	{ 0, "json", NULL, "print JSON", TC_OPT_FLAG, AT(json) },
	{ .type = TC_OPT_TABLE, .table = session_instance_options },
	TC_OPT_END,
};

static void print_row(const char *what, const char *text)
{
	tc_print("  %-12s %s\n", what, text);
}

/* The first @max names with commas between, all on one line */
static int print_names(const char *what, const struct tfs_strvec *names, size_t max)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t n = names->n <= max ? names->n : max;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s%s", i ? ", " : "", names->v[i]);
	if (!rc && n < names->n)
		rc = tfs_strbuf_addf(&sb, " and %zu more", names->n - n);
	if (!rc && n)
		print_row(what, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

/* The first LINES_MAX lines of @text, the first one after @label */
static void print_lines(const char *label, const char *text)
{
	size_t n = 0;

	for (const char *end; *text; text = *end ? end + 1 : end, n++) {
		end = strchrnul(text, '\n');
		if (n == LINES_MAX) {
			print_row("", "...");
			return;
		}
		tc_print("  %-12s %.*s\n", n ? "" : label, (int)(end - text), text);
	}
}

static void print_notes(const char *label, const struct tfs_status_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		tc_print("  %-12s %s: %s\n", label, notes->v[i].what, notes->v[i].text);
}

static void print_settings(const struct tfs_status_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		const char *text = notes->v[i].text;
		const size_t line = strcspn(text, "\n");

		if (!text[line] || !text[line + 1]) {
			tc_print("  %s: %.*s\n", notes->v[i].what, (int)line, text);
			continue;
		}
		tc_print("  %s:\n", notes->v[i].what);
		print_lines("", text);
	}
}

static bool has_one_size(const struct tfs_status *st)
{
	for (size_t i = 1; i < st->n_cpus; i++) {
		if (st->cpus[i].kb != st->cpus[0].kb)
			return false;
	}
	return st->n_cpus > 0;
}

static void print_buffers(const struct tfs_status *st)
{
	if (has_one_size(st) && !st->cpus[0].kb)
		print_row("buffer", "not used yet");
	else if (has_one_size(st))
		tc_print("  %-12s %" PRIu64 " KiB for each of %zu CPUs, %" PRIu64 " KiB in all\n",
			 "buffer", st->cpus[0].kb, st->n_cpus, st->total_kb);
	else
		tc_print("  %-12s %" PRIu64 " KiB in all; it differs from CPU to CPU\n", "buffer",
			 st->total_kb);
	tc_print("\n  %4s %14s %14s %14s %14s\n", "CPU", "events in it", "taken out", "overwritten",
		 "dropped");
	for (size_t i = 0; i < st->n_cpus; i++) {
		const struct tfs_cpu_stats *s = &st->cpus[i].stats;

		tc_print("  %4u %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 "\n",
			 st->cpus[i].cpu, s->entries, s->read, s->overrun,
			 s->dropped + s->commit_overrun);
	}
}

static int print_state(const struct status_request *req, const struct session_instance *p,
		       const struct tfs_status *st)
{
	struct tfs_strbuf title = TFS_STRBUF_INIT;
	int rc = session_title(p, &title);

	if (!rc) {
		tc_print("%s: %s\n", title.s,
			 !st->on                ? "stopped" :
			 tfs_status_is_idle(st) ? "nothing is traced" :
						  "tracing");
		if (st->tracer.len && strcmp(st->tracer.s, "nop") != 0)
			print_row("tracer", st->tracer.s);
		rc = print_names("events", &st->events, NAMES_MAX);
	}
	if (!rc) {
		print_notes("filter", &st->filters);
		print_notes("trigger", &st->triggers);
		print_settings(&st->settings);
		if (strcmp(st->clock.s, "local") != 0)
			print_row("clock", st->clock.s);
		rc = print_names("options", req->options ? &st->all_options : &st->options,
				 req->options ? SIZE_MAX : NAMES_MAX);
	}
	if (!rc) {
		print_lines("error log", st->errors.s);
		print_buffers(st);
	}
	tfs_strbuf_release(&title);
	return rc;
}

/* A list of notes; @key names what each is about */
static void json_notes(struct tfs_json *j, const char *name, const char *key,
		       const struct tfs_status_notes *notes)
{
	tfs_json_open(j, name, '[');
	for (size_t i = 0; i < notes->n; i++) {
		tfs_json_open(j, NULL, '{');
		tfs_json_text(j, key, notes->v[i].what);
		tfs_json_text(j, "text", notes->v[i].text);
		tfs_json_close(j, '}');
	}
	tfs_json_close(j, ']');
}

static void json_names(struct tfs_json *j, const char *name, const struct tfs_strvec *names)
{
	tfs_json_open(j, name, '[');
	for (size_t i = 0; i < names->n; i++)
		tfs_json_text(j, NULL, names->v[i]);
	tfs_json_close(j, ']');
}

static void json_cpus(struct tfs_json *j, const struct tfs_status *st)
{
	tfs_json_open(j, "cpus", '[');
	for (size_t i = 0; i < st->n_cpus; i++) {
		const struct tfs_status_cpu *c = &st->cpus[i];

		tfs_json_open(j, NULL, '{');
		tfs_json_int(j, "cpu", c->cpu);
		tfs_json_int(j, "buffer_kb", (long long)c->kb);
		tfs_json_int(j, "entries", (long long)c->stats.entries);
		tfs_json_int(j, "read", (long long)c->stats.read);
		tfs_json_int(j, "overrun", (long long)c->stats.overrun);
		tfs_json_int(j, "commit_overrun", (long long)c->stats.commit_overrun);
		tfs_json_int(j, "dropped", (long long)c->stats.dropped);
		tfs_json_close(j, '}');
	}
	tfs_json_close(j, ']');
}

static void json_state(struct tfs_json *j, const struct status_request *req,
		       const struct session_instance *p, const struct tfs_status *st)
{
	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "instance", p->inst.name[0] ? p->inst.name : NULL);
	tfs_json_bool(j, "session", p->ours);
	tfs_json_bool(j, "tracing_on", st->on);
	tfs_json_text(j, "tracer", st->tracer.s);
	tfs_json_text(j, "clock", st->clock.s);
	json_names(j, "events", &st->events);
	tfs_json_int(j, "events_enabled", (long long)st->n_events);
	json_notes(j, "filters", "event", &st->filters);
	json_notes(j, "triggers", "event", &st->triggers);
	json_notes(j, "settings", "file", &st->settings);
	json_names(j, "options", req->options ? &st->all_options : &st->options);
	tfs_json_text(j, "error_log", st->errors.len ? st->errors.s : NULL);
	tfs_json_int(j, "buffer_total_kb", (long long)st->total_kb);
	json_cpus(j, st);
	tfs_json_close(j, '}');
}

/* "instance 'x': tracing, 26 events" for an instance that was not selected */
static int print_other(const struct session_instances *instances, const struct session_instance *p,
		       struct tfs_err *err)
{
	struct tfs_strbuf title = TFS_STRBUF_INIT;
	struct tfs_status st;
	int rc;

	tfs_status_init(&st);
	rc = tfs_status_read_brief(instances->root, &p->inst, &st, NULL);
	/* of others': it may be gone by now */
	if (rc && rc != -ENOMEM)
		rc = 0;
	else if (!rc && !(rc = session_title(p, &title))) {
		tc_print("%s: ", title.s);
		if (!st.on)
			tc_print("stopped");
		else
			tc_print("%s", tfs_status_is_idle(&st) ? "nothing is traced" : "tracing");
		if (st.tracer.len && strcmp(st.tracer.s, "nop") != 0)
			tc_print(", tracer %s", st.tracer.s);
		if (st.n_events)
			tc_print(", %zu event%s", st.n_events, st.n_events == 1 ? "" : "s");
		tc_print("\n");
	}
	tfs_strbuf_release(&title);
	tfs_status_release(&st);
	return rc ? tfs_err_set(err, rc, "cannot read the status of tracing") : 0;
}

/* All other instances, a line each, if none was selected */
static int print_others(const struct session_instances *instances, struct tfs_err *err)
{
	const struct session_selection top = { .v = &(struct session_selector){ .top = true },
					       .n = 1 };
	const struct session_selection all = { .v = &(struct session_selector){ .all = true },
					       .n = 1 };
	const struct session_selection *const both[] = { &all, &top };
	struct session_instances more = { 0 };
	int rc = 0;

	for (size_t k = 0; k < 2 && !rc; k++) {
		rc = session_open(both[k], SESSION_ALLOW_NONE, 0, NULL, &more, err) ? err->code : 0;
		for (size_t i = 0; i < more.n && !rc; i++) {
			bool shown = false;

			for (size_t n = 0; n < instances->n; n++)
				shown |= !strcmp(instances->v[n].inst.name, more.v[i].inst.name);
			if (!shown)
				rc = print_other(&more, &more.v[i], err);
		}
		session_close(&more);
	}
	return rc;
}

/* Probes are common to all buffers. */
static int print_probes(const struct session_instances *instances, struct tfs_json *j)
{
	static const char *const names[] = { "kprobe_events", "uprobe_events", "synthetic_events" };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !rc; i++) {
		if (tfs_file_read(instances->root, names[i], &sb, NULL))
			continue;
		rc = tfs_strvec_split(&lines, sb.s, "\n");
		tfs_strbuf_reset(&sb);
	}
	if (!rc && j) {
		json_names(j, "probes", &lines);
	} else if (!rc && lines.n) {
		tc_print("\nprobes and synthetic events:\n");
		for (size_t i = 0; i < lines.n; i++)
			print_row("", lines.v[i]);
	}
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&sb);
	return rc;
}

static int print_instances(const struct status_request *req,
			   const struct session_instances *instances, struct tfs_json *j,
			   struct tfs_err *err)
{
	struct tfs_status st;
	int rc = 0;

	for (size_t i = 0; i < instances->n && !rc; i++) {
		tfs_status_init(&st);
		rc = tfs_status_read(instances->root, &instances->v[i].inst, &st, err);
		if (!rc && req->json) {
			json_state(j, req, &instances->v[i], &st);
		} else if (!rc) {
			if (i)
				tc_print("\n");
			rc = print_state(req, &instances->v[i], &st);
		}
		tfs_status_release(&st);
	}
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const unsigned int flags = SESSION_ALLOW_NONE | SESSION_DEFAULT_ALL;
	struct status_request *req = request;
	struct session_instances instances = { 0 };
	struct session_exclusion exclusion = { .held = false };
	struct tfs_json j = TFS_JSON_INIT;
	int rc, status;

	status = session_open(&req->selection, flags, argc, argv, &instances, err);
	if (status)
		goto out;
	if (!instances.n && !req->json && !req->selection.n)
		tc_print("there is no session: 'tc-session start -e EVENT' starts one\n");
	session_exclude_begin(&exclusion, &instances);
	tfs_json_open(&j, NULL, '{');
	tfs_json_open(&j, "buffers", '[');
	rc = print_instances(req, &instances, &j, err);
	tfs_json_close(&j, ']');
	if (!rc && !req->json && !req->selection.n) {
		tc_print("\n");
		rc = print_others(&instances, err);
	}
	if (!rc)
		rc = print_probes(&instances, req->json ? &j : NULL);
	tfs_json_close(&j, '}');
	if (!rc && req->json) {
		rc = j.rc;
		if (!rc)
			tc_print("%s", j.text.s);
	}
	if (rc) {
		if (!err->code)
			tfs_err_set(err, rc, "cannot print the status of tracing");
		status = TC_EXIT_FAILED;
	}
out:
	session_exclude_end(&exclusion);
	tfs_json_release(&j);
	session_close(&instances);
	return status;
}

const struct tc_command session_status = {
	.name = SESSION_PROGRAM,
	.verb = "status",
	.alias = "stat",
	.summary = "show what is being traced, and how full the ring buffer is",
	.options = options,
	.request_size = sizeof(struct status_request),
	.run = run,
	.release = session_selection_release,
};

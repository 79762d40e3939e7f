/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/pid-ns.h"
#include "base/strbuf.h"
#include "tracefs/event-on.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/restore.h"
#include "tracefs/root.h"

#define PATH_SIZE 512

/* Where the kernel's default is no value: what shows that there is none. */
#define UNSET ""

/*
 * Control files whose text is shown when it is another than @unset, after comments were taken away.
 * Kernel documentation: Documentation/trace/ftrace.rst, "The File System".
 */
static const struct {
	const char *file;
	const char *unset;
} settings[] = {
	{ "set_event_pid", UNSET },       { "set_event_notrace_pid", UNSET },
	{ "set_ftrace_pid", "no pid" },   { "set_ftrace_notrace_pid", "no pid" },
	{ "set_ftrace_filter", UNSET },   { "set_ftrace_notrace", UNSET },
	{ "set_graph_function", UNSET },  { "set_graph_notrace", UNSET },
	{ "max_graph_depth", "0" },       { "tracing_thresh", "0" },
	{ "tracing_max_latency", "0" },   { "buffer_percent", "50" },
	{ "buffer_subbuf_size_kb", "4" },
};

/*
 * Options that are on in a new instance: TRACE_DEFAULT_FLAGS of kernel/trace/trace.c, and those of
 * the function_graph tracer (kernel/trace/trace_functions_graph.c). All others are off. An option
 * that an instance cannot have has the top level's value there, or none.
 */
static const char *const default_on[] = {
	"print-parent",       "printk",         "annotate",      "context-info",
	"record-cmd",         "overwrite",      "irq-info",      "markers",
	"hash-ptr",           "function-trace", "funcgraph-cpu", "funcgraph-overhead",
	"funcgraph-duration", "funcgraph-irqs", "blk_cgname",
};

/* Options that say where trace_printk() and the marker go: set by whoever made the instance. */
static const char *const not_shown[] = {
	"trace_printk",    "trace_printk_dest", "copy_trace_marker",
	"test_nop_refuse", "sleep-time",        "graph-time",
};

void tfs_status_init(struct tfs_status *st)
{
	memset(st, 0, sizeof(*st));
	tfs_strbuf_init(&st->tracer);
	tfs_strbuf_init(&st->clock);
	tfs_strbuf_init(&st->errors);
}

static void release_notes(struct tfs_status_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		free(notes->v[i].what);
		free(notes->v[i].text);
	}
	free(notes->v);
}

void tfs_status_release(struct tfs_status *st)
{
	tfs_strbuf_release(&st->tracer);
	tfs_strbuf_release(&st->clock);
	tfs_strbuf_release(&st->errors);
	tfs_strvec_release(&st->events);
	release_notes(&st->filters);
	release_notes(&st->triggers);
	release_notes(&st->settings);
	tfs_strvec_release(&st->options);
	tfs_strvec_release(&st->all_options);
	free(st->cpus);
	tfs_status_init(st);
}

static int add_note(struct tfs_status_notes *notes, const char *what, const char *text)
{
	struct tfs_status_note note;

	if (tfs_grow(&notes->v, &notes->cap, notes->n + 1))
		return -ENOMEM;
	note.what = strdup(what);
	note.text = strdup(text);
	if (!note.what || !note.text) {
		free(note.what);
		free(note.text);
		return -ENOMEM;
	}
	notes->v[notes->n++] = note;
	return 0;
}

/* The contents of a control file of the instance; "" if unreadable. 0 or -ENOMEM */
static int read_file(const struct tfs_root *root, const struct tfs_instance *inst, const char *file,
		     struct tfs_strbuf *sb)
{
	tfs_strbuf_reset(sb);
	return tfs_instance_read(root, inst, file, sb, NULL) == -ENOMEM ? -ENOMEM : 0;
}

/* The same, as what would be written to set it: without comments. */
static int read_setting(const struct tfs_root *root, const struct tfs_instance *inst,
			const char *file, struct tfs_strbuf *held, struct tfs_strbuf *out)
{
	int rc = read_file(root, inst, file, held);

	tfs_strbuf_reset(out);
	if (!rc && held->len)
		rc = tfs_restore_text(file, held->s, out);
	return rc == -ENOTSUP ? 0 : rc;
}

static bool is_one_of(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

#define ONE_OF(names, name) is_one_of(names, sizeof(names) / sizeof((names)[0]), name)

/* "stacktrace" is on, "nostacktrace" off; some names themselves begin with "no" */
static bool is_default_option(const char *word)
{
	bool on = strncmp(word, "no", 2) != 0;
	const char *name = on ? word : word + 2;

	if (ONE_OF(not_shown, name))
		return true;
	return ONE_OF(default_on, name) == on;
}

static int read_options(const struct tfs_root *root, const struct tfs_instance *inst,
			struct tfs_status *st)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = read_file(root, inst, "trace_options", &sb);

	if (!rc)
		rc = tfs_strvec_split(&st->all_options, sb.s, "\n");
	for (size_t i = 0; i < st->all_options.n && !rc; i++) {
		if (!is_default_option(st->all_options.v[i]))
			rc = tfs_strvec_push(&st->options, st->all_options.v[i]);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* "3", "ff,ffffffff": are all @n_cpus in it? No group but the first has a digit other than f. */
static bool is_every_cpu(const char *mask, size_t n_cpus)
{
	size_t bits = 0;

	for (; *mask; mask++) {
		switch (*mask) {
		case ',':
			break;
		case 'f':
		case 'F':
			bits += 4;
			break;
		case '7':
			bits += 3;
			break;
		case '3':
			bits += 2;
			break;
		case '1':
			bits += 1;
			break;
		case '0':
			if (bits)
				return false;
			break;
		default:
			return false;
		}
	}
	return bits >= n_cpus;
}

/* Who looks may have left itself out for as long as it looks: that is not a setting. */
static int drop_own_pid(struct tfs_strbuf *text)
{
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	int rc = tfs_strvec_split(&pids, text->s, "\n");

	tfs_strbuf_reset(text);
	for (size_t i = 0; i < pids.n && !rc; i++) {
		if (tfs_pid_ns() || strtol(pids.v[i], NULL, 10) != (long)getpid())
			rc = tfs_strbuf_addf(text, "%s%s", text->len ? "\n" : "", pids.v[i]);
	}
	tfs_strvec_release(&pids);
	return rc;
}

static int read_settings(const struct tfs_root *root, const struct tfs_instance *inst,
			 struct tfs_status *st)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(settings) && !rc; i++) {
		rc = read_setting(root, inst, settings[i].file, &held, &text);
		if (!rc && text.len && strstr(settings[i].file, "notrace_pid"))
			rc = drop_own_pid(&text);
		if (!rc && text.len && strcmp(text.s, settings[i].unset) != 0)
			rc = add_note(&st->settings, settings[i].file, text.s);
	}
	if (!rc)
		rc = read_setting(root, inst, "tracing_cpumask", &held, &text);
	if (!rc && text.len && !is_every_cpu(text.s, st->n_cpus))
		rc = add_note(&st->settings, "tracing_cpumask", text.s);
	tfs_strbuf_release(&held);
	tfs_strbuf_release(&text);
	return rc;
}

/* The lines of set_event, those of a system that is on as a whole as one */
static int read_enabled(const struct tfs_root *root, const struct tfs_instance *inst,
			struct tfs_status *st)
{
	struct tfs_strbuf enable = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	char path[PATH_SIZE], last[128] = "";
	bool whole = false;
	int rc = tfs_event_on(root, inst, &lines, NULL);

	st->n_events = lines.n;
	for (size_t i = 0; i < lines.n && !rc; i++) {
		size_t len = strcspn(lines.v[i], ":");

		if (strlen(last) != len || strncmp(last, lines.v[i], len) != 0) {
			snprintf(last, sizeof(last), "%.*s", (int)len, lines.v[i]);
			snprintf(path, sizeof(path), "events/%s/enable", last);
			rc = read_file(root, inst, path, &enable);
			whole = !rc && enable.s[0] == '1';
			if (whole)
				rc = tfs_strvec_pushf(&st->events, "%s:*", last);
		}
		if (!rc && !whole)
			rc = tfs_strvec_push(&st->events, lines.v[i]);
	}
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&enable);
	return rc;
}

/* "sched:sched_switch": the path of a file of it; false if it is too long for a path */
static bool event_file(const char *event, const char *file, char path[PATH_SIZE])
{
	int sys = (int)strcspn(event, ":");
	int n = snprintf(path, PATH_SIZE, "events/%.*s/%s/%s", sys, event, event + sys + 1, file);

	return n > 0 && n < PATH_SIZE;
}

static int read_triggers(const char *event, char *text, struct tfs_status *st)
{
	char *line, *rest = NULL;
	int rc = 0;

	for (line = strtok_r(text, "\n", &rest); line && !rc; line = strtok_r(NULL, "\n", &rest)) {
		/* without any, the file lists which there could be */
		if (*line != '#')
			rc = add_note(&st->triggers, event, line);
	}
	return rc;
}

static int read_events(const struct tfs_root *root, const struct tfs_instance *inst,
		       struct tfs_status *st, struct tfs_err *err)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	char path[PATH_SIZE];
	int rc;

	rc = read_enabled(root, inst, st);
	if (!rc)
		rc = tfs_event_list(root, &names, err);
	for (size_t i = 0; i < names.n && !rc; i++) {
		if (!event_file(names.v[i], "filter", path))
			continue;
		rc = read_setting(root, inst, path, &held, &text);
		/* "0" is what is written to have none */
		if (!rc && text.len && strcmp(text.s, "0") != 0)
			rc = add_note(&st->filters, names.v[i], text.s);
		if (rc || !event_file(names.v[i], "trigger", path))
			continue;
		rc = read_file(root, inst, path, &held);
		if (!rc && held.len)
			rc = read_triggers(names.v[i], held.s, st);
	}
	tfs_strvec_release(&names);
	tfs_strbuf_release(&held);
	tfs_strbuf_release(&text);
	return rc;
}

/* "1408", or 0 for "7 (expanded: 1408)": a ring buffer that was never used */
static uint64_t kib(const char *text)
{
	return strchr(text, '(') ? 0 : strtoull(text, NULL, 10);
}

static int read_buffers(const struct tfs_root *root, const struct tfs_instance *inst,
			struct tfs_status *st, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	unsigned int *cpus = NULL;
	char path[PATH_SIZE];
	int rc = tfs_instance_cpus(root, inst, &cpus, &st->n_cpus, err);

	if (!rc) {
		st->cpus = calloc(st->n_cpus, sizeof(*st->cpus));
		rc = st->cpus ? 0 : -ENOMEM;
	}
	if (rc)
		st->n_cpus = 0;
	for (size_t i = 0; i < st->n_cpus && !rc; i++) {
		st->cpus[i].cpu = cpus[i];
		tfs_cpu_stats_read(root, inst, cpus[i], NULL, &st->cpus[i].stats);
		snprintf(path, sizeof(path), "per_cpu/cpu%u/buffer_size_kb", cpus[i]);
		rc = read_file(root, inst, path, &sb);
		st->cpus[i].kb = kib(sb.s);
	}
	if (!rc)
		rc = read_file(root, inst, "buffer_total_size_kb", &sb);
	if (!rc)
		st->total_kb = kib(sb.s);
	free(cpus);
	tfs_strbuf_release(&sb);
	return rc;
}

static int read_on(const struct tfs_root *root, const struct tfs_instance *inst,
		   struct tfs_status *st, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_instance_read(root, inst, "tracing_on", &sb, err);

	if (!rc)
		st->on = sb.s[0] == '1';
	if (!rc)
		rc = read_file(root, inst, "current_tracer", &st->tracer);
	tfs_strbuf_rtrim(&st->tracer);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_status_read_brief(const struct tfs_root *root, const struct tfs_instance *inst,
			  struct tfs_status *st, struct tfs_err *err)
{
	int rc = read_on(root, inst, st, err);

	if (!rc)
		rc = read_enabled(root, inst, st);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read the state of tracing");
	return rc;
}

int tfs_status_read(const struct tfs_root *root, const struct tfs_instance *inst,
		    struct tfs_status *st, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = read_on(root, inst, st, err);

	if (!rc)
		rc = read_buffers(root, inst, st, err);
	if (!rc)
		rc = read_setting(root, inst, "trace_clock", &sb, &st->clock);
	if (!rc)
		rc = read_options(root, inst, st);
	if (!rc)
		rc = read_settings(root, inst, st);
	if (!rc)
		rc = read_events(root, inst, st, err);
	if (!rc)
		rc = read_file(root, inst, "error_log", &st->errors);
	tfs_strbuf_rtrim(&st->errors);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read the state of tracing");
	tfs_strbuf_release(&sb);
	return rc;
}

bool tfs_status_is_idle(const struct tfs_status *st)
{
	return !st->n_events && !st->triggers.n &&
	       (!st->tracer.len || !strcmp(st->tracer.s, "nop"));
}

int tfs_status_instances(const struct tfs_root *root, struct tfs_strvec *names, struct tfs_err *err)
{
	return tfs_file_list(root, "instances", TFS_LIST_DIRS, names, err);
}

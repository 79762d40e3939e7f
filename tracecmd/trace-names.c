/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "feature/feature.h"
#include "trace-opts.h"
#include "tracefs/event.h"
#include "tracefs/file.h"

#define PATH_SIZE 512
/* A trigger file lists all triggers if the event has none; one of these many has none. */
#define TRIGGER_FILES 8
#define AVAILABLE "# Available triggers:"

/*
 * Names of triggers, and the feature of "tc-list --features" that has the alternative if the kernel
 * lacks it. Kernel documentation: trace/events.rst, 6.1.
 */
static const struct {
	const char *name, *feature;
} triggers[] = {
	{ "traceon", NULL },
	{ "traceoff", NULL },
	{ "stacktrace", "trigger-stacktrace" },
	{ "snapshot", "trigger-snapshot" },
	{ "enable_event", "trigger-enable-event" },
	{ "disable_event", "trigger-enable-event" },
	{ "hist", "hist" },
	{ "enable_hist", "hist" },
	{ "disable_hist", "hist" },
};

#define N_TRIGGERS (ARRAY_SIZE(triggers))

static size_t name_len(const char *trigger)
{
	return strcspn(trigger, ": \t");
}

static size_t find_trigger(const char *text)
{
	const size_t len = name_len(text);
	size_t i;

	for (i = 0; i < N_TRIGGERS; i++) {
		if (strlen(triggers[i].name) == len && !strncmp(triggers[i].name, text, len))
			break;
	}
	return i;
}

bool trace_is_trigger(const char *text)
{
	return find_trigger(text) < N_TRIGGERS;
}

/* The kernel's triggers; empty if no file lists them. 0 or -ENOMEM */
static int list_triggers(const struct tfs_root *root, const struct tfs_strvec *events,
			 struct tfs_strvec *out)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[PATH_SIZE];
	int rc = 0;

	for (size_t i = 0; i < events->n && i < TRIGGER_FILES && !out->n && !rc; i++) {
		int sys = (int)strcspn(events->v[i], ":");
		int n = snprintf(path, sizeof(path), "events/%.*s/%s/trigger", sys, events->v[i],
				 events->v[i] + sys + (events->v[i][sys] != '\0'));

		tfs_strbuf_reset(&text);
		if (n < 0 || (size_t)n >= sizeof(path) || tfs_file_read(root, path, &text, NULL))
			continue;
		if (!strncmp(text.s, AVAILABLE, strlen(AVAILABLE)))
			rc = tfs_strvec_split(out, text.s + strlen(AVAILABLE), "# \n");
	}
	tfs_strbuf_release(&text);
	return rc;
}

static int trigger_not_built_in(const char *trigger, size_t known, struct tfs_err *err)
{
	const struct tfs_feature *f;
	size_t i;

	tfs_err_say(err, -EOPNOTSUPP, "option -R: this kernel has no trigger '%.*s'",
		    (int)name_len(trigger), trigger);
	if (!triggers[known].feature || tfs_feature_find(triggers[known].feature, &i, NULL))
		return -EOPNOTSUPP;
	f = tfs_feature(i);
	tfs_err_hint(err, "%s%s%s%s%stc-list --features=%s tests it",
		     f->config ? "it is built without " : "", f->config ? f->config : "",
		     f->config ? "; " : "", f->fallback ? f->fallback : "", f->fallback ? "; " : "",
		     f->name);
	return -EOPNOTSUPP;
}

static int check_trigger(const char *trigger, const struct tfs_strvec *known, struct tfs_err *err)
{
	const size_t which = find_trigger(trigger);
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)name_len(trigger), trigger);
	if (!known->n || tfs_strvec_has(known, name))
		return 0;
	if (which < N_TRIGGERS)
		return trigger_not_built_in(trigger, which, err);
	tfs_err_say(err, -ENOENT, "option -R: there is no trigger '%s'", name);
	tfs_suggest_hint(err, name, known,
			 "the 'trigger' file of an event lists the available ones");
	return -ENOENT;
}

static int check_triggers(const struct trace_request *req, const struct tfs_root *root,
			  const struct tfs_strvec *events, struct tfs_err *err)
{
	struct tfs_strvec known = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		const struct tfs_strvec *v = &req->clauses.events[i].triggers;

		if (v->n && !known.n)
			rc = list_triggers(root, events, &known);
		for (size_t k = 0; k < v->n && !rc; k++)
			rc = check_trigger(v->v[k], &known, err);
	}
	tfs_strvec_release(&known);
	return rc;
}

static int check_clock(const char *clock, const struct tfs_root *root, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	if (!clock || tfs_file_read(root, "trace_clock", &text, NULL))
		return 0;
	rc = tfs_strvec_split(&names, text.s, "[] \n");
	if (!rc && names.n && !tfs_strvec_has(&names, clock)) {
		rc = tfs_err_say(err, -ENOENT, "option -C: this kernel has no clock '%s'", clock);
		tfs_suggest_hint(err, clock, &names, "tc-list -C lists the available clocks");
	}
	tfs_strvec_release(&names);
	tfs_strbuf_release(&text);
	return rc;
}

/* The highest CPU of a mask: "ff,ffffffff"; -1 for none */
static long highest_cpu(const char *mask)
{
	long cpu = -1, bits = 0;

	for (const char *p = mask + strlen(mask); p-- > mask;) {
		char digit[2] = { *p, '\0' };
		unsigned long n;

		if (*p == ',') {
			/* words of 32 bits, of which the leading zeros may be left out */
			bits = (bits + 31) / 32 * 32;
			continue;
		}
		n = strtoul(digit, NULL, 16);
		for (long bit = 0; bit < 4; bit++) {
			if (n & (1UL << bit))
				cpu = bits + bit;
		}
		bits += 4;
	}
	return cpu;
}

static int check_cpus(const struct trace_buffer *buf, const struct tfs_root *root,
		      struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	char name[32];
	long cpu;
	int rc = 0;

	if (!buf->mask || tfs_file_list(root, "per_cpu", TFS_LIST_DIRS, &names, NULL))
		return 0;
	cpu = highest_cpu(buf->mask);
	snprintf(name, sizeof(name), "cpu%ld", cpu);
	if (cpu >= 0 && names.n && !tfs_strvec_has(&names, name)) {
		rc = tfs_err_say(err, -EINVAL, "option %s: there is no CPU %ld",
				 buf->cpus ? "--cpus" : "-M", cpu);
		tfs_err_hint(err, "this machine has %zu CPU%s, numbered from 0; -M -1 selects all",
			     names.n, names.n == 1 ? "" : "s");
	}
	tfs_strvec_release(&names);
	return rc;
}

int trace_names_check(const struct trace_request *req, const struct tfs_root *root,
		      const struct tfs_strvec *events, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		rc = check_clock(req->buffers[i].clock, root, err);
		if (!rc)
			rc = check_cpus(&req->buffers[i], root, err);
	}
	return rc ? rc : check_triggers(req, root, events, err);
}

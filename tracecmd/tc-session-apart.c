/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/signals.h"
#include "tc-session-where.h"
#include "tracefs/file.h"

#define PATH_SIZE 256

static bool reads_as(const struct session_places *places, const struct session_place *p,
		     const char *file, const char *text)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char path[PATH_SIZE];
	bool same;

	same = !tfs_instance_path(&p->inst, file, path, sizeof(path)) &&
	       !tfs_file_read(places->root, path, &sb, NULL) && !strncmp(sb.s, text, strlen(text));
	tfs_strbuf_release(&sb);
	return same;
}

static void add(const struct session_places *places, const struct session_place *p,
		const char *file)
{
	char path[PATH_SIZE], pid[24];
	int len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());

	if (!tfs_instance_path(&p->inst, file, path, sizeof(path)))
		tfs_file_write(places->root, path, TFS_WRITE_APPEND, pid, (size_t)len, NULL);
}

/* Others may have changed the list meanwhile: what it holds is written back without this pid. */
static void take_out(const struct session_places *places, const struct session_place *p,
		     const char *file)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, rest = TFS_STRBUF_INIT;
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	char path[PATH_SIZE];
	bool found = false;
	int rc = tfs_instance_path(&p->inst, file, path, sizeof(path));

	if (!rc)
		rc = tfs_file_read(places->root, path, &held, NULL);
	if (!rc)
		rc = tfs_strvec_split(&pids, held.s, "\n");
	for (size_t i = 0; i < pids.n && !rc; i++) {
		if (strtol(pids.v[i], NULL, 10) == (long)getpid())
			found = true;
		else
			rc = tfs_strbuf_addf(&rest, "%s\n", pids.v[i]);
	}
	if (!rc && found)
		tfs_file_write_lines(places->root, path, TFS_WRITE_TRUNC, rest.len ? rest.s : "",
				     NULL);
	tfs_strvec_release(&pids);
	tfs_strbuf_release(&rest);
	tfs_strbuf_release(&held);
}

void session_apart_begin(struct session_apart *a, const struct session_places *places)
{
	*a = (struct session_apart){ .places = places, .held = true };
	tc_signals_hold(&a->before);
	for (size_t i = 0; i < places->n; i++) {
		const struct session_place *p = &places->v[i];

		if (!reads_as(places, p, "tracing_on", "1"))
			continue;
		add(places, p, "set_event_notrace_pid");
		if (!reads_as(places, p, "current_tracer", "nop\n"))
			add(places, p, "set_ftrace_notrace_pid");
	}
}

bool session_apart_ended(const struct session_apart *a)
{
	return a->held && tc_signals_held(&a->before);
}

void session_apart_end(struct session_apart *a)
{
	if (!a->held)
		return;
	for (size_t i = 0; i < a->places->n; i++) {
		take_out(a->places, &a->places->v[i], "set_event_notrace_pid");
		take_out(a->places, &a->places->v[i], "set_ftrace_notrace_pid");
	}
	a->held = false;
	tc_signals_let_go(&a->before);
}

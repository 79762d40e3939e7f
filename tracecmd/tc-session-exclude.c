/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-exclude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/signals.h"
#include "tc-session-instances.h"
#include "tracefs/file.h"

#define PATH_SIZE 256

static bool reads_as(const struct session_instances *instances, const struct session_instance *p,
		     const char *file, const char *text)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char path[PATH_SIZE];
	bool same;

	same = !tfs_instance_path(&p->inst, file, path, sizeof(path)) &&
	       !tfs_file_read(instances->root, path, &sb, NULL) &&
	       !strncmp(sb.s, text, strlen(text));
	tfs_strbuf_release(&sb);
	return same;
}

static void add(const struct session_instances *instances, const struct session_instance *p,
		const char *file)
{
	char path[PATH_SIZE], pid[24];
	int len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());

	if (!tfs_instance_path(&p->inst, file, path, sizeof(path)))
		tfs_file_write(instances->root, path, TFS_WRITE_APPEND, pid, (size_t)len, NULL);
}

/* Others may have changed the list meanwhile: what it holds is written back without this pid. */
static void take_out(const struct session_instances *instances, const struct session_instance *p,
		     const char *file)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, rest = TFS_STRBUF_INIT;
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	char path[PATH_SIZE];
	bool found = false;
	int rc = tfs_instance_path(&p->inst, file, path, sizeof(path));

	if (!rc)
		rc = tfs_file_read(instances->root, path, &held, NULL);
	if (!rc)
		rc = tfs_strvec_split(&pids, held.s, "\n");
	for (size_t i = 0; i < pids.n && !rc; i++) {
		if (strtol(pids.v[i], NULL, 10) == (long)getpid())
			found = true;
		else
			rc = tfs_strbuf_addf(&rest, "%s\n", pids.v[i]);
	}
	if (!rc && found)
		tfs_file_write_lines(instances->root, path, TFS_WRITE_TRUNC, rest.len ? rest.s : "",
				     NULL);
	tfs_strvec_release(&pids);
	tfs_strbuf_release(&rest);
	tfs_strbuf_release(&held);
}

void session_exclude_begin(struct session_exclusion *a, const struct session_instances *instances)
{
	*a = (struct session_exclusion){ .instances = instances, .held = true };
	tc_signals_block(&a->before);
	for (size_t i = 0; i < instances->n; i++) {
		const struct session_instance *p = &instances->v[i];

		if (!reads_as(instances, p, "tracing_on", "1"))
			continue;
		add(instances, p, "set_event_notrace_pid");
		if (!reads_as(instances, p, "current_tracer", "nop\n"))
			add(instances, p, "set_ftrace_notrace_pid");
	}
}

bool session_exclude_interrupted(const struct session_exclusion *a)
{
	return a->held && tc_signals_pending(&a->before);
}

void session_exclude_end(struct session_exclusion *a)
{
	if (!a->held)
		return;
	for (size_t i = 0; i < a->instances->n; i++) {
		take_out(a->instances, &a->instances->v[i], "set_event_notrace_pid");
		take_out(a->instances, &a->instances->v[i], "set_ftrace_notrace_pid");
	}
	a->held = false;
	tc_signals_unblock(&a->before);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-exclude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/signals.h"
#include "tc-session-instances.h"
#include "tracefs/file.h"

#define PATH_SIZE 256

static bool begins_with(const struct session_instances *instances, const struct session_instance *p,
			const char *file, const char *text)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool same = !tfs_instance_read(instances->root, &p->inst, file, &sb, NULL) &&
		    !strncmp(sb.s, text, strlen(text));

	tfs_strbuf_release(&sb);
	return same;
}

static void add_self(const struct session_instances *instances, const struct session_instance *p,
		     const char *file)
{
	char path[PATH_SIZE], pid[24];
	int len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());

	if (!tfs_instance_path(&p->inst, file, path, sizeof(path)))
		tfs_file_write(instances->root, path, TFS_WRITE_APPEND, pid, (size_t)len, NULL);
}

/* Others may have changed the list meanwhile, so it is read again and written without this pid. */
static void remove_self(const struct session_instances *instances, const struct session_instance *p,
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

void session_exclude_begin(struct session_exclusion *e, const struct session_instances *instances)
{
	*e = (struct session_exclusion){ .instances = instances, .held = true };
	tc_signals_block(&e->before);
	/* In a container, the kernel has another process under this one's number. */
	for (size_t i = 0; i < instances->n && !tfs_pid_ns(); i++) {
		const struct session_instance *p = &instances->v[i];

		if (!begins_with(instances, p, "tracing_on", "1"))
			continue;
		add_self(instances, p, "set_event_notrace_pid");
		if (!begins_with(instances, p, "current_tracer", "nop\n"))
			add_self(instances, p, "set_ftrace_notrace_pid");
	}
}

bool session_exclude_interrupted(const struct session_exclusion *e)
{
	return e->held && tc_signals_pending(&e->before);
}

void session_exclude_end(struct session_exclusion *e)
{
	if (!e->held)
		return;
	for (size_t i = 0; i < e->instances->n && !tfs_pid_ns(); i++) {
		remove_self(e->instances, &e->instances->v[i], "set_event_notrace_pid");
		remove_self(e->instances, &e->instances->v[i], "set_ftrace_notrace_pid");
	}
	e->held = false;
	tc_signals_unblock(&e->before);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-tasks.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/time.h"
#include "record/threads.h"
#include "trace-opts.h"
#include "trace-plan.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

/* Longest list of pids in one write; the kernel takes them in pieces, none longer than a page. */
#define PIECE_MAX 1024

/* Looks for new tasks: that often, and less often if they take more than a hundredth of the time */
#define JOINS_NS ((uint64_t)20 * NS_PER_MSEC)
#define JOINS_SHARE 100

/* Without it no other thread of a process is found. */
static int check_proc(const struct trace_request *req, pid_t pid, struct tfs_err *err)
{
	if (!access("/proc/self/task", F_OK))
		return 0;
	tfs_err_say(err, -ENOENT,
		    "option %s: the threads of process %d cannot be found: /proc is not mounted",
		    trace_pid_option(req), (int)pid);
	tfs_err_hint(err, "mount -t proc proc /proc");
	return -ENOENT;
}

/* Those of --pid */
static int add_pids(const struct trace_request *req, const struct trace_buffer *buf,
		    struct tfs_strvec *out, struct tfs_err *err)
{
	char word[24];
	int rc = 0;

	for (size_t i = 0; i < buf->n_pids && !rc; i++) {
		pid_t pid = buf->pids[i];

		if (kill(pid, 0) && errno == ESRCH)
			return tfs_err_say(err, -ESRCH, "option %s: there is no process %d",
					   trace_pid_option(req), (int)pid);
		snprintf(word, sizeof(word), "%d", (int)pid);
		/* with -c the existing threads of a process are recorded like those it creates */
		if (req->children || (buf->flags & TRACE_BUFFER_PROCESSES)) {
			rc = check_proc(req, pid, err);
			if (rc)
				return rc;
			rc = tfs_threads_add(word, out);
		}
		/* a thread that is not a process, or one that has just ended */
		if (!rc && !tfs_strvec_has(out, word))
			rc = tfs_strvec_push(out, word);
	}
	return rc;
}

/* Those of an option; -ENOMEM is described by the caller */
static int of_option(int rc, const char *option, struct tfs_err *err)
{
	if (rc && rc != -ENOMEM)
		tfs_err_prefix(err, "option %s", option);
	return rc;
}

static int add_groups(const struct trace_buffer *buf, struct tfs_strvec *out, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < buf->cgroups.n && !rc; i++)
		rc = of_option(tfs_threads_add_cgroup(buf->cgroups.v[i], out, err), "--cgroup",
			       err);
	if (!rc && buf->container)
		rc = of_option(tfs_threads_add_container(buf->container_pid, out, err),
			       "--container", err);
	return rc;
}

/*
 * An empty list would be one of all tasks. This program stands for those that are to come: its
 * events are left out.
 */
static int add_nobody(const struct trace_request *req, struct trace_buffer *buf,
		      struct tfs_err *err)
{
	if (!req->joins || req->no_filter) {
		tfs_err_say(err, -ESRCH, "option --cgroup: there are no tasks in '%s'",
			    buf->cgroups.v[0]);
		tfs_err_hint(err, req->joins ? "without --no-filter, it is waited for them" :
					       "tc-record --cgroup waits for them");
		return -ESRCH;
	}
	buf->nobody = true;
	return tfs_strvec_pushf(&buf->tasks, "%d", (int)getpid());
}

static int find_tasks(const struct trace_request *req, struct trace_buffer *buf,
		      struct tfs_err *err)
{
	int rc = add_pids(req, buf, &buf->tasks, err);

	if (!rc)
		rc = add_groups(buf, &buf->tasks, err);
	if (!rc && buf->cgroups.n && !buf->tasks.n)
		rc = add_nobody(req, buf, err);
	return rc;
}

static int say_unknown(const struct trace_request *req, const char *tid, struct tfs_err *err)
{
	tfs_err_say(
		err, -ENXIO,
		"option %s: events have the pids of the host, and this program, in a container, "
		"does not see that of %s",
		trace_pid_option(req), tid);
	tfs_err_hint(err,
		     "record on the host, mount the host's /proc anywhere in the container, or "
		     "trace a COMMAND");
	return -ENXIO;
}

/* The number that the kernel has for a task: in a namespace, another; 0 or less: unknown */
static pid_t kernel_number(const char *tid)
{
	const pid_t own = (pid_t)strtol(tid, NULL, 10);

	return tfs_pid_ns() ? tfs_outer_pid(own, "/proc/self/mountinfo") : own;
}

static int number(const struct trace_request *req, struct trace_buffer *buf, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < buf->tasks.n && !rc; i++) {
		const pid_t pid = kernel_number(buf->tasks.v[i]);

		rc = pid > 0 ? tfs_strvec_pushf(&buf->threads, "%d", (int)pid) :
			       say_unknown(req, buf->tasks.v[i], err);
	}
	return rc;
}

/* The first process that was started is COMMAND. */
static int add_command(struct trace_buffer *buf, pid_t command, const struct trace_pids *pids,
		       struct tfs_err *err)
{
	struct tfs_strvec children = TFS_STRVEC_INIT;
	int rc = tfs_strvec_pushf(&buf->tasks, "%d", (int)command);

	if (!rc && !tfs_pid_ns())
		return tfs_strvec_pushf(&buf->threads, "%d", (int)command);
	if (!rc && (!pids || !pids->is_on)) {
		if (pids)
			*err = pids->why;
		tfs_err_prefix(
			err,
			"in a container, the pid that the kernel has for COMMAND is not known");
		return -ENXIO;
	}
	if (!rc)
		rc = tfs_pid_look_children(&pids->look, &children, err);
	if (!rc && !children.n)
		rc = tfs_err_say(err, -ENXIO, "the kernel does not show the pid of COMMAND");
	if (!rc)
		rc = tfs_strvec_push(&buf->threads, children.v[0]);
	tfs_strvec_release(&children);
	return rc;
}

int trace_find_tasks(struct trace_request *req, pid_t command, const struct trace_pids *pids,
		     struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->tasks);
		tfs_strvec_release(&buf->threads);
		buf->nobody = false;
		rc = find_tasks(req, buf, err);
		if (!rc)
			rc = number(req, buf, err);
		if (!rc && command > 0 && trace_wants_command(req, buf))
			rc = add_command(buf, command, pids, err);
	}
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot list the tasks to record") : rc;
}

int trace_pids_piece(const struct tfs_strvec *pids, size_t *at, struct tfs_strbuf *piece)
{
	int rc = 0;

	tfs_strbuf_reset(piece);
	for (; *at < pids->n && piece->len < PIECE_MAX && !rc; ++*at)
		rc = tfs_strbuf_addf(piece, "%s%s", piece->len ? " " : "", pids->v[*at]);
	return rc;
}

/*
 * The tasks that the kernel's list lacks. It has those that tasks of the list have made, and not
 * those that have ended, whose numbers may be others' by now.
 */
static int find_joined(const struct trace_request *req, const struct tfs_root *root,
		       struct trace_buffer *buf, bool all)
{
	struct tfs_strvec found = TFS_STRVEC_INIT, listed = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_err none = TFS_ERR_INIT;
	char word[24];
	int rc;

	/* A task that has ended meanwhile, or has no number any more, adds nobody. */
	if (all)
		add_pids(req, buf, &found, &none);
	add_groups(buf, &found, &none);
	rc = tfs_instance_read(root, &buf->inst, "set_event_pid", &text, &none);
	if (!rc)
		rc = tfs_strvec_split(&listed, text.s, "\n");
	for (size_t i = 0; i < found.n && !rc; i++) {
		const pid_t pid = kernel_number(found.v[i]);

		snprintf(word, sizeof(word), "%d", (int)pid);
		if (pid > 0 && !tfs_strvec_has(&listed, word))
			rc = tfs_strvec_push(&buf->joined, word);
	}
	tfs_strvec_release(&found);
	tfs_strvec_release(&listed);
	tfs_strbuf_release(&text);
	return rc;
}

/* Without a list everybody is recorded already. */
static bool find_joined_in_all(struct trace_request *req, const struct tfs_root *root, bool all)
{
	bool any = false;

	for (size_t i = 0; i < req->n_buffers; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->joined);
		if (buf->threads.n && !find_joined(req, root, buf, all))
			any |= buf->joined.n > 0;
	}
	return any;
}

static int list(const struct trace_buffer *buf, const char *file, const struct tfs_root *root,
		struct tfs_err *err)
{
	struct tfs_strbuf piece = TFS_STRBUF_INIT;
	char path[sizeof(buf->inst.prefix) + NAME_MAX];
	size_t at = 0;
	int rc = tfs_instance_path(&buf->inst, file, path, sizeof(path));

	while (at < buf->joined.n && !rc) {
		rc = trace_pids_piece(&buf->joined, &at, &piece);
		if (!rc)
			rc = tfs_file_write(root, path, TFS_WRITE_APPEND, piece.s, piece.len, err);
	}
	tfs_strbuf_release(&piece);
	return rc;
}

int trace_joins_list(struct trace_request *req, const struct tfs_root *root, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		if (!buf->joined.n)
			continue;
		rc = list(buf, "set_event_pid", root, err);
		if (!rc && trace_has_functions(buf))
			rc = list(buf, "set_ftrace_pid", root, err);
		buf->nobody = false;
	}
	return rc;
}

/*
 * Between the look at /proc and the write to the kernel's list, a task may have made another. What
 * the tasks of the list make from then on, the kernel adds to it; so the list is complete as soon
 * as a look finds nothing that is not in it.
 */
int trace_joins_complete(struct trace_request *req, const struct tfs_root *root,
			 struct tfs_err *err)
{
	int rc = 0;

	while (!rc && find_joined_in_all(req, root, true))
		rc = trace_joins_list(req, root, err);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot list the tasks to record") : rc;
}

bool trace_joins_look(struct trace_joins *joins, struct trace_request *req,
		      const struct tfs_root *root)
{
	const uint64_t now = tfs_monotonic_ns();
	uint64_t took;
	bool any;

	if (now < joins->next_ns || !trace_has_groups(req))
		return false;
	any = find_joined_in_all(req, root, false);
	took = tfs_monotonic_ns() - now;
	joins->next_ns =
		now + took + (took * JOINS_SHARE > JOINS_NS ? took * JOINS_SHARE : JOINS_NS);
	return any;
}

uint64_t trace_joins_wait(const struct trace_joins *joins)
{
	const uint64_t now = tfs_monotonic_ns();

	return joins->next_ns > now ? joins->next_ns - now : 0;
}

bool trace_has_groups(const struct trace_request *req)
{
	for (size_t i = 0; i < req->n_buffers; i++)
		if (req->buffers[i].cgroups.n || req->buffers[i].container)
			return true;
	return false;
}

void trace_pids_begin(struct trace_pids *pids, const struct tfs_root *root,
		      struct tfs_journal *journal)
{
	*pids = (struct trace_pids){ .why = TFS_ERR_INIT };
	if (tfs_pid_ns())
		pids->is_on = !tfs_pid_look_begin(&pids->look, root, journal, &pids->why);
}

int trace_pids_own(const struct trace_pids *pids, bool command, struct tfs_strvec *own,
		   const char **notice)
{
	struct tfs_strvec children = TFS_STRVEC_INIT;
	int rc = 0;

	*notice = NULL;
	if (!tfs_pid_ns())
		return 0;
	tfs_strvec_release(own);
	if (pids->is_on)
		rc = tfs_pid_look_children(&pids->look, &children, NULL);
	if (!pids->is_on || (rc && rc != -ENOMEM)) {
		*notice = "in a container this program does not know its own threads as the kernel "
			  "does: their events are recorded, too";
		rc = 0;
	} else if (!rc) {
		rc = tfs_strvec_pushf(own, "%d", (int)pids->look.self);
	}
	if (!*notice && !tfs_proc_shows_events())
		*notice = "in a container pids are those of the host, and /proc does not "
			  "show its tasks: their programs, files and functions get no names";
	for (size_t i = command ? 1 : 0; i < children.n && !rc; i++)
		rc = tfs_strvec_push(own, children.v[i]);
	tfs_strvec_release(&children);
	return rc;
}

void trace_pids_end(struct trace_pids *pids)
{
	if (pids->is_on)
		tfs_pid_look_end(&pids->look);
	pids->is_on = false;
}

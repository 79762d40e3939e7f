/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-show.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "cli/shell.h"
#include "record/session.h"
#include "tc-record-opts.h"
#include "trace-plan.h"
#include "tracefs/plan.h"

#define NSEC_PER_SEC 1000000000ULL
#define MIB ((uint64_t)1024 * 1024)
/* The largest buffer to suggest, not knowing how much memory is free */
#define HINT_MAX (1024 * MIB)

int record_show_size(struct tfs_strbuf *sb, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024)
		return tfs_strbuf_addf(sb, "%" PRIu64 " B", bytes);
	while (v >= 1023.5 && i + 1 < ARRAY_SIZE(units)) {
		v /= 1024;
		i++;
	}
	return tfs_strbuf_addf(sb, "%.*f %s", v < 9.95 ? 1 : 0, v, units[i]);
}

/* Data missing in the file; events that the kernel lost are printed for each CPU elsewhere. */
static int show_missing(const struct record_request *req, const struct tfs_session_totals *t,
			struct tfs_strbuf *sb)
{
	const bool full = t->unwritten != 0, lost = t->lost || t->taken || t->signs;
	int rc;

	/* Events that its spool refuses are among the lost ones. */
	if (req->stream.on)
		return lost ? 0 : tfs_strbuf_adds(sb, "; no events lost");

	if (!full && !t->dropped)
		return lost ? 0 : tfs_strbuf_adds(sb, "; no events lost");
	rc = tfs_strbuf_adds(sb, full ? "; " : "; the oldest ");
	if (!rc)
		rc = record_show_size(sb, full ? t->unwritten : t->dropped);
	return rc ? rc : tfs_strbuf_adds(sb, full ? " could not be written" : " were dropped (-m)");
}

int record_show_totals(const struct record_request *req, const struct tfs_session_totals *t,
		       struct tfs_strbuf *sb)
{
	uint64_t ms = (t->duration_ns + NSEC_PER_SEC / 2000) / (NSEC_PER_SEC / 1000);
	int rc;

	rc = tfs_strbuf_addf(sb, "tc-record: %s%" PRIu64 " events in %" PRIu64 ".%03" PRIu64 " s, ",
			     (t->unwritten || t->dropped) && !req->stream.on ? "fewer than " : "",
			     t->events, ms / 1000, ms % 1000);
	if (!rc)
		rc = record_show_size(sb, t->raw_bytes);
	if (!rc && req->codec != TFS_CODEC_NONE && !req->listener) {
		rc = tfs_strbuf_adds(sb, ", compressed ");
		if (!rc)
			rc = record_show_size(sb, t->data_bytes);
	}
	if (!rc && !req->stream.on)
		rc = tfs_strbuf_addf(sb, req->listener ? "; '%s' got " : "; '%s' has ",
				     t->path ? t->path : req->output);
	if (!rc && !req->stream.on)
		rc = record_show_size(sb, t->output_bytes);
	if (!rc)
		rc = show_missing(req, t, sb);
	if (!rc && t->left)
		rc = tfs_strbuf_addf(sb,
				     "; --max-size was reached, %" PRIu64
				     " later events are not in it",
				     t->left);
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

/* A buffer size (2^n MiB) at which the CPU that lost most would have lost nothing; 0: too large */
static uint64_t enough(const struct record_request *req, const struct tfs_session_totals *t)
{
	double need = 2.0 * (double)req->trace.buffers[0].buffer_bytes;
	uint64_t size = MIB;

	for (size_t i = 0; i < t->n_cpus; i++) {
		const struct tfs_session_cpu *c = &t->cpus[i];
		double all = (double)c->lost + (double)c->events;
		double want = c->events ? (double)req->trace.buffers[0].buffer_bytes * all /
						  (double)c->events :
					  0;

		if (c->lost && want > need)
			need = want;
	}
	while ((double)size < need && size <= HINT_MAX)
		size *= 2;
	return size <= HINT_MAX ? size : 0;
}

int record_show_lost(const struct record_request *req, const struct tfs_session_totals *t,
		     struct tfs_strbuf *sb)
{
	const char *comma = "";
	uint64_t size;
	int rc;

	if (!t->lost)
		return 0;
	rc = tfs_strbuf_addf(sb, "tc-record: %" PRIu64 " events lost: ", t->lost);
	for (size_t i = 0; i < t->n_cpus && !rc; i++) {
		if (!t->cpus[i].lost)
			continue;
		rc = tfs_strbuf_addf(sb, "%s%" PRIu64 " on CPU %u", comma, t->cpus[i].lost,
				     t->cpus[i].cpu);
		comma = ", ";
	}
	size = enough(req, t);
	if (!rc && t->unwritten)
		rc = tfs_strbuf_adds(sb, "\nhint: data could not be written, a larger ring buffer "
					 "does not help: -m SIZE keeps the newest data only, "
					 "--max-size SIZE ends before the disk is full\n");
	else if (!rc && size)
		rc = tfs_strbuf_addf(sb,
				     "\nhint: a larger ring buffer would lose fewer: -b %" PRIu64
				     "M\n",
				     size / MIB);
	else if (!rc)
		rc = tfs_strbuf_adds(sb, "\nhint: record fewer events, or filter them with -f\n");
	return rc;
}

int record_show_files(size_t made, size_t kept, uint64_t events, uint64_t lost,
		      struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_addf(sb, "tc-record: in total %" PRIu64 " events in %zu files", events,
				 made);

	if (!rc && kept < made)
		rc = tfs_strbuf_addf(sb, ", of which the last %zu %s kept", kept,
				     kept == 1 ? "is" : "are");
	if (rc)
		return rc;
	return lost ? tfs_strbuf_addf(sb, "; %" PRIu64 " events lost", lost) :
		      tfs_strbuf_adds(sb, "; no events lost");
}

/* A shell that adds its own pid to the buffer's file and then executes what follows. */
static int add_own_pid(const struct trace_buffer *buf, const char *root, const char *file,
		       struct tfs_strbuf *sb)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&path, "%s/%s%s", root, buf->inst.prefix, file);

	if (!rc)
		rc = tfs_strbuf_adds(sb, "sh -c 'echo $$ >> \"$0\" && exec \"$@\"' ");
	if (!rc)
		rc = tc_shell_quote(sb, path.s);
	if (!rc)
		rc = tfs_strbuf_addc(sb, ' ');
	tfs_strbuf_release(&path);
	return rc;
}

/* COMMAND as it would be run; with -F its own pid is all that is recorded. */
static int add_command(const struct record_request *req, const char *root, struct tfs_strbuf *sb)
{
	const struct trace_request *trace = &req->trace;
	int rc = 0;

	for (size_t i = 0; i < trace->n_buffers && !rc; i++) {
		const struct trace_buffer *buf = &trace->buffers[i];

		if (!trace_is_used(trace, buf) || !trace_wants_command(trace, buf))
			continue;
		rc = add_own_pid(buf, root, "set_event_pid", sb);
		if (!rc && trace_has_functions(buf))
			rc = add_own_pid(buf, root, "set_ftrace_pid", sb);
	}
	if (!rc && req->user) {
		rc = tfs_strbuf_adds(sb, "setpriv --init-groups --reset-env --reuid ");
		if (!rc)
			rc = tc_shell_quote(sb, req->user);
		if (!rc)
			rc = tfs_strbuf_addc(sb, ' ');
	}
	for (char **w = req->trace.command; *w && !rc; w++) {
		if (w != req->trace.command)
			rc = tfs_strbuf_addc(sb, ' ');
		if (!rc)
			rc = tc_shell_quote(sb, *w);
	}
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

/* The lines of a plan that make changes, or with TFS_PLAN_UNDO those that undo them. */
static int add_steps(const struct tfs_plan *plan, unsigned int flags, struct tfs_strbuf *sb)
{
	static const char mark[] = "# undo\n";
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *p;
	int rc = tfs_plan_print(plan, flags, &text);

	p = text.s;
	if (!rc && (flags & TFS_PLAN_UNDO)) {
		p = strstr(text.s, mark);
		p = p ? p + strlen(mark) : "";
	}
	if (!rc)
		rc = tfs_strbuf_adds(sb, p);
	tfs_strbuf_release(&text);
	return rc;
}

/* The recorder's own work, as comments */
static int add_reading(const struct record_request *req, const char *root, struct tfs_strbuf *sb)
{
	const struct trace_request *trace = &req->trace;
	int rc = 0;

	for (size_t i = 0; i < trace->n_buffers && !rc; i++) {
		if (!trace_is_used(trace, &trace->buffers[i]))
			continue;
		rc = tfs_strbuf_addf(sb, "# each %s/%sper_cpu/cpu*/trace_pipe_raw is read into ",
				     root, trace->buffers[i].inst.prefix);
		if (!rc)
			rc = tc_shell_quote(sb, req->output);
		if (!rc)
			rc = tfs_strbuf_adds(sb, " meanwhile\n");
	}
	return rc;
}

int record_show_plan(const struct record_request *req, const char *root,
		     const struct tfs_plan *setup, const struct tfs_plan *start,
		     const char *symbols, struct tfs_strbuf *sb)
{
	const bool command = req->trace.command != NULL;
	int rc;

	rc = add_steps(setup, 0, sb);
	if (!rc)
		rc = tfs_strbuf_adds(sb, symbols);
	if (!rc)
		rc = add_reading(req, root, sb);
	if (!rc && req->profile.on && !req->profile.tick)
		rc = tfs_strbuf_addf(sb,
				     "# on each CPU a thread of that name sleeps, %" PRIu64
				     " times a second, for random times\n",
				     req->profile.hz);
	if (!rc)
		rc = add_steps(start, 0, sb);
	if (!rc && command)
		rc = add_command(req, root, sb);
	if (!rc && req->duration_ns)
		rc = tfs_strbuf_addf(sb, "%ssleep %.9g\n",
				     command ? "# at most until this has ended: " : "",
				     (double)req->duration_ns / (double)NSEC_PER_SEC);
	else if (!rc && !command)
		rc = tfs_strbuf_adds(sb, "# until Ctrl-C\n");
	if (!rc)
		rc = add_steps(start, TFS_PLAN_UNDO, sb);
	if (!rc)
		rc = add_steps(setup, TFS_PLAN_UNDO, sb);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-hosts.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "cli/msg.h"
#include "clock/clock-line.h"
#include "clock/clock-map.h"
#include "decode/trace.h"
#include "main.h"
#include "pipeline/order-check.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-views.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-compared.h"
#include "tracedat/dat-guest.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
}

/* --host */
static bool is_wanted(const struct report_request *req, const struct report_source *src)
{
	for (size_t i = 0; i < req->hosts.n; i++)
		if (!fnmatch(req->hosts.v[i], src->host, 0))
			return true;
	return !req->hosts.n;
}

int report_hosts_keep(const struct report_request *req, struct report_sources *s,
		      struct tfs_err *err)
{
	struct report_source *src = &s->v[s->n - 1];
	int rc = 0;

	if (!tfs_dat_host(tfs_trace_dat(src->trace), src->host))
		snprintf(src->host, sizeof(src->host), "%s", src->file);
	if (is_wanted(req, src))
		return 0;
	rc = tfs_strvec_push(&s->others, src->host);
	report_source_release(src);
	*src = (struct report_source){ .file = NULL };
	s->n--;
	return rc ? no_memory(err) : 0;
}

/* --host left nothing */
static int no_host(const struct report_request *req, const struct report_sources *s,
		   struct tfs_err *err)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->others.n && !rc; i++)
		rc = tfs_strbuf_addf(&names, "%s%s", i ? ", " : "", s->others.v[i]);
	if (rc)
		no_memory(err);
	else
		tfs_err_say(err, -ENOENT, "--host '%s': the recordings are from %s",
			    req->hosts.v[0], names.s);
	tfs_strbuf_release(&names);
	return err->code;
}

/* Recordings of one host keep the names of their files; so do all where there is one host only. */
static int set_labels(struct report_sources *s)
{
	size_t others = 0;

	for (size_t i = 1; i < s->n; i++)
		others += strcmp(s->v[i].host, s->v[0].host) != 0;
	for (size_t i = 0; i < s->n && others; i++) {
		struct report_source *src = &s->v[i];
		struct tfs_strbuf sb = TFS_STRBUF_INIT;
		size_t same = 0;
		int rc;

		for (size_t k = 0; k < s->n; k++)
			same += !strcmp(s->v[k].host, src->host);
		rc = tfs_strbuf_addf(&sb, "%s%s%s", src->host, same > 1 ? ":" : "",
				     same > 1 ? src->file : "");
		if (rc) {
			tfs_strbuf_release(&sb);
			return rc;
		}
		if (tfs_strbuf_detach(&sb, &src->label))
			return -ENOMEM;
		src->name = src->label;
	}
	return 0;
}

int report_hosts_name(const struct report_request *req, struct report_sources *s, int *status,
		      struct tfs_err *err)
{
	if (!s->n) {
		*status = TC_EXIT_USAGE;
		return no_host(req, s, err);
	}
	/* trace-cmd knows files only. One after the other they are files as well. */
	if (s->n < 2 || req->compat || !(req->view->flags & REPORT_MERGED))
		return 0;
	return set_labels(s) ? no_memory(err) : 0;
}

/* A source, and the line of the clock by which all are merged */
struct compared {
	struct tfs_dat_compared rec;
	struct tfs_clock_line *line;
	struct tfs_dat_clock_about about;
};

static void free_compared(struct compared *c, size_t n)
{
	for (size_t i = 0; c && i < n; i++) {
		tfs_dat_compared_release(&c[i].rec);
		tfs_clock_line_free(c[i].line);
	}
	free(c);
}

static const char *clock_of(const struct report_source *src)
{
	const struct tfs_dat *dat = tfs_trace_dat(src->trace);

	return tfs_dat_n_buffers(dat) ? tfs_dat_buffer(dat, 0)->clock : "";
}

/* One machine with one clock: no correction against each other is needed. */
static bool share_clock(const struct report_sources *s, const struct compared *c, size_t i,
			size_t k)
{
	uint64_t a, b;

	return *c[i].rec.boot && !strcmp(c[k].rec.boot, c[i].rec.boot) &&
	       !strcmp(clock_of(&s->v[k]), clock_of(&s->v[i])) &&
	       tfs_dat_time_peer(c[i].rec.time, &a) == tfs_dat_time_peer(c[k].rec.time, &b) &&
	       a == b;
}

/* Is @host the recording whose clock the option TIME_SHIFT of @guest leads to? */
static bool is_peer(const struct report_sources *s, const struct compared *c, size_t guest,
		    size_t host)
{
	uint64_t peer, id;

	return tfs_dat_time_peer(c[guest].rec.time, &peer) &&
	       !tfs_dat_time_has_shift(c[host].rec.time) &&
	       tfs_dat_trace_id(tfs_trace_dat(s->v[host].trace), &id) && peer == id;
}

static void find_clocks(struct report_sources *s, const struct compared *c)
{
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].clock = (uint32_t)i;
		for (size_t k = 0; k < i; k++)
			if (share_clock(s, c, i, k)) {
				s->v[i].clock = (uint32_t)k;
				break;
			}
	}
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->n; k++)
			if (is_peer(s, c, i, k))
				s->v[i].clock = s->v[k].clock;
}

static bool has_source(const struct compared *c, const char *name)
{
	const char *other;
	size_t at = 0;

	while ((other = tfs_dat_compared_next(&c->rec, &at))) {
		if (!strcmp(other, name))
			return true;
	}
	return false;
}

/* The clock that all were compared with; "": there is none but each host's CLOCK_REALTIME */
static const char *common_source(const struct report_sources *s, const struct compared *c)
{
	const struct compared *base = &c[s->v[0].clock];
	const char *name;
	size_t at = 0, with;

	while ((name = tfs_dat_compared_next(&base->rec, &at))) {
		for (with = 0; with < s->n; with++)
			if (c[with].rec.clocks && s->v[with].clock == with &&
			    !has_source(&c[with], name))
				break;
		if (with == s->n)
			return name;
	}
	return "";
}

static bool is_one_machine(const struct report_sources *s, const struct compared *c)
{
	for (size_t i = 0; i < s->n; i++)
		if (!*c[i].rec.boot || strcmp(c[i].rec.boot, c[0].rec.boot) != 0)
			return false;
	return true;
}

/* The bound besides that of the pairs: how far the clocks they are with may be apart */
static uint64_t extra_bound(const struct report_sources *s, const struct compared *c, size_t i,
			    const char *source)
{
	if (*source || is_one_machine(s, c))
		return 0;
	return c[i].about.is_synced ? c[i].about.maxerror : UINT64_MAX;
}

/* "+1.000000005 s" */
static int put_seconds(struct tfs_strbuf *sb, int64_t ns)
{
	uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	return tfs_strbuf_addf(sb, "%c%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? '-' : '+',
			       abs / (uint64_t)NS_PER_SEC, abs % (uint64_t)NS_PER_SEC);
}

static int put_method(struct tfs_strbuf *sb, const struct report_sources *s,
		      const struct compared *c, size_t i, const char *source)
{
	if (*source)
		return tfs_strbuf_addf(sb, "compared with %s", source);
	if (is_one_machine(s, c))
		return tfs_strbuf_adds(sb, "CLOCK_REALTIME of one machine");
	return tfs_strbuf_addf(sb, "its CLOCK_REALTIME, %s",
			       c[i].about.is_synced ? "synchronized" : "not synchronized");
}

/* "web: clock mono +1.000000005 s, drift +50.0 ppm, +-31.2 us (compared with collector)" */
static int put_mapped(struct tfs_strbuf *sb, const struct report_sources *s,
		      const struct compared *c, size_t i, const char *source)
{
	const struct report_source *src = &s->v[i];
	uint64_t worst = tfs_clock_map_worst(src->map);
	size_t breaks = tfs_clock_line_breaks(c[i].line);
	int rc = tfs_strbuf_addf(sb, "%s: clock %s ", src->name, clock_of(src));

	if (!rc && !src->merge.map)
		rc = tfs_strbuf_adds(sb, "is the time line");
	else if (!rc)
		rc = put_seconds(sb, tfs_clock_map_shift(src->map));
	if (!rc && src->merge.map)
		rc = tfs_strbuf_addf(sb, ", drift %+.3f ppm", tfs_clock_map_drift(src->map) / 1e3);
	if (!rc && worst == UINT64_MAX)
		rc = tfs_strbuf_adds(sb, ", error not known");
	else if (!rc)
		rc = tfs_strbuf_addf(sb, ", +-%" PRIu64 ".%03u us", worst / 1000,
				     (unsigned int)(worst % 1000));
	if (!rc && breaks)
		rc = tfs_strbuf_addf(sb, ", one of the clocks was set %zu time%s", breaks,
				     breaks > 1 ? "s" : "");
	if (!rc)
		rc = tfs_strbuf_adds(sb, " (");
	if (!rc)
		rc = put_method(sb, s, c, i, source);
	return rc ? rc : tfs_strbuf_addc(sb, ')');
}

static int put_line(const struct report_sources *s, const struct compared *c, size_t i,
		    const char *source, struct tfs_strbuf *sb)
{
	const struct report_source *src = &s->v[i], *first = &s->v[src->clock];

	if (src->map)
		return put_mapped(sb, s, c, i, source);
	if (first != src && tfs_dat_time_has_shift(c[i].rec.time))
		return tfs_strbuf_addf(sb, "%s: a guest of %s, time by TIME_SHIFT", src->name,
				       first->name);
	if (first != src)
		return tfs_strbuf_addf(sb, "%s: the clock of %s", src->name, first->name);
	if (src->input.ts_offset)
		return tfs_strbuf_addf(sb, "%s: time by --ts-offset", src->name);
	if (tfs_dat_time_has_shift(c[i].rec.time))
		return tfs_strbuf_addf(sb, "%s: a guest, time by TIME_SHIFT", src->name);
	if (tfs_dat_clocks_kind(c[i].rec.clocks) & TFS_DAT_CLOCK_COUNTER)
		return tfs_strbuf_addf(sb, "%s: time as recorded, its clock counts something else",
				       src->name);
	return tfs_strbuf_addf(sb, "%s: time as recorded, it was not compared", src->name);
}

static int describe(struct report_sources *s, const struct compared *c, const char *source)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		tfs_strbuf_reset(&sb);
		rc = put_line(s, c, i, source, &sb);
		if (!rc)
			rc = tfs_strvec_push(&s->clocks, sb.s);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* The times of all sources with the clock of @i */
static struct tfs_clock_span span_of(const struct report_sources *s, const struct compared *c,
				     size_t i)
{
	struct tfs_clock_span span = c[i].rec.span;

	for (size_t k = 0; k < s->n; k++) {
		if (k == i || s->v[k].clock != i || !c[k].rec.has_events)
			continue;
		if (c[k].rec.span.first < span.first)
			span.first = c[k].rec.span.first;
		if (c[k].rec.span.last > span.last)
			span.last = c[k].rec.span.last;
	}
	return span;
}

/* Can it be put on the time line, unless the user or a guest's host did so? */
static bool can_be_mapped(const struct report_sources *s, const struct compared *c, size_t i)
{
	return c[i].line && c[i].rec.has_events && s->v[i].clock == i &&
	       (i == s->v[0].clock || !s->v[i].input.ts_offset) &&
	       !tfs_dat_time_has_shift(c[i].rec.time);
}

static int map_sources(struct report_sources *s, struct compared *c, const char *source)
{
	const size_t base = s->v[0].clock; /* whose clock is the time line */
	struct tfs_clock_span span;
	size_t mapped = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		rc = tfs_dat_clock_line(c[i].rec.dat, c[i].rec.clocks, c[i].rec.time, source,
					&c[i].about, &c[i].line);
	for (size_t i = 0; i < s->n && !rc; i++)
		mapped += i != base && can_be_mapped(s, c, i);
	if (rc || !mapped || !can_be_mapped(s, c, base))
		return rc;
	for (size_t i = 0; i < s->n && !rc; i++) {
		if (!can_be_mapped(s, c, i))
			continue;
		span = span_of(s, c, i);
		rc = tfs_clock_map_new(c[i].line, i == base ? NULL : c[base].line, &span,
				       extra_bound(s, c, i, source), &s->v[i].map);
		if (i != base)
			s->v[i].merge.map = s->v[i].map;
		s->v[i].merge.map_offset = tfs_dat_time_offset(c[base].rec.time);
	}
	/* Others with the same clock follow it. */
	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct report_source *first = &s->v[s->v[i].clock];

		s->v[i].merge.map = first->merge.map;
		s->v[i].merge.map_offset = first->merge.map_offset;
		if (first->map && (i == base || !s->v[i].input.ts_offset))
			s->v[i].bound = tfs_clock_map_worst(first->map);
	}
	return rc;
}

/* Takes back what map_sources() did. */
static void unmap_sources(struct report_sources *s, struct compared *c)
{
	for (size_t i = 0; i < s->n; i++) {
		tfs_clock_line_free(c[i].line);
		c[i].line = NULL;
		tfs_clock_map_free(s->v[i].map);
		s->v[i].map = NULL;
		s->v[i].merge.map = NULL;
		s->v[i].merge.map_offset = 0;
		s->v[i].bound = UINT64_MAX;
	}
}

/* The greatest bound of all sources that are mapped: the first one's clock is if any is */
static uint64_t worst_bound(const struct report_sources *s)
{
	uint64_t worst = s->v[s->v[0].clock].map ? 0 : UINT64_MAX;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].map && tfs_clock_map_worst(s->v[i].map) > worst)
			worst = tfs_clock_map_worst(s->v[i].map);
	return worst;
}

/* By a clock that all were compared with, or by their own CLOCK_REALTIME, whichever is better */
static int map_by_best(struct report_sources *s, struct compared *c)
{
	const char *source = common_source(s, c);
	int rc = map_sources(s, c, "");
	uint64_t worst = worst_bound(s);

	if (!rc && *source) {
		unmap_sources(s, c);
		rc = map_sources(s, c, source);
	}
	if (!rc && *source && worst < worst_bound(s)) {
		unmap_sources(s, c);
		source = "";
		rc = map_sources(s, c, source);
	}
	return rc || !s->v[s->v[0].clock].map ? rc : describe(s, c, source);
}

int report_hosts_clocks(const struct report_request *req, struct report_sources *s,
			struct tfs_err *err)
{
	struct compared *c;
	int rc = 0;

	for (size_t i = 0; i < s->n; i++)
		s->v[i].bound = UINT64_MAX;
	if (s->n < 2 || !(req->view->flags & REPORT_MERGED))
		return 0;
	c = calloc(s->n, sizeof(*c));
	if (!c)
		return no_memory(err);
	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct tfs_dat_time_opts opts = report_source_time(&s->v[i]);

		rc = tfs_dat_compared_read(&c[i].rec, tfs_trace_dat(s->v[i].trace), &opts, err);
	}
	if (!rc) {
		find_clocks(s, c);
		if (!req->raw_ts && !req->compat && !req->no_clocks)
			rc = map_by_best(s, c);
		if (rc)
			no_memory(err);
	}
	free_compared(c, s->n);
	return rc;
}

int report_hosts_order(const struct report_request *req, struct report_sources *s, int *status,
		       struct tfs_err *err)
{
	struct tfs_order_input *inputs;
	int rc;

	if (s->n < 2 || (!s->clocks.n && !req->messages.n))
		return 0;
	inputs = calloc(s->n, sizeof(*inputs));
	if (!inputs)
		return no_memory(err);
	for (size_t i = 0; i < s->n; i++) {
		const struct report_source *src = &s->v[i], *first = &s->v[src->clock];

		inputs[i] = (struct tfs_order_input){
			.trace = src->trace,
			.host = src->clock,
			.map = first->map,
			.offset = first->merge.map_offset + (uint64_t)src->input.ts_offset,
		};
	}
	rc = tfs_order_check_new(inputs, s->n, &req->messages, &s->order, err);
	if (rc && rc != -ENOMEM) {
		*status = TC_EXIT_USAGE;
		tfs_err_prefix(err, "--messages");
	}
	free(inputs);
	return rc;
}

int report_hosts_heading(const struct report_run *run, struct tfs_err *err)
{
	const struct tfs_strvec *clocks = &run->sources->clocks;
	bool text = run->view->flags & REPORT_TEXT;
	int rc = 0;

	for (size_t i = 0; i < clocks->n && !rc; i++) {
		if (text)
			rc = tfs_out_printf(run->out, "%s\n", clocks->v[i]);
		else if (!run->req->quiet)
			tc_msg_notice(tc_command.name, "%s", clocks->v[i]);
	}
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

static void notice_messages(const struct tfs_order_counts *n)
{
	tc_msg_notice(tc_command.name,
		      "%" PRIu64 " of %" PRIu64 " receives are shown before their sends; %" PRIu64
		      " have none",
		      n->early, n->receives, n->alone);
	if (n->unchecked)
		tc_msg_notice(tc_command.name,
			      "%" PRIu64 " sends and receives were not looked at: more than a "
			      "million messages were under way",
			      n->unchecked);
}

void report_hosts_notice(const struct report_request *req, const struct report_sources *s)
{
	struct tfs_order_counts n;

	if (!s->order)
		return;
	tfs_order_check_counts(s->order, &n);
	if (req->messages.n)
		notice_messages(&n);
	if (req->quiet || !s->clocks.n)
		return;
	if (n.uncertain)
		tc_msg_notice(tc_command.name,
			      "the order of %" PRIu64 " of %" PRIu64 " events is not certain: an "
			      "event of another host is closer than the sum of both errors",
			      n.uncertain, n.events);
	if (n.unknown)
		tc_msg_notice(tc_command.name,
			      "the order of %" PRIu64 " of %" PRIu64 " events is not known: the "
			      "error of a clock is not",
			      n.unknown, n.events);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/passed-by.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "tracefs/cpu-stats.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

/* How a line of trace goes on after the time, if it is a write to trace_marker */
static const char by_a_program[] = ": tracing_mark_write: ";

static bool reads(const struct tfs_root *root, const char *file, const char *want)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const bool same = !tfs_file_read(root, file, &text, NULL) && !strcmp(text.s, want);

	tfs_strbuf_release(&text);
	return same;
}

/* Is nothing but markers written into the buffer of the top level? */
static bool is_idle(const struct tfs_root *root)
{
	return reads(root, "current_tracer", "nop\n") && reads(root, "set_event", "");
}

/* Records that it has got since it was last emptied */
static uint64_t count(const struct tfs_root *root)
{
	struct tfs_instance top;
	struct tfs_cpu_stats s;
	unsigned int *cpus = NULL;
	uint64_t sum = 0;
	size_t n = 0;

	tfs_instance_top(&top);
	if (tfs_instance_cpus(root, &top, &cpus, &n, NULL))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!tfs_cpu_stats_read(root, &top, cpus[i], NULL, &s))
			sum += s.entries + s.overrun + s.commit_overrun + s.dropped + s.read;
	}
	free(cpus);
	return sum;
}

void tfs_passed_by_begin(struct tfs_passed_by *p, const struct tfs_root *root, bool copied)
{
	*p = (struct tfs_passed_by){ .idle = is_idle(root), .copied = copied };
	if (p->idle)
		p->before = count(root);
}

/*
 * How many of the newest @n lines of the buffer's text are not of trace_marker? The counters of the
 * kernel know no types.
 */
static uint64_t count_printks(const struct tfs_root *root, uint64_t n)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint64_t found = 0;
	char *end, *line;

	if (tfs_file_read(root, "trace", &text, NULL))
		goto out;
	tfs_strbuf_rtrim(&text);
	for (end = text.s + text.len; n && end > text.s; n--, end = line - 1) {
		for (line = end; line > text.s && line[-1] != '\n';)
			line--;
		*end = '\0';
		if (*line == '#')
			break;
		found += !strstr(line, by_a_program);
		if (line == text.s)
			break;
	}
out:
	tfs_strbuf_release(&text);
	return found;
}

uint64_t tfs_passed_by_count(const struct tfs_passed_by *p, const struct tfs_root *root)
{
	const uint64_t after = p->idle && is_idle(root) ? count(root) : 0;
	const uint64_t n = after > p->before ? after - p->before : 0;

	return n && p->copied ? count_printks(root, n) : n;
}

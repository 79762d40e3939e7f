/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-stat-count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "cli/xalloc.h"
#include "tc-stat-names.h"
#include "trace-opts.h"
#include "tracefs/cpu-stats.h"
#include "tracefs/instance.h"

#define ONLINE "/sys/devices/system/cpu/online"

bool stat_counter_update(struct stat_counter *c, uint64_t now)
{
	const bool back = now < c->last;

	c->total += back ? now : now - c->last;
	c->last = now;
	return !back;
}

void stat_online(struct tfs_cpus *cpus)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	if (tfs_read_path(ONLINE, &text) || tfs_cpus_parse(text.s, cpus, NULL))
		memset(cpus, 0, sizeof(*cpus));
	tfs_strbuf_release(&text);
}

int stat_counters_init(struct stat_counters *c, const struct tfs_root *root,
		       const struct trace_request *req, const struct stat_events *events,
		       struct tfs_err *err)
{
	int rc;

	*c = (struct stat_counters){ .root = root, .req = req, .events = events };
	rc = tfs_instance_cpus(root, &req->buffers[0].inst, &c->cpus, &c->n_cpus, err);
	if (rc)
		return rc;
	c->v = xcalloc((events->n + 1) * c->n_cpus, sizeof(*c->v));
	stat_online(&c->online);
	return 0;
}

void stat_counters_release(struct stat_counters *c)
{
	free(c->cpus);
	free(c->v);
}

/* @v: of one event, or of all in the main buffer */
static int read_buffer(struct stat_counters *c, size_t buffer, struct stat_counter *v,
		       struct tfs_err *err)
{
	const struct tfs_instance *inst = &c->req->buffers[buffer].inst;

	for (size_t i = 0; i < c->n_cpus; i++) {
		struct tfs_cpu_stats s;
		int rc = tfs_cpu_stats_read(c->root, inst, c->cpus[i], NULL, &s);

		/* A CPU that was not online yet has no ring buffer, and no events. */
		if (rc == -ENODEV)
			continue;
		if (rc)
			return tfs_err_set(err, rc, "cannot read the counters of CPU %u",
					   c->cpus[i]);
		if (!stat_counter_update(&v[i], s.entries + s.overrun + s.commit_overrun +
							s.dropped + s.read))
			c->resets++;
	}
	return 0;
}

int stat_counters_read(struct stat_counters *c, struct tfs_err *err)
{
	const size_t n = c->events->n;
	bool reads = false;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const size_t buffer = c->events->v[i].buffer;

		if (buffer == STAT_READ)
			reads = true;
		else
			rc = read_buffer(c, buffer, c->v + i * c->n_cpus, err);
	}
	return rc || !reads ? rc : read_buffer(c, 0, c->v + n * c->n_cpus, err);
}

uint64_t stat_counters_get(const struct stat_counters *c, size_t event, size_t cpu)
{
	const struct stat_counter *v = c->v + event * c->n_cpus;
	uint64_t sum = 0;

	if (cpu < c->n_cpus)
		return v[cpu].total;
	for (size_t i = 0; i < c->n_cpus; i++)
		sum += v[i].total;
	return sum;
}

uint64_t stat_counters_main(const struct stat_counters *c)
{
	return stat_counters_get(c, c->events->n, SIZE_MAX);
}

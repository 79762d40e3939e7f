/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/bounds.h"

#include <errno.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/clock.h"
#include "decode/prefix.h"
#include "decode/trace.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "tracedat/seek.h"

static int put_stamp(const char *what, uint64_t ts, enum tfs_time_format format,
		     struct tfs_out *out)
{
	char buf[TFS_PREFIX_TIME_MAX];
	char *end;

	end = tfs_prefix_time(buf, ts, format);
	end[-1] = '\0'; /* the colon */
	/* In front of seconds is the blank that divides columns. */
	return tfs_out_printf(out, "\t%s event:%s", what, buf + (format != TFS_TIME_RAW));
}

static int put_cpu(unsigned int cpu, const struct tfs_bounds *bounds,
		   const struct tfs_bounds_opts *opts, enum tfs_time_format format,
		   struct tfs_out *out)
{
	int rc = tfs_out_printf(out, "  %u", cpu);

	if (!rc && opts->first)
		rc = put_stamp("First", bounds->first, format, out);
	if (!rc && opts->last)
		rc = put_stamp("Last", bounds->last, format, out);
	return rc ? rc : tfs_out_puts(out, "\n");
}

static int put_cpus(struct tfs_trace *trace, const struct tfs_dat_time *time,
		    const struct tfs_bounds_opts *opts, struct tfs_out *out)
{
	enum tfs_time_format format =
		opts->raw_ts ?
			TFS_TIME_RAW :
			tfs_trace_time_format(trace, opts->nsecs ? TFS_TIME_NSECS : TFS_TIME_USECS);
	struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_bounds bounds;
	size_t b, i;
	int rc = tfs_out_printf(out, "List of CPUs in %s with data:\n", tfs_dat_path(dat));

	for (b = 0; b < tfs_dat_n_buffers(dat) && !rc; b++) {
		const struct tfs_dat_buffer *buffer = tfs_dat_buffer(dat, b);

		for (i = 0; !*buffer->name && i < buffer->n_cpus && !rc; i++) {
			rc = tfs_seek_bounds(dat, b, i, time, &bounds, NULL);
			if (rc > 0)
				rc = put_cpu(buffer->cpus[i].cpu, &bounds, opts, format, out);
		}
	}
	return rc ? rc : tfs_out_flush(out);
}

int tfs_bounds_print(struct tfs_trace *trace, const struct tfs_bounds_opts *opts,
		     struct tfs_out *out, struct tfs_err *err)
{
	const struct tfs_dat_time_opts time_opts = {
		.raw = opts->raw_ts,
		.no_date = opts->no_date,
		.unit = opts->unit,
	};
	struct tfs_dat_time *time = NULL;
	int rc = tfs_dat_time_new(tfs_trace_dat(trace), &time_opts, &time, err);

	if (rc)
		return rc;
	rc = put_cpus(trace, time, opts, out);
	tfs_dat_time_free(time);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

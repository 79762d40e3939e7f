/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-top-record.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf-core.h"
#include "main.h"
#include "trace-keep.h"

/* tc-top-20260131-235959.dat; the second within a second is tc-top-20260131-235959.1.dat */
static void choose_name(char *name, size_t size)
{
	char stamp[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, size, "tc-top-%s.dat", stamp);
	for (int i = 1; !access(name, F_OK); i++)
		snprintf(name, size, "tc-top-%s.%d.dat", stamp, i);
}

int top_record_begin(struct top_record *r, struct trace_live *live, const struct tfs_instance *inst,
		     const char *file, struct tfs_err *err)
{
	if (!file) {
		choose_name(r->name, sizeof(r->name));
		file = r->name;
	}
	return trace_keep_new(live, inst, tc_command.name, file, &r->keep, err);
}

/* The file ends before what failed; the first failure counts. */
static void give_up(struct top_record *r, const struct tfs_err *err)
{
	struct tfs_strbuf said = TFS_STRBUF_INIT;

	if (!r->failed.code)
		r->failed = *err;
	top_record_end(r, &said);
	tfs_strbuf_release(&said);
}

void top_record_page(struct top_record *r, unsigned int cpu, const void *page)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (r->keep && trace_keep_page(r->keep, cpu, page, &err))
		give_up(r, &err);
}

void top_record_tick(struct top_record *r)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (r->keep && trace_keep_tick(r->keep, &err))
		give_up(r, &err);
}

void top_record_end(struct top_record *r, struct tfs_strbuf *said)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct trace_keep *keep = r->keep;

	r->keep = NULL;
	if (keep && trace_keep_end(keep, said, &err) && !r->failed.code)
		r->failed = err;
}

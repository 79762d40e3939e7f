/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/blk.h"

#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "decode/trace-internal.h"
#include "decode/types.h"

/* Events whose id is one below TRACE_BLK's, in kernels of different ages; the first that exists. */
static const char *const before_blk[] = { "power", "kmem_free", "user_stack" };

struct blk_field {
	const char *type, *name;
	unsigned int offset, size;
};

static const struct blk_field common_fields[] = {
	{ "unsigned short", "common_type", 0, 2 },
	{ "unsigned char", "common_flags", 2, 1 },
	{ "unsigned char", "common_preempt_count", 3, 1 },
	{ "int", "common_pid", 4, 4 },
};

static const struct blk_field lock_depth = { "int", "common_lock_depth", 8, 4 };

/* struct blk_io_trace from its third member on; magic, sequence and time lie under the header. */
static const struct blk_field blk_fields[] = {
	{ "u64", "sector", 16, 8 },  { "int", "bytes", 24, 4 },     { "int", "action", 28, 4 },
	{ "int", "pid", 32, 4 },     { "int", "device", 36, 4 },    { "int", "cpu", 40, 4 },
	{ "short", "error", 44, 2 }, { "short", "pdu_len", 46, 2 }, { "void", "data", 48, 0 },
};

static int add_fields(struct tfs_strbuf *sb, const struct blk_field *f, size_t n)
{
	int rc = 0;

	for (; n && !rc; n--, f++)
		rc = tfs_strbuf_addf(sb, "\tfield:%s %s;\toffset:%u;\tsize:%u;\n", f->type, f->name,
				     f->offset, f->size);
	return rc;
}

static bool has_common(struct tep_event *event, const struct blk_field *want)
{
	const struct tep_format_field *f = tep_find_common_field(event, want->name);

	return f && f->offset == (int)want->offset && f->size == (int)want->size;
}

int tfs_blk_add(struct tfs_trace *trace)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tep_event *event = NULL;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(before_blk) && !event; i++)
		event = tep_find_event_by_name(trace->tep, "ftrace", before_blk[i]);
	if (!event)
		return 0;
	for (i = 0; i < ARRAY_SIZE(common_fields); i++)
		if (!has_common(event, &common_fields[i]))
			return 0;
	if (tfs_types_add_made_up(trace, event->id + 1, "ftrace", "blktrace"))
		return 0;
	rc = tfs_strbuf_addf(&sb, "name: blktrace\nID: %d\nformat:\n", event->id + 1);
	if (!rc)
		rc = add_fields(&sb, common_fields, ARRAY_SIZE(common_fields));
	if (!rc && has_common(event, &lock_depth))
		rc = add_fields(&sb, &lock_depth, 1);
	if (!rc)
		rc = tfs_strbuf_addc(&sb, '\n');
	if (!rc)
		rc = add_fields(&sb, blk_fields, ARRAY_SIZE(blk_fields));
	if (!rc)
		rc = tfs_strbuf_adds(&sb, "\nprint fmt: \"%d\", REC->pid\n");
	if (!rc)
		tep_parse_event(trace->tep, sb.s, sb.len, "ftrace");
	tfs_strbuf_release(&sb);
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/line-table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/die-reader-leb.h"
#include "dwarf/line-head.h"

/* Rows that libdw may be asked for at once: some 400 MB. The largest programs have half of it. */
#define ROWS_MAX 4000000
/* Units share a table now and then. */
#define SHARED 65536

static bool skip_leb(const unsigned char **at, const unsigned char *end, unsigned int n)
{
	uint64_t value;

	while (n--)
		if (!tfs_read_uleb128(at, end, &value))
			return false;
	return true;
}

/* Rows that the program makes, no more than @max and one. */
static size_t count_rows(const struct tfs_line_head *t, size_t max)
{
	const unsigned char *at = t->c.base + t->program, *end = t->c.base + t->c.size;
	size_t rows = 0;

	while (at < end && rows <= max) {
		unsigned int op = *at++;
		uint64_t len;

		if (op >= t->base || op == DW_LNS_copy) {
			rows++;
		} else if (!op) {
			if (!tfs_read_uleb128(&at, end, &len) || len > (size_t)(end - at))
				break;
			rows += len && *at == DW_LNE_end_sequence;
			at += len;
		} else if (op == DW_LNS_fixed_advance_pc) {
			at += end - at < 2 ? end - at : 2;
		} else if (!skip_leb(&at, end, t->operands[op])) {
			break;
		}
	}
	return rows;
}

static bool is_believed(struct tfs_debuginfo *dbg, Dwarf_Die *unit)
{
	struct tfs_line_head t;

	if (!tfs_debuginfo_expand(dbg, TFS_DEBUG_LINES))
		return false;
	/* No row is less than a byte; what libdw cannot read either, it will say. */
	if (!tfs_line_head_find(dbg, unit, NULL, &t) || tfs_cursor_left(&t.c) <= ROWS_MAX)
		return true;
	return tfs_line_head_read(&t) && count_rows(&t, ROWS_MAX) <= ROWS_MAX;
}

int tfs_unit_lines(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Lines **lines, size_t *n)
{
	return is_believed(dbg, unit) ? dwarf_getsrclines(unit, lines, n) : -1;
}

int tfs_unit_files(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Files **files, size_t *n)
{
	return is_believed(dbg, unit) ? dwarf_getsrcfiles(unit, files, n) : -1;
}

Dwarf_Line *tfs_unit_line_at(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Addr addr)
{
	return is_believed(dbg, unit) ? dwarf_getsrc_die(unit, addr) : NULL;
}

int tfs_line_use_add(struct tfs_debuginfo *dbg, struct tfs_line_use *use, Dwarf_Die *unit)
{
	struct tfs_line_head t;

	if (!tfs_line_head_find(dbg, unit, NULL, &t))
		return 0;
	use->bytes += tfs_cursor_left(&t.c);
	return use->bytes > 2 * t.section + SHARED ? -EBADMSG : 0;
}

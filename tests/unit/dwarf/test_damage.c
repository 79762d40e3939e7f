/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are cut off or overwritten: an error or a lesser answer, but no crash.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "lib/elf_walk.h"

#define CUTS 200

static void read_seed(const char *name, struct tfs_strbuf *sb)
{
	const char *top = getenv("TC_SRCDIR");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/elf/%s", top ? top : "..", name);
	if (tfs_read_path(path, sb))
		fail_msg("cannot read %s", path);
}

static void files_cut_off_anywhere_do_no_harm(void **state)
{
	static const char *const names[] = { "gcc-O2", "clang-O0", "split-dwarf5" };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint8_t *exact;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		read_seed(names[i], &sb);
		for (size_t cut = 0; cut < CUTS; cut++) {
			size_t size = sb.len * cut / CUTS;

			/* an exact allocation, so that sanitizers see reads after the end */
			exact = malloc(size + 1);
			assert_non_null(exact);
			memcpy(exact, sb.s, size);
			elf_walk_bytes(exact, size);
			free(exact);
		}
		tfs_strbuf_release(&sb);
	}
}

/* The section headers are at the end: what they promise is no longer there. */
static void sections_cut_off_anywhere_do_no_harm(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint64_t headers;

	(void)state;
	for (size_t cut = 1; cut < CUTS; cut++) {
		read_seed(cut & 1 ? "gcc-O2" : "clang++-O1", &sb);
		memcpy(&headers, sb.s + 0x28, sizeof(headers));
		assert_true(headers < sb.len);
		memset(sb.s + headers * cut / CUTS, 0, headers - headers * cut / CUTS);
		elf_walk_bytes(sb.s, sb.len);
		tfs_strbuf_release(&sb);
	}
}

static void sections_filled_with_one_byte_do_no_harm(void **state)
{
	static const unsigned char with[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	for (size_t b = 0; b < sizeof(with); b++) {
		/* the debug sections are in the middle: whole, or a kB at a time */
		read_seed("gcc-O2", &sb);
		memset(sb.s + 0x630, with[b], 0x9d0);
		elf_walk_bytes(sb.s, sb.len);
		tfs_strbuf_release(&sb);
		for (size_t at = 0x600; at < 0x1000; at += 0x200) {
			read_seed("gcc-O2", &sb);
			memset(sb.s + at, with[b], 0x200);
			elf_walk_bytes(sb.s, sb.len);
			tfs_strbuf_release(&sb);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_cut_off_anywhere_do_no_harm),
		cmocka_unit_test(sections_cut_off_anywhere_do_no_harm),
		cmocka_unit_test(sections_filled_with_one_byte_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

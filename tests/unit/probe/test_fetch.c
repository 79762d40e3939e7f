/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "probe/fetch.h"

/* The forms are those of the kernel's Documentation/trace/{kprobe,uprobe}tracer. */
static void fetches_are_written_as_the_kernel_reads_them(void **state)
{
	static const struct {
		struct tfs_fetch fetch;
		const char *text;
	} want[] = {
		{ { .base = TFS_FETCH_REG, .reg = "di", .type = "u64" }, "%di:u64" },
		{ { .base = TFS_FETCH_REG, .reg = "di" }, "%di" },
		{ { .base = TFS_FETCH_STACK, .offset = { 4 }, .n_deref = 1, .type = "s32" },
		  "+4($stack):s32" },
		{ { .base = TFS_FETCH_REG,
		    .reg = "di",
		    .offset = { 16, 0 },
		    .n_deref = 2,
		    .type = "string" },
		  "+0(+16(%di)):string" },
		{ { .base = TFS_FETCH_REG, .reg = "bp", .offset = { -20 }, .n_deref = 1 },
		  "-20(%bp)" },
		{ { .base = TFS_FETCH_REG,
		    .reg = "di",
		    .offset = { 8 },
		    .n_deref = 1,
		    .user = true,
		    .type = "ustring" },
		  "+u8(%di):ustring" },
		{ { .base = TFS_FETCH_RETVAL, .type = "s32" }, "$retval:s32" },
		{ { .base = TFS_FETCH_COMM }, "$comm" },
		{ { .base = TFS_FETCH_IMM, .value = -3, .type = "s32" }, "\\-3:s32" },
		{ { .base = TFS_FETCH_IMM, .value = -1, .imm_hex = true, .type = "x64" },
		  "\\0xffffffffffffffff:x64" },
		{ { .base = TFS_FETCH_FILE, .value = 0x5018, .type = "s32" }, "@+0x5018:s32" },
		{ { .base = TFS_FETCH_FILE,
		    .value = 0x5020,
		    .offset = { 0 },
		    .n_deref = 1,
		    .type = "string" },
		  "+0(@+0x5020):string" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct tfs_strbuf sb = TFS_STRBUF_INIT;

		assert_int_equal(tfs_fetch_emit(&want[i].fetch, &sb), 0);
		assert_string_equal(sb.s, want[i].text);
		tfs_strbuf_release(&sb);
	}
}

static void a_kernel_variable_is_named_with_its_distance(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_fetch copy, fetch = { .base = TFS_FETCH_SYM, .value = 8, .type = "x64" };

	(void)state;
	fetch.sym = strdup("init_task");
	fetch.name = strdup("task");
	assert_int_equal(tfs_fetch_copy(&copy, &fetch), 0);
	tfs_fetch_release(&fetch);
	assert_int_equal(tfs_fetch_emit(&copy, &sb), 0);
	assert_string_equal(sb.s, "@init_task+8:x64");
	assert_string_equal(copy.name, "task");
	tfs_strbuf_release(&sb);
	tfs_fetch_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetches_are_written_as_the_kernel_reads_them),
		cmocka_unit_test(a_kernel_variable_is_named_with_its_distance),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

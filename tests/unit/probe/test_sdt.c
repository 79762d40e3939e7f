/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "lib/debuginfo.h"
#include "lib/skip.h"
#include "probe/fetch.h"
#include "probe/sdt.h"

#define SELF "/proc/self/exe"

unsigned short tfs_test_counter = 1;
extern const char tfs_test_mark[];

/* A marker as <sys/sdt.h> writes them; its arguments are only described, not there. */
#ifdef __x86_64__
__asm__(".text\n"
	".globl tfs_test_mark\n"
	"tfs_test_mark: nop\n"
	"ret\n"
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 992f - 991f, 994f - 993f, 3\n"
	"991: .asciz \"stapsdt\"\n"
	"992: .balign 4\n"
	"993: .8byte tfs_test_mark, 0, tfs_test_counter\n"
	".asciz \"tctest\"\n"
	".asciz \"mark\"\n"
	".asciz \"8@%rdi -4@$5 4@-8(%rbp) 8@8(%rax,%rdx,4) 8f@%xmm0 -1@%r9b 2@(%rsp) 8@%ah\"\n"
	"994: .balign 4\n"
	".popsection\n");
#else
const char tfs_test_mark[1];
#endif

static int open_self(void **state)
{
	struct tfs_debuginfo *dbg = NULL;

	dbg = open_debuginfo(SELF);
	if (!dbg)
		return -1;
	*state = dbg;
	return 0;
}

static int close_self(void **state)
{
	close_debuginfo(*state);
	return 0;
}

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(uintptr_t *)data = info->dlpi_addr;
	return 1;
}

static uint64_t linked_address(const void *p)
{
	uintptr_t base = 0;

	dl_iterate_phdr(first_object, &base);
	return (uintptr_t)p - base;
}

static void find(struct tfs_debuginfo *dbg, const char *name, struct tfs_points *points)
{
	if (tfs_dso_arch(tfs_debuginfo_dso(dbg)) != TFS_ARCH_X86_64)
		skip_because("not x86-64");
	assert_int_equal(tfs_sdt_find(dbg, name, points, NULL), 0);
	assert_int_equal(points->n, 1);
	assert_non_null(points->v[0].marker);
}

static void a_marker_is_found_with_its_counter(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;
	uint64_t off;

	find(*state, "tctest:mark", &points);
	assert_int_equal(points.v[0].addr, linked_address(tfs_test_mark));
	assert_string_equal(points.v[0].marker->provider, "tctest");
	assert_int_equal(tfs_dso_file_offset(tfs_debuginfo_dso(*state),
					     linked_address(&tfs_test_counter), &off),
			 0);
	assert_int_equal(points.v[0].marker->counter, off);
	tfs_points_release(&points);
}

static void the_provider_may_be_left_out(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;

	find(*state, "mark", &points);
	tfs_points_release(&points);
}

static void operands_become_the_kernels_fetch_arguments(void **state)
{
	/* By uprobetracer.rst: %REG, +|-OFFS(FETCHARG), \IMM */
	static const char *const want[] = { "arg1 %di:u64", "arg2 \\5:s32", "arg3 -8(%bp):u32",
					    "arg6 %r9:s8", "arg7 +0(%sp):u16" };
	static const char *const refused[] = { "arg4", "arg5", "arg8" };
	struct tfs_points points = TFS_POINTS_INIT;
	const struct tfs_fetch_list *args;

	find(*state, "tctest:mark", &points);
	args = &points.v[0].marker->args;
	assert_int_equal(args->n, 5);
	for (size_t i = 0; i < args->n; i++) {
		struct tfs_strbuf sb = TFS_STRBUF_INIT;

		assert_int_equal(tfs_strbuf_addf(&sb, "%s ", args->fetch[i].name), 0);
		assert_int_equal(tfs_fetch_emit(&args->fetch[i], &sb), 0);
		assert_string_equal(sb.s, want[i]);
		tfs_strbuf_release(&sb);
	}
	assert_int_equal(args->n_refused, 3);
	for (size_t i = 0; i < args->n_refused; i++)
		assert_string_equal(args->refused[i].name, refused[i]);
	tfs_points_release(&points);
}

static void names_the_actual_target_if_it_differs(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_dso_arch(tfs_debuginfo_dso(*state)) != TFS_ARCH_X86_64)
		skip_because("not x86-64");
	assert_int_equal(tfs_sdt_find(*state, "tctest:marks", &points, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "tctest:mark"));
	assert_int_equal(tfs_sdt_find(*state, "other:mark", &points, &err), -ENOENT);
}

static void patterns_find_it_and_it_keeps_its_name(void **state)
{
	static const char *const patterns[] = { "tctest:m*", "tc*:mark", "mar?" };

	if (tfs_dso_arch(tfs_debuginfo_dso(*state)) != TFS_ARCH_X86_64)
		skip_because("not x86-64");
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct tfs_points points = TFS_POINTS_INIT;

		assert_int_equal(tfs_sdt_find(*state, patterns[i], &points, NULL), 0);
		assert_int_equal(points.n, 1);
		assert_string_equal(points.v[0].marker->name, "mark");
		tfs_points_release(&points);
	}
}

static void it_is_listed_as_it_is_typed(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;

	if (tfs_dso_arch(tfs_debuginfo_dso(*state)) != TFS_ARCH_X86_64)
		skip_because("not x86-64");
	assert_int_equal(tfs_sdt_list(*state, "!_*", &names, NULL), 0);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.v[0], "%sdt_tctest:mark");
	assert_int_equal(tfs_sdt_list(*state, "mark", &names, NULL), 0);
	assert_int_equal(names.n, 1);
	tfs_strvec_release(&names);
}

/* The operands are 8@%rdi -4@$5 4@-8(%rbp) ... 8f@%xmm0. */
static void an_argument_can_be_had_as_another_type(void **state)
{
	static const struct {
		const char *arg, *cast, *want;
		int rc;
	} rows[] = {
		{ "arg1", NULL, "arg1 %di:u64", 0 },
		{ "arg1", "string", "arg1_string +0(%di):string", 0 },
		{ "arg1", "x", "arg1_x %di:x64", 0 },
		{ "arg1", "s16", "arg1_s16 %di:s16", 0 },
		{ "arg1", "u8[4]", "arg1_u8[4] +0(%di):u8[4]", 0 },
		{ "arg3", "s", "arg3_s -8(%bp):s32", 0 },
		{ "arg2", "string", NULL, -EOPNOTSUPP }, /* a constant */
		{ "arg3", "string", NULL, -EOPNOTSUPP }, /* four bytes, not a pointer */
		{ "arg5", NULL, NULL, -EOPNOTSUPP },     /* no register of a probe's */
		{ "arg99", NULL, NULL, -ENOENT },
	};
	struct tfs_points points = TFS_POINTS_INIT;

	if (tfs_dso_arch(tfs_debuginfo_dso(*state)) != TFS_ARCH_X86_64)
		skip_because("not x86-64");
	assert_int_equal(tfs_sdt_find(*state, "mark", &points, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tfs_strbuf sb = TFS_STRBUF_INIT;
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_fetch fetch = { 0 };
		int rc = tfs_marker_fetch(tfs_debuginfo_dso(*state), points.v[0].marker,
					  rows[i].arg, rows[i].cast, &fetch, &err);

		assert_int_equal(rc, rows[i].rc);
		assert_int_equal(err.code, rc);
		if (rc)
			continue;
		assert_int_equal(tfs_strbuf_addf(&sb, "%s ", fetch.name), 0);
		assert_int_equal(tfs_fetch_emit(&fetch, &sb), 0);
		assert_string_equal(sb.s, rows[i].want);
		tfs_fetch_release(&fetch);
		tfs_strbuf_release(&sb);
	}
	tfs_points_release(&points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_marker_is_found_with_its_counter),
		cmocka_unit_test(the_provider_may_be_left_out),
		cmocka_unit_test(operands_become_the_kernels_fetch_arguments),
		cmocka_unit_test(names_the_actual_target_if_it_differs),
		cmocka_unit_test(patterns_find_it_and_it_keeps_its_name),
		cmocka_unit_test(it_is_listed_as_it_is_typed),
		cmocka_unit_test(an_argument_can_be_had_as_another_type),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_self, close_self);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/debuginfo-internal.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/line-files.h"
#include "dwarf/unit.h"
#include "lib/debuginfo.h"

/* Files of all units whose tables were read without libdw, and of all. */
struct count {
	size_t read;
	size_t all;
};

/* libdw may put the directory of the compiler in front; a name without any has it not. */
static bool is_same(const char *ours, const char *theirs)
{
	size_t len = ours ? strlen(ours) : 0, n = theirs ? strlen(theirs) : 0;

	return ours && theirs && *ours && len <= n && !strcmp(theirs + n - len, ours);
}

static void check_unit(struct tfs_debuginfo *dbg, Dwarf_Die *unit, struct count *count)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		const char *theirs = dwarf_filesrc(files, i, NULL, NULL);
		const char *ours = tfs_unit_file(dbg, unit, i);

		if (!is_same(ours, theirs))
			fail_msg("file %zu of unit %llx is '%s', not '%s'", i,
				 (unsigned long long)dwarf_dieoffset(unit), theirs ? theirs : "",
				 ours ? ours : "");
		assert_ptr_equal(tfs_unit_file(dbg, unit, i), ours);
		count->all++;
	}
	count->read += dbg->files->n;
	assert_null(tfs_unit_file(dbg, unit, n));
	assert_null(tfs_unit_file(dbg, unit, SIZE_MAX));
}

static struct count check_file(const char *path)
{
	struct tfs_debuginfo *dbg = NULL;
	struct tfs_units it = { NULL };
	struct count count = { 0, 0 };
	Dwarf_Die unit;

	dbg = open_debuginfo(path);
	assert_non_null(dbg);
	while (tfs_units_next(dbg, &it, &unit) > 0)
		check_unit(dbg, &unit, &count);
	close_debuginfo(dbg);
	return count;
}

static void files_are_those_of_libdw(void **state)
{
	struct count count = check_file("/proc/self/exe");

	(void)state;
	/* before DWARF 5 there is one more, without a name */
	assert_true(count.all > 0);
	assert_true(count.read > count.all / 2);
}

static void a_unit_after_another_has_its_own(void **state)
{
	struct tfs_debuginfo *dbg = NULL;
	struct tfs_units it = { NULL };
	Dwarf_Die unit[2];
	const char *first;

	(void)state;
	dbg = open_debuginfo("/proc/self/exe");
	assert_non_null(dbg);
	assert_true(tfs_units_next(dbg, &it, &unit[0]) > 0);
	assert_true(tfs_units_next(dbg, &it, &unit[1]) > 0);
	first = tfs_unit_file(dbg, &unit[0], 1);
	assert_non_null(first);
	assert_non_null(tfs_unit_file(dbg, &unit[1], 1));
	/* paths are kept once, whatever was read in between */
	assert_ptr_equal(tfs_unit_file(dbg, &unit[0], 1), first);
	close_debuginfo(dbg);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_those_of_libdw),
		cmocka_unit_test(a_unit_after_another_has_its_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	/* further files, by hand */
	for (int i = 1; i < argc; i++)
		(void)check_file(argv[i]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

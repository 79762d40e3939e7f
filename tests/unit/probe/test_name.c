/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strmap.h"
#include "base/strvec.h"
#include "probe/name.h"
#include "probe/parse.h"
#include "probe/spec.h"

static void sanitised_is(const char *name, const char *want)
{
	char out[TFS_PROBE_NAME_MAX + 1];

	tfs_probe_sanitise(name, out);
	assert_string_equal(out, want);
	assert_true(tfs_probe_is_identifier(out, TFS_PROBE_NAME_MAX));
}

static void names_of_all_languages_become_identifiers(void **state)
{
	(void)state;
	sanitised_is("malloc", "malloc");
	sanitised_is("f.isra.0", "f");
	sanitised_is("f.constprop.0.isra.0", "f");
	sanitised_is("f.cold", "f");
	sanitised_is("f.llvm.123456", "f");
	sanitised_is("f@@GLIBC_2.34", "f");
	sanitised_is("f@plt", "f");
	sanitised_is("main.add", "main_add");
	sanitised_is("example.com/m/git.com/paas/pkg.(*T).Method", "pkg_T_Method");
	sanitised_is("r::Pt::method", "r_Pt_method");
	sanitised_is("ns::Derived::meth(int)", "ns_Derived_meth");
	sanitised_is("ns::C::get() const", "ns_C_get");
	sanitised_is("tmax<int>", "tmax_int");
	sanitised_is("ns::C::~C", "ns_C_dtor_C");
	sanitised_is("~C", "dtor_C");
	sanitised_is("~", "_");
	sanitised_is("operator()", "operator");
	sanitised_is("9lives", "_9lives");
	sanitised_is("\xc3\xa9", "_");
	sanitised_is("", "_");
}

static void long_names_keep_their_beginning_and_differ(void **state)
{
	char a[] = "n123456789012345678901234567890123456789012345678901234567890123456789a";
	char out[TFS_PROBE_NAME_MAX + 1], other[TFS_PROBE_NAME_MAX + 1];

	(void)state;
	tfs_probe_sanitise(a, out);
	assert_int_equal(strlen(out), TFS_PROBE_NAME_MAX);
	assert_int_equal(strncmp(out, a, 50), 0);
	a[strlen(a) - 1] = 'b';
	tfs_probe_sanitise(a, other);
	assert_string_not_equal(out, other);
	a[TFS_PROBE_NAME_MAX] = '\0';
	tfs_probe_sanitise(a, out);
	assert_string_equal(out, a);
}

static void groups_are_named_after_the_file(void **state)
{
	char out[TFS_PROBE_NAME_MAX + 1];

	(void)state;
	tfs_probe_name_group(NULL, out);
	assert_string_equal(out, "probe");
	tfs_probe_name_group("/usr/lib/libc.so.6", out);
	assert_string_equal(out, "probe_libc");
	tfs_probe_name_group("/tmp/t1.gcc.O2", out);
	assert_string_equal(out, "probe_t1");
	tfs_probe_name_group("/tmp/c:olon%x", out);
	assert_string_equal(out, "probe_c");
}

static void event_is(const char *text, const char *func, enum tfs_probe_naming naming,
		     const char *want)
{
	char out[TFS_PROBE_NAME_MAX + 1];
	struct tfs_probe_spec spec = { 0 };

	assert_int_equal(tfs_probe_parse(text, &spec, NULL), 0);
	tfs_probe_name_event(&spec, func, naming, out);
	assert_string_equal(out, want);
	tfs_probe_spec_release(&spec);
}

static void events_are_named_as_perf_names_them(void **state)
{
	(void)state;
	event_is("malloc", "__libc_malloc", TFS_PROBE_AS_TYPED, "malloc");
	event_is("mall*", "malloc", TFS_PROBE_AS_FOUND, "malloc");
	event_is("e=malloc", "__libc_malloc", TFS_PROBE_AS_TYPED, "e");
	event_is("f%return", "f", TFS_PROBE_AS_TYPED, "f__return");
	event_is("f:10", "f", TFS_PROBE_AS_TYPED, "f_L10");
	event_is("f:0", "f", TFS_PROBE_AS_TYPED, "f");
	event_is("x.c:10", "f", TFS_PROBE_AS_TYPED, "f");
	event_is("0x4817c0", NULL, TFS_PROBE_AS_TYPED, "abs_4817c0");
	event_is("%sdt_libc:setjmp", NULL, TFS_PROBE_AS_TYPED, "setjmp");
	event_is("%sdt_libc:setjmp*", "setjmp_target", TFS_PROBE_AS_TYPED, "setjmp_target");
	event_is("%sdt_libc:memory_*", "memory_heap_new", TFS_PROBE_AS_TYPED, "memory_heap_new");
}

static void a_long_name_leaves_room_for_what_is_added(void **state)
{
	static const char text[] = "a12345678901234567890123456789012345678901234567890123456789012"
				   "%return";
	char out[TFS_PROBE_NAME_MAX + 1];
	struct tfs_probe_spec spec = { 0 };

	(void)state;
	assert_int_equal(tfs_probe_parse(text, &spec, NULL), 0);
	tfs_probe_name_event(&spec, NULL, TFS_PROBE_AS_TYPED, out);
	assert_int_equal(strlen(out), TFS_PROBE_NAME_MAX);
	assert_int_equal(strncmp(out, text, 40), 0);
	assert_string_equal(out + strlen(out) - 8, "__return");
	tfs_probe_spec_release(&spec);
}

static void taken_names_get_numbers(void **state)
{
	struct tfs_strmap taken = { 0 };
	char out[TFS_PROBE_NAME_MAX + 1];

	(void)state;
	assert_int_equal(tfs_strmap_put(&taken, "g/f_1", 0), 0);
	assert_int_equal(tfs_probe_name_next("g", "f", &taken, out), 0);
	assert_string_equal(out, "f_2");
	assert_int_equal(tfs_probe_name_next("h", "f", &taken, out), 0);
	assert_string_equal(out, "f_1");
	tfs_strmap_release(&taken);
}

static void arguments_get_names_of_their_own(void **state)
{
	struct tfs_strvec taken = TFS_STRVEC_INIT;
	char out[TFS_PROBE_ARG_NAME_MAX + 1];

	(void)state;
	tfs_probe_name_arg("$retval", &taken, out);
	assert_string_equal(out, "retval");
	tfs_probe_name_arg("", &taken, out);
	assert_string_equal(out, "arg1");
	assert_int_equal(tfs_strvec_push(&taken, "a"), 0);
	tfs_probe_name_arg("a", &taken, out);
	assert_string_equal(out, "a_2");
	tfs_probe_name_arg("common_pid", &taken, out);
	assert_string_equal(out, "common_pid_2");
	tfs_probe_name_arg("a12345678901234567890123456789012345", &taken, out);
	assert_int_equal(strlen(out), TFS_PROBE_ARG_NAME_MAX);
	tfs_strvec_release(&taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_all_languages_become_identifiers),
		cmocka_unit_test(long_names_keep_their_beginning_and_differ),
		cmocka_unit_test(groups_are_named_after_the_file),
		cmocka_unit_test(events_are_named_as_perf_names_them),
		cmocka_unit_test(a_long_name_leaves_room_for_what_is_added),
		cmocka_unit_test(taken_names_get_numbers),
		cmocka_unit_test(arguments_get_names_of_their_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

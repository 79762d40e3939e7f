/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dso/demangle.h"
#include "dwarf/func-name.h"
#include "lib/skip.h"

static bool is_wanted(const char *typed, const char *symbol)
{
	struct tfs_wanted w;
	bool is;

	assert_int_equal(tfs_wanted_init(&w, typed), 0);
	is = tfs_wanted_symbol(&w, symbol);
	tfs_wanted_release(&w);
	return is;
}

/* A function of Rust's library; its name is what c++filt(1) says, without the crates' hashes. */
static void a_name_is_found_as_it_is_listed(void **state)
{
	static const char symbol[] =
		"_RINvNtNtNtNtCsgEmfK2I1SDS_4core5slice4sort6shared5pivot11median3_recNtN"
		"tCs4X4t9plMPHF_9addr2line4unit9UnitRangeNCINvMNtCslNYArtu3iFV_5alloc5sli"
		"ceSB14_11sort_by_keyyNCNvMs_B16_INtB16_8ResUnitsINtNtNtCsduwmD7cSIQq_5gi"
		"mli4read12endian_slice11EndianSliceNtNtB3a_9endianity12LittleEndianEE5pa"
		"rses2_0E0ECsjrHSEGnQ3l9_3std";
	static const char name[] =
		"core::slice::sort::shared::pivot::median3_rec::<addr2line::unit::UnitRan"
		"ge, <[addr2line::unit::UnitRange]>::sort_by_key<u64, <addr2line::unit::R"
		"esUnits<gimli::read::endian_slice::EndianSlice<gimli::endianity::LittleE"
		"ndian>>>::parse::{closure#4}>::{closure#0}>";

	(void)state;
	if (!tfs_demangle_is_built_in())
		skip_because("libiberty is not built in");
	assert_true(is_wanted(name, symbol));
	assert_true(is_wanted("core::slice::sort::shared::pivot::median3_rec", symbol));
	assert_true(is_wanted("median3_rec", symbol));
	assert_false(is_wanted("core::slice::sort::shared::pivot::median3", symbol));
	assert_false(is_wanted("core::slice::sort::shared::pivot::median3_rec::<u64>", symbol));
}

static void parameters_choose(void **state)
{
	(void)state;
	if (!tfs_demangle_is_built_in())
		skip_because("libiberty is not built in");
	assert_true(is_wanted("ns::f(int)", "_ZN2ns1fEi"));
	assert_true(is_wanted("ns::f", "_ZN2ns1fEi"));
	assert_false(is_wanted("ns::f(long)", "_ZN2ns1fEi"));
	assert_false(is_wanted("ns::f()", "_ZN2ns1fEi"));
	assert_false(is_wanted("ns::g(int)", "_ZN2ns1fEi"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_found_as_it_is_listed),
		cmocka_unit_test(parameters_choose),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

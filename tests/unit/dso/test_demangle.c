/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dso/demangle.h"
#include "lib/skip.h"

static void is(const char *symbol, unsigned int flags, const char *want)
{
	char *got = tfs_demangle(symbol, flags);

	if (!want)
		assert_null(got);
	else if (!got)
		fail_msg("%s is not demangled", symbol);
	else
		assert_string_equal(got, want);
	free(got);
}

static void is_bounded(const char *symbol)
{
	char *got = tfs_demangle(symbol, TFS_DEMANGLE_PARAMS);

	assert_true(!got || strlen(got) <= TFS_DEMANGLE_MAX);
	free(got);
}

/* The expected names are those of c++filt and rustfilt. */
static void names_of_both_languages_are_those_of_the_source(void **state)
{
	(void)state;
	if (!tfs_demangle_is_built_in())
		skip_because("libiberty is not built in");
	is("_ZN2ns7Derived4methEPKci", TFS_DEMANGLE_PARAMS, "ns::Derived::meth(char const*, int)");
	is("_ZNK2ns7Derived4methEPKci", TFS_DEMANGLE_PARAMS,
	   "ns::Derived::meth(char const*, int) const");
	is("_ZN2ns7Derived4methEPKci", 0, "ns::Derived::meth");
	is("_Z4tmaxIlET_S0_S0_", TFS_DEMANGLE_PARAMS, "tmax<long>(long, long)");
	is("_ZN2ns7DerivedclEi", 0, "ns::Derived::operator()");
	is("_ZN1r9takes_str17h0123456789abcdefE", 0, "r::takes_str");
	is("_RNvCs6GmmlP4bgsG_1r9takes_str", 0, "r::takes_str");
}

static void suffixes_of_compilers_are_left_out(void **state)
{
	(void)state;
	if (!tfs_demangle_is_built_in())
		skip_because("libiberty is not built in");
	is("_ZN2ns1fEi.constprop.0.isra.0", TFS_DEMANGLE_PARAMS, "ns::f(int)");
	is("_ZN2ns1fEi.cold", TFS_DEMANGLE_PARAMS, "ns::f(int)");
	is("_ZN1r9takes_str17h0123456789abcdefE.llvm.123", 0, "r::takes_str");
}

static void other_symbols_stay(void **state)
{
	(void)state;
	is("main", 0, NULL);
	is("", 0, NULL);
	is("_", 0, NULL);
	is("_Z", 0, NULL);
	is("_R", 0, NULL);
	is("_Zfoo", 0, NULL);
	is("_ZN2ns7Deri", 0, NULL);
	is("_Rust", 0, NULL);
	is("main.add", 0, NULL);
}

/* A name that doubles with each character: whole, it would have more letters than memory has. */
static void bounds_a_name_that_explodes(void **state)
{
	char symbol[256] = "_Z1fSt4pairI";
	size_t len = strlen(symbol);

	(void)state;
	for (int i = 0; i < 30; i++)
		len += (size_t)snprintf(symbol + len, sizeof(symbol) - len, "S%c_",
					i < 10 ? '0' + i : 'A' + i - 10);
	is_bounded(symbol);
	/* f(a<int>, b<first, first>, c<second, second>, ...): each twice as long as the last */
	len = (size_t)snprintf(symbol, sizeof(symbol), "_Z1fP1a");
	for (int i = 0; i < 36; i++) {
		char ref[16];

		if (i < 10)
			snprintf(ref, sizeof(ref), "S%d_", i);
		else
			snprintf(ref, sizeof(ref), "S%c_", 'A' + i - 10);
		if (len + 2 * strlen(ref) + 8 > sizeof(symbol))
			break;
		len += (size_t)snprintf(symbol + len, sizeof(symbol) - len, "1bI%s%sE", ref, ref);
	}
	is_bounded(symbol);
}

static void a_symbol_of_any_length_is_survived(void **state)
{
	size_t len = 1 << 20;
	char *symbol = malloc(len + 1);

	(void)state;
	assert_non_null(symbol);
	memset(symbol, 'P', len);
	symbol[len] = '\0';
	memcpy(symbol, "_Z1f", 4);
	is(symbol, TFS_DEMANGLE_PARAMS, NULL);
	symbol[8000] = '\0';
	free(tfs_demangle(symbol, TFS_DEMANGLE_PARAMS));
	memcpy(symbol, "_RNv", 4);
	free(tfs_demangle(symbol, 0));
	free(symbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_both_languages_are_those_of_the_source),
		cmocka_unit_test(suffixes_of_compilers_are_left_out),
		cmocka_unit_test(other_symbols_stay),
		cmocka_unit_test(bounds_a_name_that_explodes),
		cmocka_unit_test(a_symbol_of_any_length_is_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

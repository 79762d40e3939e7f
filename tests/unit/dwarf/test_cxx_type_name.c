/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "dwarf/cxx-type-name.h"

static void same(const char *typed, const char *full)
{
	if (!tfs_cxx_type_name_same(typed, full))
		fail_msg("'%s' is not '%s'", typed, full);
}

static void differ(const char *typed, const char *full)
{
	if (tfs_cxx_type_name_same(typed, full))
		fail_msg("'%s' is '%s'", typed, full);
}

static void where_const_stands_does_not_matter(void **state)
{
	(void)state;
	same("(const char *)", "(char const*)");
	same("(const char*,int)", "(char const*, int)");
	same("(char *const *)", "(char* const*)");
	same("(const int)", "(int)");
	same("(char *const)", "(char*)");
	differ("(char *)", "(char const*)");
	differ("(char **)", "(char* const*)");
}

static void words_of_numbers_may_be_left_out_or_turned(void **state)
{
	(void)state;
	same("(long)", "(long int)");
	same("(unsigned long)", "(long unsigned int)");
	same("(unsigned)", "(unsigned int)");
	same("(long long)", "(long long int)");
	same("(short)", "(short int)");
	same("tmax<long>", "tmax<long int>");
	differ("(long)", "(int)");
	differ("(unsigned)", "(int)");
	differ("(signed char)", "(char)");
}

static void std_string_is_expanded(void **state)
{
	(void)state;
	same("(const std::string &)",
	     "(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
	     "const&)");
	same("(string const&)",
	     "(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
	     "const&)");
	same("(std::string_view, int)",
	     "(std::basic_string_view<char, std::char_traits<char> >, int)");
	differ("(std::string&)",
	       "(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
	       "const&)");
}

static void scopes_may_be_missing_in_front(void **state)
{
	(void)state;
	same("(Derived &)", "(ns::Derived&)");
	same("(struct Derived &)", "(ns::Derived&)");
	same("(vector<Derived>)", "(std::vector<ns::Derived>)");
	same("vec<int>::push", "ns::vec<int>::push");
	differ("(rived &)", "(ns::Derived&)");
	differ("(ns::Derived &)", "(Derived&)");
	differ("(vector<int>)", "(std::vector<long>)");
}

static void no_parameters_are_none(void **state)
{
	(void)state;
	same("()", "(void)");
	same("(void)", "()");
	differ("()", "(int)");
	differ("(int)", "(int, int)");
	same("(void (*)(int, char))", "(void (*)(int, char))");
	same("(int (&)[5])", "(int (&) [5])");
}

static void names_of_rust_are_plain_paths(void **state)
{
	(void)state;
	same("r::Pt::method", "<r::Pt>::method");
	same("r::generic<i32>", "r::generic::<i32>");
	differ("r::Pt::fmt", "<r::Pt as core::fmt::Display>::fmt");
}

static void anything_at_all_is_survived(void **state)
{
	static const char *const odd[] = {
		"",          "(",   "<",   "(((",        "<<<>",
		"f<",        "f<>", ")",   "(,,)",       "(a b c d)",
		"const",     "::",  "::<", "(anonymous", "(anonymous namespace)::f",
		"\xff\xfe(", "&&&", "[[[",
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char deep[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_cxx_type_name(odd[i], &sb), 0);
	}
	memset(deep, '<', sizeof(deep) - 1);
	deep[0] = 'f';
	deep[sizeof(deep) - 1] = '\0';
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_cxx_type_name(deep, &sb), 0);
	assert_string_equal(sb.s, deep);
	tfs_strbuf_release(&sb);
}

static void splits(const char *name, const char *last, const char *params)
{
	size_t p, l;

	tfs_cxx_type_name_split(name, &p, &l);
	assert_string_equal(name + p, params);
	assert_int_equal(strncmp(name + l, last, strlen(last)), 0);
}

static void a_name_is_split_at_its_parameters_and_scopes(void **state)
{
	(void)state;
	splits("f", "f", "");
	splits("ns::C::f(int, a::b) const", "f", "(int, a::b) const");
	splits("ns::C::operator()(int)", "operator()", "(int)");
	splits("ns::operator<<", "operator<<", "");
	splits("ns::vec<a::b>::push", "push", "");
	splits("ns::C::~C()", "~C", "()");
	splits("(anonymous namespace)::f(int)", "f", "(int)");
	splits("main.(*T).Method", "main.(*T).Method", "");
	splits("r::main::{closure#0}", "{closure#0}", "");
	splits("<r::Pt as core::fmt::Display>::fmt", "fmt", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_const_stands_does_not_matter),
		cmocka_unit_test(words_of_numbers_may_be_left_out_or_turned),
		cmocka_unit_test(std_string_is_expanded),
		cmocka_unit_test(scopes_may_be_missing_in_front),
		cmocka_unit_test(no_parameters_are_none),
		cmocka_unit_test(names_of_rust_are_plain_paths),
		cmocka_unit_test(anything_at_all_is_survived),
		cmocka_unit_test(a_name_is_split_at_its_parameters_and_scopes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

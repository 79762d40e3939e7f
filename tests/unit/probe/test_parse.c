/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/probe_text.h"
#include "probe/parse.h"
#include "probe/spec.h"

/* Parses @text, writes it again, and wants @again, which must parse to itself. */
static void round_trip(const char *text, const char *again)
{
	struct tfs_probe_spec spec = { 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_probe_parse(text, &spec, &err))
		fail_msg("'%s': %s", text, err.msg);
	assert_int_equal(probe_text(&spec, &sb), 0);
	assert_string_equal(sb.s, again);
	tfs_probe_spec_release(&spec);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_probe_parse(again, &spec, &err), 0);
	assert_int_equal(probe_text(&spec, &sb), 0);
	assert_string_equal(sb.s, again);
	tfs_probe_spec_release(&spec);
	tfs_strbuf_release(&sb);
}

static void parse(const char *text, struct tfs_probe_spec *spec)
{
	struct tfs_err err = TFS_ERR_INIT;

	memset(spec, 0, sizeof(*spec));
	if (tfs_probe_parse(text, spec, &err))
		fail_msg("'%s': %s", text, err.msg);
}

static void is_refused(const char *text, int caret)
{
	struct tfs_probe_spec spec = { 0 };
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_probe_parse(text, &spec, &err) != -EINVAL)
		fail_msg("'%s' was taken", text);
	assert_string_equal(err.input, text);
	if (err.caret != caret)
		fail_msg("'%s': caret at %d instead of %d (%s)", text, err.caret, caret, err.msg);
	assert_null(spec.func);
}

static void writing_gives_back_the_input(void **state)
{
	static const char *const texts[] = {
		"malloc",
		"g:e=malloc",
		"my-group:e=malloc bytes",
		"f@dir/file.c",
		"f@file.c#2+16",
		"f:10",
		"f%return ret->name:string",
		"f;*x=1*",
		"main.c:10 a b=c->d.e[2]:x8[4] $params",
		"main.c;if(x*",
		"0x1234",
		"0x1234%return $retval",
		"ns::C::f",
		"ns::C::f(int,\\ char) a",
		"tmax<int>",
		"C::f(int)\\ const",
		"C::f()\\ const&%return",
		"operator\\ new[](unsigned\\ long) size",
		"C::operator\\ char\\ const*()\\ const",
		"operator()",
		"C::~C",
		"pkg.(*T).Method s.len",
		"main.add:2",
		"str* $vars",
		"%sdt_libc:setjmp",
		"%setjmp",
		"%sdt_sdt_setjmp",
		"pthread_create\\@GLIBC_2.34",
		"f %di $stack0 $comm @sym+8 +8(%sp):string \\123 \\\"text\"",
		"f *p &a **q p->s:string@user",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		round_trip(texts[i], texts[i]);
}

static void one_form_is_written(void **state)
{
	(void)state;
	round_trip("  f   a  b ", "f a b");
	round_trip("f%return#2@x.c", "f@x.c#2%return");
	round_trip("f+0x10", "f+16");
	round_trip("0X1F", "0x1f");
	round_trip("sdt_libc:setjmp", "%sdt_libc:setjmp");
	round_trip("operator==", "operator\\=\\=");
	round_trip("C::operator+", "C::operator\\+");
	round_trip("ns::C::f(int, char) a", "ns::C::f(int,\\ char) a");
	/* after two blanks this is a variable, not a qualifier of the function */
	round_trip("C::f()\n const", "C::f()  const");
	round_trip("C::f()  volatile:u8", "C::f()  volatile:u8");
	round_trip("C::f() const x", "C::f()\\ const x");
	/* "operator+" is a name; the offset from a function called operator is not */
	round_trip("f+8@operator x", "f@operato\\r+8 x");
	round_trip("operato\\r+8 x", "operato\\r+8 x");
	round_trip("e=operator<", "e=operator\\<");
	round_trip("x\\.c:3", "x\\.c:3");
	/* found by fuzzing: a suffix without a name */
	round_trip(".\\c;if(", "\\.c;if(");
	round_trip("\\f", "f");
}

static void a_suffix_distinguishes_a_file_from_a_function(void **state)
{
	struct tfs_probe_spec spec;

	(void)state;
	parse("main.go:4", &spec);
	assert_int_equal(spec.at, TFS_PROBE_AT_LINE);
	assert_string_equal(spec.src, "main.go");
	assert_int_equal(spec.line, 4);
	tfs_probe_spec_release(&spec);
	parse("main.strfn:0", &spec);
	assert_int_equal(spec.at, TFS_PROBE_AT_FUNC);
	assert_string_equal(spec.func, "main.strfn");
	assert_true(spec.has_line);
	tfs_probe_spec_release(&spec);
	parse("f@main.c:4", &spec);
	assert_int_equal(spec.at, TFS_PROBE_AT_FUNC);
	assert_string_equal(spec.src, "main.c");
	assert_int_equal(spec.line, 4);
	tfs_probe_spec_release(&spec);
}

static void arguments_are_taken_apart(void **state)
{
	struct tfs_probe_spec spec;

	(void)state;
	parse("f a->b:string@user n=ns::v[3]:u $retval ret2=$retval->x %ax:u8", &spec);
	assert_int_equal(spec.n_args, 5);
	assert_string_equal(spec.args[0].expr, "a->b");
	assert_string_equal(spec.args[0].type, "string");
	assert_true(spec.args[0].user);
	assert_false(spec.args[0].raw);
	assert_null(spec.args[0].name);
	assert_string_equal(spec.args[1].name, "n");
	assert_string_equal(spec.args[1].expr, "ns::v[3]");
	assert_string_equal(spec.args[1].type, "u");
	assert_true(spec.args[2].raw);
	assert_false(spec.args[3].raw);
	assert_string_equal(spec.args[3].expr, "$retval->x");
	assert_true(spec.args[4].raw);
	assert_string_equal(spec.args[4].type, "u8");
	tfs_probe_spec_release(&spec);
}

static void a_function_may_be_named_with_its_module(void **state)
{
	static const struct {
		const char *text, *module, *func;
	} rows[] = {
		{ "virtio_blk:virtio_queue_rq hctx", "virtio_blk", "virtio_queue_rq" },
		{ "g:e=virtio-blk:virtio_*%return", "virtio-blk", "virtio_*" },
		{ "xfs:xfs_file_open@fs/xfs/xfs_file.c", "xfs", "xfs_file_open" },
		{ "f:3", NULL, "f" },
		{ "ns::f", NULL, "ns::f" },
		{ "main.add:3", NULL, "main.add" },
	};
	struct tfs_probe_spec spec;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		parse(rows[i].text, &spec);
		assert_string_equal(spec.func, rows[i].func);
		assert_string_equal(spec.module ? spec.module : "-",
				    rows[i].module ? rows[i].module : "-");
		tfs_probe_spec_release(&spec);
	}
}

static void nonsense_is_refused_with_its_position(void **state)
{
	(void)state;
	is_refused("", 0);
	is_refused("   ", 3);
	is_refused("a-b=f", 0);
	is_refused("1g:e=f", 0);
	is_refused("e=", 2);
	is_refused("g:", 2);
	is_refused("g.x:basic", 4);
	is_refused("g:+4", 2);
	is_refused("f:", 2);
	is_refused("f:99999999999", 2);
	is_refused("f+x", 2);
	is_refused("f%retur", 2);
	is_refused("f#0", 2);
	is_refused("f@", 2);
	is_refused("f;", 2);
	is_refused("main.c:0", 7);
	is_refused("f+4%return", -1);
	is_refused("f:3+4", -1);
	is_refused("0x10:3", -1);
	is_refused("0x10+3", 4);
	is_refused("%", 1);
	is_refused("f 1a=b", 2);
	is_refused("f a:", 4);
	is_refused("f a:u8)", 6);
	is_refused("f =a", 2);
	is_refused("f x=", 4);
}

static void a_point_alone_has_no_more(void **state)
{
	struct tfs_probe_spec spec = { 0 };

	(void)state;
	assert_int_equal(tfs_probe_parse_point("f:3", &spec, NULL), 0);
	tfs_probe_spec_release(&spec);
	assert_int_equal(tfs_probe_parse_point("e=f", &spec, NULL), -EINVAL);
	assert_int_equal(tfs_probe_parse_point("f a", &spec, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writing_gives_back_the_input),
		cmocka_unit_test(one_form_is_written),
		cmocka_unit_test(a_suffix_distinguishes_a_file_from_a_function),
		cmocka_unit_test(arguments_are_taken_apart),
		cmocka_unit_test(a_function_may_be_named_with_its_module),
		cmocka_unit_test(nonsense_is_refused_with_its_position),
		cmocka_unit_test(a_point_alone_has_no_more),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

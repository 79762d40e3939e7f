/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Type information made by hand, to the kernel's Documentation/bpf/btf.rst. That of real kernels is
 * used by tests/vm/t-probe-btf.sh.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "btf/btf-name.h"
#include "btf/btf.h"
#include "dso/arch/machine.h"
#include "probe/btf-var.h"
#include "probe/fetch.h"
#include "probe/path.h"
#include "probe/var.h"

#define EM_X86_64 62
#define EM_S390 22

static const char names[] = "\0int\0char\0file\0name\0next\0low\0high\0read\0f\0n\0by_value\0a\0b\0"
			    "size_t\0ret_struct\0inner\0row\0many";

struct words {
	uint32_t w[256];
	size_t n;
	uint32_t id;
};

static uint32_t name(const char *s)
{
	for (size_t i = 0; i < sizeof(names); i += strlen(names + i) + 1) {
		if (!strcmp(names + i, s))
			return (uint32_t)i;
	}
	fail_msg("no name %s", s);
	return 0;
}

static void put(struct words *t, uint32_t w)
{
	t->w[t->n++] = w;
}

static uint32_t type(struct words *t, const char *s, unsigned int kind, uint32_t vlen, bool flag,
		     uint32_t size)
{
	put(t, name(s));
	put(t, kind << 24 | vlen | (flag ? 1U << 31 : 0));
	put(t, size);
	return ++t->id;
}

static void member(struct words *t, const char *s, uint32_t of, uint32_t off)
{
	put(t, name(s));
	put(t, of);
	put(t, off);
}

static void param(struct words *t, const char *s, uint32_t of)
{
	put(t, name(s));
	put(t, of);
}

static uint32_t swapped(uint32_t w, bool big)
{
	return big ? __builtin_bswap32(w) : w;
}

/*
 * struct file { char name[8]; unsigned low : 3, high : 13; struct { struct file *next; };
 *	char *row; }
 * int read(const struct file *f, size_t n, char *name, ...);
 * int by_value(int a, struct file f, int b);
 * struct file ret_struct(int a); void many(9 times int a)
 */
/* int (*next(int (*f)(char *a, ...), char (*name)[8], const char *const b))(char *a, ...) */
static void declared(struct words *t, uint32_t in, uint32_t ch, uint32_t str, uint32_t array)
{
	uint32_t pointed, pf, parray, cch, pcch, cpcch, proto;

	pointed = type(t, "", 13, 2, false, in);
	param(t, "a", str);
	param(t, "", 0);
	pf = type(t, "", 2, 0, false, pointed);
	parray = type(t, "", 2, 0, false, array);
	cch = type(t, "", 10, 0, false, ch);
	pcch = type(t, "", 2, 0, false, cch);
	cpcch = type(t, "", 10, 0, false, pcch);
	proto = type(t, "", 13, 3, false, pf);
	param(t, "f", pf);
	param(t, "name", parray);
	param(t, "b", cpcch);
	type(t, "next", 12, 0, false, proto);
	proto = type(t, "", 13, 0, false, 0);
	type(t, "low", 12, 0, false, proto);
}

static size_t make(unsigned char *out, bool big)
{
	struct words t = { .n = 0 };
	uint32_t in, ch, file, array, fptr, cfile, cptr, inner, size, str, proto;
	uint32_t header[6];
	size_t len;

	in = type(&t, "int", 1, 0, false, 4);
	put(&t, 1U << 24 | 32);
	ch = type(&t, "char", 1, 0, false, 1);
	put(&t, 8);
	array = type(&t, "", 3, 0, false, 0);
	put(&t, ch);
	put(&t, in);
	put(&t, 8);
	str = type(&t, "", 2, 0, false, ch);
	/* the struct comes after what it refers to but for itself */
	fptr = type(&t, "", 2, 0, false, t.id + 3);
	inner = type(&t, "", 4, 1, true, 8);
	member(&t, "next", fptr, 0);
	file = type(&t, "file", 4, 5, true, 32);
	member(&t, "name", array, 0);
	member(&t, "low", in, 3U << 24 | 64);
	member(&t, "high", in, 13U << 24 | 67);
	member(&t, "", inner, 128);
	member(&t, "row", str, 192);
	cfile = type(&t, "", 10, 0, false, file);
	cptr = type(&t, "", 2, 0, false, cfile);
	size = type(&t, "size_t", 8, 0, false, str);
	proto = type(&t, "", 13, 4, false, in);
	param(&t, "f", cptr);
	param(&t, "n", size);
	param(&t, "name", str);
	param(&t, "", 0);
	type(&t, "read", 12, 0, false, proto);
	proto = type(&t, "", 13, 3, false, in);
	param(&t, "a", in);
	param(&t, "f", file);
	param(&t, "b", in);
	type(&t, "by_value", 12, 0, false, proto);
	proto = type(&t, "", 13, 1, false, file);
	param(&t, "a", in);
	type(&t, "ret_struct", 12, 0, false, proto);
	proto = type(&t, "", 13, 8, false, 0);
	for (int i = 0; i < 7; i++)
		param(&t, "a", in);
	param(&t, "b", in);
	type(&t, "many", 12, 0, false, proto);
	declared(&t, in, ch, str, array);

	len = t.n * 4;
	header[0] = 0;
	header[1] = 24;
	header[2] = 0;
	header[3] = (uint32_t)len;
	header[4] = (uint32_t)len;
	header[5] = sizeof(names);
	for (size_t i = 0; i < 6; i++)
		header[i] = swapped(header[i], big);
	memcpy(out, header, 24);
	memcpy(out, big ? "\xeb\x9f\x01" : "\x9f\xeb\x01", 4);
	for (size_t i = 0; i < t.n; i++)
		t.w[i] = swapped(t.w[i], big);
	memcpy(out + 24, t.w, len);
	memcpy(out + 24 + len, names, sizeof(names));
	return 24 + len + sizeof(names);
}

/* @out: fetch argument for an expression; "" if it is refused, with the reason in @why. */
static void fetch(const struct tfs_btf *btf, const struct tfs_machine *m, const char *func,
		  const char *expr, const char *cast, char out[256], enum tfs_refusal *why)
{
	const struct tfs_btf_scope scope = {
		.btf = btf, .machine = m, .func = func, .is_return = *expr == '$' && expr[1] == 'r'
	};
	const struct tfs_var_opts opts = { .cast = cast };
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_path path;
	int rc;

	assert_int_equal(tfs_path_parse(expr, &path, NULL), 0);
	rc = tfs_btf_fetch(&scope, &path, &opts, &list, why, &err);
	assert_int_equal(rc, err.code);
	for (size_t i = 0; i < list.n; i++) {
		assert_int_equal(tfs_strbuf_addf(&sb, "%s%s=", i ? " " : "", list.fetch[i].name),
				 0);
		assert_int_equal(tfs_fetch_emit(&list.fetch[i], &sb), 0);
	}
	strncpy(out, sb.s ? sb.s : "", 255);
	out[255] = '\0';
	tfs_strbuf_release(&sb);
	tfs_fetch_list_release(&list);
	tfs_path_release(&path);
}

struct fixture {
	unsigned char bytes[4096];
	size_t len;
	struct tfs_btf *btf;
	const struct tfs_machine *m;
};

static int setup_for(void **state, bool big, unsigned int machine)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->len = make(f->bytes, big);
	f->m = tfs_machine_find(machine, 64, big);
	*state = f;
	return tfs_btf_new(f->bytes, f->len, NULL, &f->btf, NULL);
}

static int setup(void **state)
{
	return setup_for(state, false, EM_X86_64);
}

static int setup_big(void **state)
{
	return setup_for(state, true, EM_S390);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_btf_free(f->btf);
	free(f);
	return 0;
}

static void gives(void **state, const char *func, const char *expr, const char *cast,
		  const char *want)
{
	struct fixture *f = *state;
	enum tfs_refusal why;
	char got[256];

	fetch(f->btf, f->m, func, expr, cast, got, &why);
	assert_string_equal(got, want);
	assert_int_equal(why, TFS_REFUSAL_NONE);
}

static void refuses(void **state, const char *func, const char *expr, const char *cast,
		    enum tfs_refusal want)
{
	struct fixture *f = *state;
	enum tfs_refusal why;
	char got[256];

	fetch(f->btf, f->m, func, expr, cast, got, &why);
	assert_string_equal(got, "");
	assert_int_equal(why, want);
}

static void parameters_are_in_the_registers_of_the_abi(void **state)
{
	gives(state, "read", "f", NULL, "f=%di:x64");
	gives(state, "read", "$params", NULL, "f=%di:x64 n=%si:x64 name=%dx:x64");
	gives(state, "by_value", "a", NULL, "a=%di:s32");
	gives(state, "by_value", "a", "u8", "a_u8=%di:u8");
	gives(state, "many", "b", NULL, "b=+16($stack):s32");
	gives(state, "read", "$retval", NULL, "ret=$retval:s32");
}

static void members_are_followed(void **state)
{
	gives(state, "read", "f->next->next", NULL, "next=+16(+16(%di)):x64");
	gives(state, "read", "f->name", NULL, "name=+0(%di):string");
	gives(state, "read", "f->name", "x8[4]", "name=+0(%di):x8[4]");
	gives(state, "read", "f->name[2]", NULL, "name=+2(%di):x8");
	gives(state, "read", "f->next->row", NULL, "row=+0(+24(+16(%di))):string");
	gives(state, "read", "f->row", "x64", "row=+24(%di):x64");
	gives(state, "read", "f[1].next", NULL, "next=+48(%di):x64");
	gives(state, "read", "*f->row", NULL, "row=+0(+24(%di)):x8");
	gives(state, "read", "&f->name", NULL, "name=%di:x64");
}

static void bitfields_count_from_the_least_significant_bit(void **state)
{
	gives(state, "read", "f->low", NULL, "low=+8(%di):b3@0/8");
	gives(state, "read", "f->high", NULL, "high=+8(%di):b13@3/16");
}

static void a_big_machine_counts_from_the_other_end(void **state)
{
	gives(state, "read", "f->low", NULL, "low=+8(%r2):b3@5/8");
	gives(state, "read", "f->high", NULL, "high=+8(%r2):b13@0/16");
	/* the sixth: 160 bytes above the stack pointer, at the end of eight bytes */
	gives(state, "many", "b", NULL, "b=+180($stack):s32");
}

/* (STRUCT)BASE->next, BASE being in place of the variable of @expr */
static void cast_gives(void **state, const char *structure, const char *base, const char *expr,
		       const char *want)
{
	struct fixture *f = *state;
	const struct tfs_btf_scope scope = { .btf = f->btf,
					     .machine = f->m,
					     .func = "read",
					     .cast_to = structure,
					     .is_return = !strcmp(base, "$retval") };
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_path path;
	int rc;

	assert_int_equal(tfs_path_parse(expr, &path, NULL), 0);
	free(path.name);
	path.name = strdup(base);
	assert_non_null(path.name);
	rc = tfs_btf_fetch(&scope, &path, NULL, &list, NULL, NULL);
	assert_int_equal(rc != 0, want == NULL);
	if (want) {
		assert_int_equal(list.n, 1);
		assert_int_equal(tfs_fetch_emit(&list.fetch[0], &sb), 0);
		assert_string_equal(sb.s, want);
	}
	tfs_strbuf_release(&sb);
	tfs_fetch_list_release(&list);
	tfs_path_release(&path);
}

static void a_cast_follows_any_address(void **state)
{
	/* to what it is: as f->next->next, f->name, f->high above */
	cast_gives(state, "file", "%di", "f->next->next", "+16(+16(%di)):x64");
	cast_gives(state, "file", "f", "f->next->next", "+16(+16(%di)):x64");
	cast_gives(state, "file", "%si", "f->name", "+0(%si):string");
	cast_gives(state, "file", "n", "f->high", "+8(%si):b13@3/16");
	cast_gives(state, "file", "$arg3", "f->next", "+16($arg3):x64");
	cast_gives(state, "file", "$retval", "f->next", "+16($retval):x64");
	cast_gives(state, "nothing", "%di", "f->next", NULL);
	cast_gives(state, "file", "%nothing", "f->next", NULL);
	cast_gives(state, "file", "nothing", "f->next", NULL);
	cast_gives(state, "file", "%di", "f->nothing", NULL);
}

static void uncertain_arguments_are_refused(void **state)
{
	refuses(state, "by_value", "f", NULL, TFS_REFUSAL_UNSUPPORTED);
	refuses(state, "by_value", "b", NULL, TFS_REFUSAL_UNSUPPORTED);
	refuses(state, "ret_struct", "a", NULL, TFS_REFUSAL_UNSUPPORTED);
	refuses(state, "ret_struct", "$retval", NULL, TFS_REFUSAL_UNSUPPORTED);
	refuses(state, "many", "$retval", NULL, TFS_REFUSAL_NO_VALUE);
	refuses(state, "read", "nothing", NULL, TFS_REFUSAL_NO_VARIABLE);
	refuses(state, "nothing", "f", NULL, TFS_REFUSAL_NO_VARIABLE);
	refuses(state, "read", "f->nothing", NULL, TFS_REFUSAL_NO_MEMBER);
	refuses(state, "read", "*f", NULL, TFS_REFUSAL_TYPE);
	refuses(state, "read", "&f", NULL, TFS_REFUSAL_TYPE);
	refuses(state, "read", "&f->row", NULL, TFS_REFUSAL_ARITHMETIC);
	refuses(state, "read", "f->low", "u8", TFS_REFUSAL_TYPE);
	refuses(state, "by_value", "a->x", NULL, TFS_REFUSAL_TYPE);
	refuses(state, "read", "f[100000000]", NULL, TFS_REFUSAL_RANGE);
}

/* Everything that can be asked, of whatever was read. */
static void use_all(const struct tfs_btf *btf, const struct tfs_machine *m)
{
	static const char *const exprs[] = { "$params",    "f->next->next", "f->high",
					     "f->name[2]", "f->row",        "*f",
					     "b",          "$retval" };
	static const char *const funcs[] = { "read", "by_value", "ret_struct", "many", "next" };
	enum tfs_refusal why;
	char out[256];

	for (size_t i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
		const struct tfs_btf_scope scope = { .btf = btf, .machine = m, .func = funcs[i] };
		struct tfs_var_list list = { 0 };
		struct tfs_strbuf proto = TFS_STRBUF_INIT;

		for (size_t k = 0; k < sizeof(exprs) / sizeof(exprs[0]); k++)
			fetch(btf, m, funcs[i], exprs[k], NULL, out, &why);
		tfs_btf_vars(&scope, &list, NULL);
		tfs_var_list_release(&list);
		tfs_btf_prototype(btf, funcs[i], &proto);
		tfs_strbuf_release(&proto);
	}
}

static void damage_is_an_error_and_no_more(void **state)
{
	static const unsigned char flips[] = { 0x01, 0x80, 0xff };
	struct fixture *f = *state;
	struct tfs_btf *btf;

	for (size_t len = 0; len < f->len; len++) {
		unsigned char *cut = malloc(len ? len : 1);

		assert_non_null(cut);
		memcpy(cut, f->bytes, len);
		btf = NULL;
		assert_int_equal(tfs_btf_new(cut, len, NULL, &btf, NULL), -EBADMSG);
		free(cut);
	}
	for (size_t at = 0; at < f->len; at++) {
		for (size_t k = 0; k < sizeof(flips); k++) {
			f->bytes[at] ^= flips[k];
			btf = NULL;
			if (!tfs_btf_new(f->bytes, f->len, NULL, &btf, NULL))
				use_all(btf, f->m);
			tfs_btf_free(btf);
			f->bytes[at] ^= flips[k];
		}
	}
}

/* A module's types go on where the kernel's end; its names too. */
static void split_information_continues_the_kernels(void **state)
{
	struct fixture *f = *state;
	static const char more[] = "module_read";
	struct words t = { .n = 0 };
	unsigned char bytes[256];
	uint32_t header[6] = { 0 }, last = 0;
	struct tfs_btf_type any;
	struct tfs_btf *split;
	enum tfs_refusal why;
	char out[256];

	while (!tfs_btf_type(f->btf, last + 1, &any))
		last++;
	/* module_read(struct file *f): type 5 is the pointer */
	put(&t, 0);
	put(&t, 13U << 24 | 1);
	put(&t, 1);
	put(&t, name("f"));
	put(&t, 5);
	put(&t, sizeof(names));
	put(&t, 12U << 24);
	put(&t, last + 1);
	header[1] = 24;
	header[3] = (uint32_t)t.n * 4;
	header[4] = (uint32_t)t.n * 4;
	header[5] = sizeof(more);
	memcpy(bytes, header, 24);
	memcpy(bytes, "\x9f\xeb\x01", 4);
	memcpy(bytes + 24, t.w, t.n * 4);
	memcpy(bytes + 24 + t.n * 4, more, sizeof(more));
	assert_int_equal(tfs_btf_new(bytes, 24 + t.n * 4 + sizeof(more), f->btf, &split, NULL), 0);
	fetch(split, f->m, "module_read", "f->next", NULL, out, &why);
	assert_string_equal(out, "next=+16(%di):x64");
	fetch(split, f->m, "read", "f->next", NULL, out, &why);
	assert_string_equal(out, "next=+16(%di):x64");
	tfs_btf_free(split);
}

static void is_declared(void **state, const char *func, const char *want)
{
	struct fixture *f = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_btf_prototype(f->btf, func, &sb), 0);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void prototypes_read_as_in_c(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	is_declared(state, "read", "int read(const struct file *f, size_t n, char *name, ...)");
	is_declared(state, "ret_struct", "struct file ret_struct(int a)");
	is_declared(state, "low", "void low(void)");
	is_declared(state, "next",
		    "int (*next(int (*f)(char *a, ...), char (*name)[8], const char *const b))"
		    "(char *a, ...)");
	assert_int_equal(tfs_btf_prototype(f->btf, "none", &sb), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parameters_are_in_the_registers_of_the_abi),
		TEST(members_are_followed),
		TEST(bitfields_count_from_the_least_significant_bit),
		cmocka_unit_test_setup_teardown(a_big_machine_counts_from_the_other_end, setup_big,
						teardown),
		TEST(a_cast_follows_any_address),
		TEST(uncertain_arguments_are_refused),
		TEST(damage_is_an_error_and_no_more),
		TEST(split_information_continues_the_kernels),
		TEST(prototypes_read_as_in_c),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

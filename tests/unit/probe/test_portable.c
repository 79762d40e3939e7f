/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "lib/skip.h"
#include "probe/features.h"
#include "probe/portable-internal.h"
#include "probe/portable.h"

#define SELF "/proc/self/exe"
#define HEAD "tc-probe-plan 1\n"
#define PROG HEAD "program /bin/a\nbuild-id 00112233aabbccdd\n"
#define KERN HEAD "kernel 6.1\nbuild-id 00112233aabbccdd\n"

static int parse(const char *text, struct tfs_portable *out, struct tfs_err *err)
{
	memset(out, 0, sizeof(*out));
	*err = TFS_ERR_INIT;
	return tfs_portable_parse(text, strlen(text), out, err);
}

/* @text is refused, and the message holds @says. */
static void is_refused(const char *text, const char *says)
{
	struct tfs_portable portable;
	struct tfs_err err;

	if (!parse(text, &portable, &err))
		fail_msg("taken: %s", text);
	if (!strstr(err.msg, says))
		fail_msg("'%s' is not in the message '%s' for: %s", says, err.msg, text);
	for (const char *p = err.msg; *p; p++)
		assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
	tfs_portable_release(&portable);
}

static void definitions_of_several_targets_are_read(void **state)
{
	static const char text[] =
		"# a comment\n" HEAD "program /a\\040b/c\n"
		"build-id 00112233aabbccdd\n"
		"event p:g/e /a\\040b/c:0x1139(0x20) v=%di:b5@3/32 w=+0(%si):string\n"
		"real f@a.c:12\n"
		"sign v 5\n"
		"event r:g/e__return /a\\040b/c:0x2000\n"
		"end 2\n"
		"\n" HEAD "module xfs\n"
		"build-id 1111111111111111\n"
		"event p:probe/x xfs:xfs_open+4 a=%si:u64\n"
		"end 1\n"
		"# what follows says nothing\n";
	struct tfs_portable t;
	struct tfs_err err;

	(void)state;
	assert_int_equal(parse(text, &t, &err), 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.target[0].kind, TFS_PORTABLE_PROGRAM);
	assert_string_equal(t.target[0].name, "/a b/c");
	assert_string_equal(t.target[0].build_id, "00112233aabbccdd");
	assert_int_equal(t.target[1].kind, TFS_PORTABLE_MODULE);
	assert_int_equal(t.defs.n, 3);
	assert_string_equal(t.defs.v[0].location, ":0x1139(0x20)");
	assert_string_equal(t.defs.v[0].args, "v=%di:b5@3/32 w=+0(%si):string");
	assert_int_equal(t.defs.v[0].means.n, 1);
	assert_string_equal(t.defs.v[0].means.v[0].arg, "v");
	assert_int_equal(t.defs.v[0].means.v[0].means.bits, 5);
	assert_int_equal(t.defs.v[1].means.n, 0);
	assert_string_equal(t.defs.v[0].real, "f@a.c:12");
	assert_int_equal(t.defs.v[0].type, TFS_PROBE_UPROBE);
	assert_true(t.defs.v[1].ret);
	assert_null(t.defs.v[1].args);
	assert_string_equal(t.defs.v[2].location, "xfs:xfs_open+4");
	assert_int_equal(t.defs.v[2].type, TFS_PROBE_KPROBE);
	assert_int_equal(t.defs.v[2].request, 1);
	assert_int_equal(t.lines[2], 14);
	tfs_portable_release(&t);
}

static void files_that_are_not_plans_are_refused(void **state)
{
	(void)state;
	is_refused("", "not a plan");
	is_refused("\x7f"
		   "ELF",
		   "control character");
	is_refused("p:g/e /bin/a:0x10\n", "not a plan");
	is_refused("tc-probe-plan 2\n", "'tc-probe-plan 2' is not known");
	is_refused(HEAD "end 0\n", "no event");
	is_refused(PROG "end 0\n", "no event");
	is_refused(PROG "event\n", "line 4");
	is_refused(PROG "wish x\n", "'wish'");
	is_refused(PROG "sign x 5\n", "follows an event");
	is_refused(PROG "event p:g/e /bin/a:0x10 x=%di:b5@0/8\nsign x\n", "number of bits");
	is_refused(PROG "event p:g/e /bin/a:0x10 x=%di:b5@0/8\nsign x 65\n", "number of bits");
	is_refused(PROG "event p:g/e /bin/a:0x10 x=%di:b5@0/8\nsign 0x 5\n", "number of bits");
}

#define TWO PROG "event p:g/e /bin/a:0x10\nreal e\nevent p:g/f /bin/a:0x20\n"

/* Whatever its length: a file that was cut off is never taken as a shorter plan. */
static void a_plan_that_was_cut_off_is_refused(void **state)
{
	static const char whole[] = TWO "end 2";
	struct tfs_portable t;
	struct tfs_err err;

	(void)state;
	for (size_t len = 0; len < strlen(whole); len++) {
		char *cut = strndup(whole, len);

		assert_non_null(cut);
		is_refused(cut, "plan");
		free(cut);
	}
	assert_int_equal(parse(whole, &t, &err), 0);
	assert_int_equal(t.defs.n, 2);
	tfs_portable_release(&t);
	is_refused(TWO, "line 6 of the plan: the file ends, and no line 'end 2' before");
	is_refused(TWO TWO "end 2\n", "line 7 of the plan: another plan begins");
	is_refused(TWO "end 2\n" TWO "end 4\n", "it ends with 'end 4', but has 2 events");
	is_refused(TWO "end 1\n", "it ends with 'end 1', but has 2 events");
	is_refused(TWO "end 02\n", "'end 02'");
	is_refused(TWO "end 2\nend 2\n", "line 8 of the plan: after its end");
	is_refused(TWO "end 2\nevent p:g/h /bin/a:0x30\n", "line 8 of the plan: after its end");
	is_refused("end 0\n", "not a plan");
}

static void terminal_control_characters_are_refused(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_portable t;

	(void)state;
	is_refused(PROG "event p:g/e /bin/a:0x10\nreal \033[2J\n", "control character (0x1b)");
	is_refused(PROG "event p:g/e /bin/a:0x10\tv=%di\n", "control character (0x09)");
	is_refused(HEAD "program /bin/a\r\n", "control character (0x0d)");
	assert_int_equal(tfs_portable_parse(HEAD "\0", sizeof(HEAD), &t, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "control character (0x00)"));
}

static void targets_are_checked(void **state)
{
	(void)state;
	is_refused(HEAD "event p:g/e /bin/a:0x10\n", "follows a program");
	is_refused(HEAD "build-id 00112233aabbccdd\n", "follows a program");
	is_refused(HEAD "program /bin/a\nevent p:g/e /bin/a:0x10\n", "its build-id");
	is_refused(HEAD "program bin/a\n", "absolute");
	is_refused(HEAD "program /a b\n", "invalid name");
	is_refused(HEAD "program /a\\000b\n", "invalid name");
	is_refused(HEAD "program /a\\9\n", "invalid name");
	is_refused(HEAD "program /a\\777\n", "invalid name");
	is_refused(HEAD "module ../x\n", "not a valid module name");
	is_refused(HEAD "program /bin/a\nbuild-id 0011\n", "not a build-id");
	is_refused(HEAD "program /bin/a\nbuild-id 00112233aabbccd\n", "not a build-id");
	is_refused(HEAD "program /bin/a\nbuild-id 00112233AABBCCDD\n", "not a build-id");
	is_refused(PROG "build-id 00112233aabbccdd\n", "second build-id");
	is_refused(HEAD "kernel x\ncode 00112233aabbccdd\n", "only a program");
	is_refused(HEAD "program /bin/a\nprogram /bin/b\n", "no build-id of what is before");
}

static void definitions_are_checked(void **state)
{
	(void)state;
	is_refused(PROG "event -:g/e x\n", "not a definition");
	is_refused(PROG "event e:g/e sched.sched_switch\n", "not a definition");
	is_refused(PROG "event p:e /bin/a:0x10\n", "not a definition");
	is_refused(PROG "event p:g/e\n", "not a definition");
	is_refused(PROG "event p10:g/e /bin/a:0x10\n", "not a definition");
	is_refused(PROG "event p:g/e$ /bin/a:0x10\n", "not a valid event name");
	is_refused(PROG "event p:g/e /bin/b:0x10\n", "is not in '/bin/a'");
	is_refused(PROG "event p:g/e vfs_read\n", "is not in '/bin/a'");
	is_refused(PROG "real x\n", "follows an event");
}

#ifdef __x86_64__
void test_portable_code(void);
__asm__(".text\n"
	".globl test_portable_code\n"
	".type test_portable_code, @function\n"
	"test_portable_code:\n"
	"	mov $39, %eax\n"
	"	syscall\n"
	"	ret\n"
	".size test_portable_code, . - test_portable_code\n");
#endif

static int resolve(struct tfs_portable *t, const char *exec, struct tfs_err *err)
{
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	const struct tfs_portable_opts opts = { .exec = exec, .features = &features };

	*err = TFS_ERR_INIT;
	return tfs_portable_resolve(t, &opts, err);
}

static void a_kernel_place_belongs_to_its_target(void **state)
{
	static const char *const locations[] = { "xfs:xfs_open", "0xffffffff81000000", "a;b", "" };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_portable t;
	struct tfs_err err;
	char *id = NULL;

	(void)state;
	if (tfs_dso_running_build_id(&id, NULL))
		skip_because("the running kernel does not report its build-id");
	for (size_t i = 0; i < ARRAY_SIZE(locations); i++) {
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_strbuf_addf(&sb,
						 HEAD "kernel x\nbuild-id %s\nevent p:g/e %s\n"
						      "end 1\n",
						 id, locations[i]),
				 0);
		assert_int_equal(parse(sb.s, &t, &err), 0);
		assert_int_equal(resolve(&t, NULL, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "line 4 of the plan"));
		tfs_portable_release(&t);
	}
	free(id);
	tfs_strbuf_release(&sb);
	assert_int_equal(parse(KERN "event p:g/e vfs_read\nend 1\n", &t, &err), 0);
	assert_int_equal(resolve(&t, NULL, &err), -ESTALE);
	assert_non_null(strstr(err.msg, "the running kernel has build-id "));
	assert_non_null(strstr(err.msg, "00112233aabbccdd"));
	tfs_portable_release(&t);
}

/* Where @func of this program is in its file. */
static uint64_t offset_of(struct tfs_dso *dso, const char *func)
{
	const struct tfs_symbol *const *found = NULL;
	uint64_t off = 0;

	assert_int_equal(tfs_symbol_named(dso, func, &found), 1);
	assert_int_equal(tfs_dso_file_offset(dso, found[0]->addr, &off), 0);
	return off;
}

/*
 * A plan for this very program, said to be at @path, with an event @kind at @location and with
 * @args.
 */
static void plan_of(const char *path, char kind, const char *location, const char *args,
		    struct tfs_strbuf *sb)
{
	struct tfs_dso *dso = NULL;
	uint64_t hash;
	int rc;

	tfs_strbuf_reset(sb);
	assert_int_equal(tfs_dso_open(SELF, NULL, &dso, NULL), 0);
	rc = tfs_strbuf_addf(sb, HEAD "program %s\n", path);
	if (!rc && *tfs_dso_build_id(dso))
		rc = tfs_strbuf_addf(sb, "build-id %s\n", tfs_dso_build_id(dso));
	else if (!rc && !tfs_dso_code_hash(dso, &hash))
		rc = tfs_strbuf_addf(sb, "code %016llx\n", (unsigned long long)hash);
	if (!rc)
		rc = tfs_strbuf_addf(sb, "event %c:g/e %s:%s%s\nreal innocent@good.c:1\nend 1\n",
				     kind, path, location, args);
	assert_int_equal(rc, 0);
	tfs_dso_free(dso);
}

/* "0x1234" of @func of this program, @more bytes further on */
static void location_of(const char *func, uint64_t more, char *to, size_t size)
{
	struct tfs_dso *dso = NULL;

	assert_int_equal(tfs_dso_open(SELF, NULL, &dso, NULL), 0);
	snprintf(to, size, "0x%llx", (unsigned long long)(offset_of(dso, func) + more));
	tfs_dso_free(dso);
}

static void plan_for_self(const char *path, const char *args, struct tfs_strbuf *sb)
{
	char location[32];

	location_of("main", 0, location, sizeof(location));
	plan_of(path, 'p', location, args, sb);
}

static int resolve_one(char kind, const char *location, bool force, struct tfs_portable *t,
		       struct tfs_err *err)
{
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	const struct tfs_portable_opts opts = { .features = &features, .force = force };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *self = realpath(SELF, NULL);

	assert_non_null(self);
	plan_of(self, kind, location, "", &sb);
	assert_int_equal(parse(sb.s, t, err), 0);
	free(self);
	tfs_strbuf_release(&sb);
	*err = TFS_ERR_INIT;
	return tfs_portable_resolve(t, &opts, err);
}

/* Wrong locations in a plan whose build-id is right; -f accepts the first two. */
static void checks_locations_in_the_file(void **state)
{
	static const struct {
		char kind;
		const char *func, *after, *text;
		uint64_t more;
		bool forced;
	} bad[] = {
#ifdef __x86_64__
		/* see the assembly: a move of 5 bytes, then a system call */
		{ 'p', "test_portable_code", "", "is inside an instruction", 1, true },
		{ 'p', "test_portable_code", "", "is inside an instruction", 4, true },
		{ 'p', "test_portable_code", "", "is a system call instruction", 5, false },
		{ 'r', "test_portable_code", "", "on the entry of a function", 7, false },
		{ 'p', "test_portable_code", "%return", "on the entry of a function", 7, false },
#endif
		{ 'p', "main", "(0x10)", "not the counter of a marker", 0, false },
		{ 'p', "main", "+1", "is not a location in a program", 0, false },
		{ 'p', "main", "%return%return", "is not a location in a program", 0, false },
		{ 'p', "main", "ffffffff", "not in the code", 0, false },
		{ 'p', "main", "ffffffffffffffff", "is not a location in a program", 0, false },
	};
	struct tfs_portable t;
	struct tfs_err err;
	char location[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		location_of(bad[i].func, bad[i].more, location, sizeof(location));
		strncat(location, bad[i].after, sizeof(location) - strlen(location) - 1);
		assert_true(resolve_one(bad[i].kind, location, false, &t, &err) < 0);
		if (!strstr(err.msg, bad[i].text) || !strstr(err.msg, "line 4 of the plan"))
			fail_msg("%zu: %s", i, err.msg);
		tfs_portable_release(&t);
		assert_int_equal(!resolve_one(bad[i].kind, location, true, &t, &err),
				 bad[i].forced);
		tfs_portable_release(&t);
	}
}

static void a_plans_name_of_a_location_is_shown_in_quotes(void **state)
{
	struct tfs_portable t;
	struct tfs_err err;
	char location[32];

	(void)state;
	location_of("main", 0, location, sizeof(location));
	assert_int_equal(resolve_one('p', location, false, &t, &err), 0);
	assert_int_equal(strncmp(t.defs.v[0].real, "main", 4), 0);
	assert_non_null(strstr(t.defs.v[0].real, ", \"innocent@good.c:1\" in the plan"));
	tfs_portable_release(&t);
}

static void a_program_is_found_by_path_or_by_the_given_name(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT, want = TFS_STRBUF_INIT;
	char *self = realpath(SELF, NULL);
	struct tfs_portable t;
	struct tfs_err err;
	char location[32];

	(void)state;
	assert_non_null(self);
	location_of("main", 0, location, sizeof(location));
	assert_int_equal(tfs_strbuf_addf(&want, "%s:%s", self, location), 0);
	plan_for_self(self, " v=%di:s32", &sb);
	assert_int_equal(parse(sb.s, &t, &err), 0);
	assert_int_equal(resolve(&t, NULL, &err), 0);
	assert_string_equal(t.defs.v[0].location, want.s);
	assert_string_equal(t.defs.v[0].path, self);
	tfs_portable_release(&t);
	/* elsewhere */
	plan_for_self("/nowhere/prog", "", &sb);
	assert_int_equal(parse(sb.s, &t, &err), 0);
	assert_int_equal(resolve(&t, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "-x"));
	assert_int_equal(resolve(&t, self, &err), 0);
	assert_string_equal(t.defs.v[0].location, want.s);
	tfs_portable_release(&t);
	/* said, but another */
	plan_for_self(self, "", &sb);
	assert_int_equal(parse(sb.s, &t, &err), 0);
	assert_int_equal(resolve(&t, "/bin/sh", &err), -ESTALE);
	tfs_portable_release(&t);
	free(self);
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&want);
}

static void another_build_is_refused_naming_both(void **state)
{
	struct tfs_portable_target t = { .kind = TFS_PORTABLE_PROGRAM,
					 .name = (char[]){ "/bin/a" },
					 .build_id = (char[]){ "00112233" } };
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_portable_compare(&t, "'/bin/a'", "00112233", &err), 0);
	assert_int_equal(tfs_portable_compare(&t, "'/bin/a'", "00112234", &err), -ESTALE);
	assert_string_equal(err.msg, "'/bin/a' has build-id 00112234, the plan is for 00112233");
	assert_int_equal(tfs_portable_compare(&t, "'/bin/a'", "", &err), -ESTALE);
	assert_non_null(strstr(err.msg, "(none)"));
}

static void definitions_that_the_kernel_would_refuse_are_refused(void **state)
{
	static const char *const args[] = { " v=%di:x", " v=", " v=%di v=%si",
					    " v=+99999999999(%di)" };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *self = realpath(SELF, NULL);
	struct tfs_portable t;
	struct tfs_err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		plan_for_self(self, args[i], &sb);
		assert_int_equal(parse(sb.s, &t, &err), 0);
		assert_int_equal(resolve(&t, NULL, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "line 4 of the plan"));
		tfs_portable_release(&t);
	}
#ifdef __x86_64__
	/* regoffset_table of arch/x86/kernel/ptrace.c has si, not rsi */
	plan_for_self(self, " v=%si:u32 w=+8(%rsi):u32 t=\\\"a\"", &sb);
	assert_int_equal(parse(sb.s, &t, &err), 0);
	assert_int_equal(resolve(&t, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "line 4 of the plan: '%rsi'"));
	tfs_portable_release(&t);
	plan_for_self(self, " v=%si:u32 t=\\\"%rsi\" w=+8(%sp):u32", &sb);
	assert_int_equal(parse(sb.s, &t, &err), 0);
	assert_int_equal(resolve(&t, NULL, &err), 0);
	tfs_portable_release(&t);
#endif
	free(self);
	tfs_strbuf_release(&sb);
}

static void written_files_can_be_read(void **state)
{
	struct tfs_probe_def def = { .type = TFS_PROBE_UPROBE,
				     .ret = true,
				     .group = (char[]){ "g" },
				     .event = (char[]){ "e" },
				     .path = NULL,
				     .location = (char[]){ "/run/x:0x10" },
				     .args = (char[]){ "v=$retval:s32" },
				     .real = (char[]){ "a\nb" } };
	struct tfs_probe_defs defs = { .v = &def, .n = 1 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dso *dso = NULL;
	struct tfs_portable t;
	struct tfs_err err;
	char *self = realpath(SELF, NULL);

	(void)state;
	def.path = self;
	assert_int_equal(tfs_dso_open(SELF, NULL, &dso, NULL), 0);
	assert_int_equal(tfs_portable_write(dso, &defs, &sb, NULL), 0);
	assert_int_equal(parse(sb.s, &t, &err), 0);
	assert_string_equal(t.target[0].name, self);
	assert_string_equal(t.defs.v[0].location, ":0x10");
	assert_string_equal(t.defs.v[0].args, "v=$retval:s32");
	assert_string_equal(t.defs.v[0].real, "a?b");
	assert_true(t.defs.v[0].ret);
	tfs_portable_release(&t);
	tfs_dso_free(dso);
	tfs_strbuf_release(&sb);
	free(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_of_several_targets_are_read),
		cmocka_unit_test(files_that_are_not_plans_are_refused),
		cmocka_unit_test(a_plan_that_was_cut_off_is_refused),
		cmocka_unit_test(terminal_control_characters_are_refused),
		cmocka_unit_test(targets_are_checked),
		cmocka_unit_test(definitions_are_checked),
		cmocka_unit_test(checks_locations_in_the_file),
		cmocka_unit_test(a_plans_name_of_a_location_is_shown_in_quotes),
		cmocka_unit_test(a_kernel_place_belongs_to_its_target),
		cmocka_unit_test(a_program_is_found_by_path_or_by_the_given_name),
		cmocka_unit_test(another_build_is_refused_naming_both),
		cmocka_unit_test(definitions_that_the_kernel_would_refuse_are_refused),
		cmocka_unit_test(written_files_can_be_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

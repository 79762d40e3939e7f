/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Type information made by hand, to the kernel's Documentation/bpf/btf.rst. */
#include "record/constants.h"

#include <fcntl.h>
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

#include "base/strbuf-core.h"

enum { KIND_ENUM = 6, KIND_ENUM64 = 19 };

static const char kernel_names[] = "\0LOW\0HIGH\0MINUS\0TWICE\0WIDE\0SHARED";
static const char module_names[] = "MODULE_ONLY\0SHARED2";

static const char format[] =
	"name: x\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%s\", __print_symbolic(REC->a, { LOW, \"low\" }, { MINUS, \"minus\" }, "
	"{ WIDE, \"wide\" }, { TWICE, \"twice\" }, { A_MACRO, \"macro\" }, "
	"{ MODULE_ONLY, \"module\" }, { 5, \"five\" })\n";

struct btf {
	uint32_t w[64];
	size_t n;
};

static uint32_t offset_in(const char *names, size_t size, const char *name)
{
	for (size_t i = 0; i < size; i += strlen(names + i) + 1) {
		if (!strcmp(names + i, name))
			return (uint32_t)i;
	}
	fail_msg("no name %s", name);
	return 0;
}

static void put(struct btf *b, uint32_t w)
{
	b->w[b->n++] = w;
}

static void begin_enum(struct btf *b, unsigned int kind, uint32_t n, bool is_signed)
{
	put(b, 0);
	put(b, kind << 24 | n | (is_signed ? 1U << 31 : 0));
	put(b, kind == KIND_ENUM64 ? 8 : 4);
}

static void write_btf(const char *dir, const char *file, const struct btf *b, const char *names,
		      size_t size)
{
	const uint32_t types = (uint32_t)(b->n * sizeof(b->w[0]));
	const uint32_t head[] = { 0x0001eb9f, 24, 0, types, types, (uint32_t)size };
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(head, sizeof(head), 1, f);
	fwrite(b->w, sizeof(b->w[0]), b->n, f);
	fwrite(names, size, 1, f);
	fclose(f);
}

static uint32_t kernel_name(const char *name)
{
	return offset_in(kernel_names, sizeof(kernel_names), name);
}

static void write_kernel(const char *dir)
{
	struct btf b = { .n = 0 };

	begin_enum(&b, KIND_ENUM, 3, true);
	put(&b, kernel_name("LOW"));
	put(&b, 3);
	put(&b, kernel_name("MINUS"));
	put(&b, (uint32_t)-2);
	put(&b, kernel_name("TWICE"));
	put(&b, 1);
	begin_enum(&b, KIND_ENUM64, 1, false);
	put(&b, kernel_name("WIDE"));
	put(&b, 1);
	put(&b, 0x80000000);
	begin_enum(&b, KIND_ENUM, 2, false);
	put(&b, kernel_name("TWICE"));
	put(&b, 2);
	put(&b, kernel_name("HIGH"));
	put(&b, 0xffffffff);
	write_btf(dir, "vmlinux", &b, kernel_names, sizeof(kernel_names));
}

/* A module's strings come after the kernel's. */
static void write_module(const char *dir, const char *file)
{
	const uint32_t at = offset_in(module_names, sizeof(module_names), "MODULE_ONLY");
	struct btf b = { .n = 0 };

	begin_enum(&b, KIND_ENUM, 1, false);
	put(&b, (uint32_t)sizeof(kernel_names) + at);
	put(&b, 77);
	write_btf(dir, file, &b, module_names, sizeof(module_names));
}

static int set_up(void **state)
{
	char *dir = strdup("/tmp/test-constants-XXXXXX");

	if (!dir || !mkdtemp(dir))
		return -1;
	write_kernel(dir);
	write_module(dir, "the_module");
	*state = dir;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const files[] = { "vmlinux", "the_module" };
	char path[256];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, files[i]);
		unlink(path);
	}
	rmdir(*state);
	free(*state);
	return 0;
}

/* The option after its mark, in host byte order: value, name and so on */
static void expect(const struct tfs_strbuf *payload, const char *const *names,
		   const uint64_t *values, size_t n)
{
	const uint32_t mark = 0x01020304;
	struct tfs_strbuf want = TFS_STRBUF_INIT;

	tfs_strbuf_add(&want, &mark, sizeof(mark));
	for (size_t i = 0; i < n; i++) {
		tfs_strbuf_add(&want, &values[i], sizeof(values[i]));
		tfs_strbuf_add(&want, names[i], strlen(names[i]) + 1);
	}
	assert_int_equal(payload->len, want.len);
	assert_memory_equal(payload->s, want.s, want.len);
	tfs_strbuf_release(&want);
}

static void the_names_that_a_format_leaves_get_the_kernels_values(void **state)
{
	static const char *const names[] = { "LOW", "MINUS", "WIDE" };
	static const uint64_t values[] = { 3, (uint64_t)-2, UINT64_C(0x8000000000000001) };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_constants c = { .n = 0 };

	assert_int_equal(tfs_constants_add(&c, "other", format, strlen(format)), 0);
	assert_int_equal(tfs_constants_look_up(&c, *state, &payload), 0);
	/* not TWICE, which has two values, nor a macro, nor what another system's module has */
	expect(&payload, names, values, 3);
	tfs_constants_release(&c);
	tfs_strbuf_release(&payload);
}

static void a_module_called_like_the_system_has_a_say(void **state)
{
	static const char *const names[] = { "LOW", "MINUS", "WIDE", "MODULE_ONLY" };
	static const uint64_t values[] = { 3, (uint64_t)-2, UINT64_C(0x8000000000000001), 77 };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_constants c = { .n = 0 };

	assert_int_equal(tfs_constants_add(&c, "the-mod", format, strlen(format)), 0);
	assert_int_equal(tfs_constants_look_up(&c, *state, &payload), 0);
	expect(&payload, names, values, 4);
	tfs_constants_release(&c);
	tfs_strbuf_release(&payload);
}

static void without_names_nothing_is_read(void **state)
{
	static const char plain[] = "name: x\nID: 7\nformat:\n"
				    "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\n"
				    "print fmt: \"%d\", REC->a\n";
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_constants c = { .n = 0 };

	(void)state;
	assert_int_equal(tfs_constants_add(&c, "other", plain, strlen(plain)), 0);
	assert_int_equal(c.n, 0);
	assert_int_equal(tfs_constants_look_up(&c, "/no/such/directory", &payload), 0);
	assert_int_equal(payload.len, 0);
	tfs_constants_release(&c);
	tfs_strbuf_release(&payload);
}

static void a_kernel_without_type_information_gives_no_option(void **state)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_constants c = { .n = 0 };

	(void)state;
	assert_int_equal(tfs_constants_add(&c, "other", format, strlen(format)), 0);
	assert_int_equal(tfs_constants_look_up(&c, "/no/such/directory", &payload), 0);
	assert_int_equal(payload.len, 0);
	tfs_constants_release(&c);
	tfs_strbuf_release(&payload);
}

static void a_name_that_is_known_otherwise_keeps_that_value(void **state)
{
	static const char *const names[] = { "LOW", "MINUS", "WIDE", "A_MACRO" };
	static const uint64_t values[] = { 9, (uint64_t)-2, UINT64_C(0x8000000000000001), 250 };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_constants c = { .n = 0 };

	assert_int_equal(tfs_constants_add(&c, "other", format, strlen(format)), 0);
	assert_true(tfs_constants_wants(&c, "A_MACRO"));
	assert_false(tfs_constants_wants(&c, "HZ"));
	tfs_constants_set(&c, "LOW", 9);
	tfs_constants_set(&c, "A_MACRO", 250);
	tfs_constants_set(&c, "HZ", 1000);
	assert_int_equal(tfs_constants_look_up(&c, *state, &payload), 0);
	expect(&payload, names, values, 4);
	tfs_constants_release(&c);
	tfs_strbuf_release(&payload);
}

static void modules_belong_to_systems_by_their_names(void **state)
{
	(void)state;
	assert_true(tfs_constants_is_module_of("xfs", "xfs"));
	assert_true(tfs_constants_is_module_of("kvm_intel", "kvm"));
	assert_true(tfs_constants_is_module_of("gpu_sched", "gpu_scheduler"));
	assert_true(tfs_constants_is_module_of("snd_pcm", "snd-pcm"));
	assert_false(tfs_constants_is_module_of("xfs", "ext4"));
	assert_false(tfs_constants_is_module_of("i2", "i2c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_names_that_a_format_leaves_get_the_kernels_values),
		cmocka_unit_test(a_module_called_like_the_system_has_a_say),
		cmocka_unit_test(without_names_nothing_is_read),
		cmocka_unit_test(a_kernel_without_type_information_gives_no_option),
		cmocka_unit_test(a_name_that_is_known_otherwise_keeps_that_value),
		cmocka_unit_test(modules_belong_to_systems_by_their_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

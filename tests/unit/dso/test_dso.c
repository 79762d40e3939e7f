/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/dso-got.h"
#include "dso/dso-internal.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "lib/skip.h"

/* The program that runs this test is its subject: the loader's view of it is the second source. */
#define SELF "/proc/self/exe"

static int writable = 7;

static int open_self(void **state)
{
	struct tfs_dso *dso = NULL;

	if (tfs_dso_open(SELF, NULL, &dso, NULL))
		return -1;
	*state = dso;
	return 0;
}

static int close_self(void **state)
{
	tfs_dso_free(*state);
	return 0;
}

/* The load bias of the program itself. */
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

static void a_program_is_identified(void **state)
{
	struct tfs_dso *dso = *state;
	char path[4096];
	ssize_t n = readlink(SELF, path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	assert_int_equal(tfs_dso_kind(dso), TFS_DSO_PROGRAM);
	assert_int_equal(tfs_dso_addr_size(dso), sizeof(void *));
	assert_string_equal(tfs_dso_path(dso), path);
	assert_null(tfs_dso_module(dso));
	assert_false(tfs_dso_is_go(dso));
}

static void addresses_become_file_offsets_and_back(void **state)
{
	struct tfs_dso *dso = *state;
	uint64_t addr = linked_address((const void *)(uintptr_t)linked_address), off = 0, back = 0;
	unsigned char in_file[16];
	int fd = open(SELF, O_RDONLY);

	assert_int_equal(tfs_dso_file_offset(dso, addr, &off), 0);
	assert_int_equal(tfs_pread_all(fd, in_file, sizeof(in_file), (off_t)off), 0);
	close(fd);
	assert_memory_equal(in_file, (const void *)(uintptr_t)linked_address, sizeof(in_file));
	assert_int_equal(tfs_dso_address(dso, off, &back), 0);
	assert_int_equal(back, addr);
	assert_int_equal(tfs_dso_read(dso, addr, in_file, sizeof(in_file)), 0);
	assert_memory_equal(in_file, (const void *)(uintptr_t)linked_address, sizeof(in_file));
}

static void distinguishes_code_from_data(void **state)
{
	struct tfs_dso *dso = *state;
	uint64_t code = linked_address((const void *)(uintptr_t)linked_address);

	assert_true(tfs_dso_is_code(dso, code));
	assert_false(tfs_dso_is_code(dso, linked_address(&writable)));
	assert_false(tfs_dso_is_code(dso, UINT64_MAX));
}

static void finds_no_offset_for_addresses_beyond_the_file(void **state)
{
	struct tfs_dso *dso = *state;
	uint64_t off;
	char byte;

	assert_int_equal(tfs_dso_file_offset(dso, UINT64_MAX, &off), -ENOENT);
	assert_int_equal(tfs_dso_address(dso, UINT64_MAX, &off), -ENOENT);
	assert_int_equal(tfs_dso_read(dso, UINT64_MAX, &byte, 1), -ENOENT);
}

static void files_other_than_elf_are_refused_with_a_reason(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dso *dso = NULL;

	(void)state;
	assert_int_equal(tfs_dso_open("/etc/passwd", NULL, &dso, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "not an ELF file"));
	assert_int_equal(tfs_dso_open("/proc/self/status", NULL, &dso, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(tfs_dso_open("/dev/zero", NULL, &dso, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(tfs_dso_open("/", NULL, &dso, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "directory"));
	assert_int_equal(tfs_dso_open("/no/such/file", NULL, &dso, &err), -ENOENT);
	assert_null(dso);
}

/* Write the first @len bytes of this program to a file, one byte of it changed. */
static int open_damaged(size_t len, size_t at, unsigned char flip)
{
	char name[] = "/tmp/tc-test-image.XXXXXX";
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dso *dso = NULL;
	int fd = mkstemp(name), rc;

	assert_true(fd >= 0);
	assert_int_equal(tfs_read_path(SELF, &sb), 0);
	if (len > sb.len)
		len = sb.len;
	if (at < len)
		sb.s[at] = (char)(sb.s[at] ^ flip);
	assert_int_equal(tfs_write_all(fd, sb.s, len), 0);
	close(fd);
	rc = tfs_dso_open(name, NULL, &dso, NULL);
	if (!rc) {
		struct tfs_debuginfo *dbg = tfs_debuginfo_new(dso);

		assert_non_null(dbg);
		tfs_debuginfo_available(dbg);
		tfs_debuginfo_free(dbg);
	}
	tfs_dso_free(dso);
	unlink(name);
	tfs_strbuf_release(&sb);
	return rc;
}

static void a_cut_or_damaged_file_is_an_error_and_no_crash(void **state)
{
	static const size_t cuts[] = { 0, 1, 4, 16, 63, 64, 100, 400, 4096, 10000 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_true(open_damaged(cuts[i], SIZE_MAX, 0) < 0);
	for (size_t i = 4; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		open_damaged(cuts[i], SIZE_MAX, 0);
	for (size_t at = 4; at < 64; at++)
		open_damaged(SIZE_MAX, at, 0xff);
}

static void programs_are_found_on_path(void **state)
{
	char *found = NULL, *real = realpath("/bin/sh", NULL);

	(void)state;
	if (!real)
		skip_because("no /bin/sh");
	setenv("PATH", "/no/such/folder:/bin", 1);
	assert_int_equal(tfs_dso_find_program("sh", &found, NULL), 0);
	assert_string_equal(found, real);
	free(found);
	free(real);
	assert_int_equal(tfs_dso_find_program("no-such-program-or-library", &found, NULL), -ENOENT);
}

/* The loader says which libc that is; /usr/lib/.../libc.so is a text where compilers are. */
static void a_library_is_found_by_any_of_its_names(void **state)
{
	static const char *const names[] = { "libc.so.6", "libc.so", "libc", "c" };
	char *want, *found = NULL;
	Dl_info info;

	(void)state;
	if (!dladdr((void *)(uintptr_t)&getpid, &info) || !strstr(info.dli_fname, "libc.so.6"))
		skip_because("the C library is not libc.so.6");
	want = realpath(info.dli_fname, NULL);
	setenv("PATH", "/no/such/folder", 1);
	for (size_t i = 0; want && i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(tfs_dso_find_program(names[i], &found, NULL), 0);
		assert_string_equal(found, want);
		free(found);
	}
	free(want);
}

/*
 * proc_pid_maps(5): of the last column only what begins with '/' is a file. [anon:NAME] is what a
 * process calls its own memory (prctl(2), PR_SET_VMA_ANON_NAME), '/' and all.
 */
static void distinguishes_a_mapped_file_from_named_memory(void **state)
{
	static char maps[] =
		"400000-401000 r-xp 00000000 fe:00 17    /opt/libc.so.6 users/prog\n"
		"10000-11000 rw-p 00000000 00:00 0       [anon:/lib/libc.so.fake]\n"
		"20000-21000 r--p 00000000 fe:00 9       /lib/libc-2.36.so\n"
		"7f0000000000-7f0000026000 r--p 00000000 fe:00 9 /lib/x86_64-linux-gnu/libc.so.6\n"
		"7f0000026000-7f000017c000 r-xp 00026000 fe:00 9 /lib/x86_64-linux-gnu/libc.so.6\n"
		"7f0000200000-7f0000201000 r-xp 00000000 fe:00 8 /tmp/gone.so (deleted)\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
		"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0\n"
		"nonsense/libm.so.6";
	static const struct {
		const char *name;
		uint64_t from, to;
	} all[] = {
		{ "libc.so.6", 0x7f0000000000, 0x7f0000026000 },
		{ "libc.so", 0x7f0000000000, 0x7f0000026000 },
		{ "libc", 0x7f0000000000, 0x7f0000026000 },
		{ "c", 0x7f0000000000, 0x7f0000026000 },
		{ "prog", 0x400000, 0x401000 },
		{ "gone.so", 0x7f0000200000, 0x7f0000201000 },
		{ "libm.so.6", 0, 0 },
		{ "libc.so.fake]", 0, 0 },
		{ "[vsyscall]", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		FILE *f = fmemopen(maps, strlen(maps), "r");
		uint64_t from = 0, to = 0;

		assert_non_null(f);
		assert_int_equal(tfs_dso_pick_mapped(f, all[i].name, &from, &to),
				 all[i].to ? 0 : -ENOENT);
		fclose(f);
		assert_int_equal(from, all[i].from);
		assert_int_equal(to, all[i].to);
	}
}

/* As proc_pid_maps(5) has them; the kernel appends " (deleted)" to what has lost its name. */
static void a_replaced_file_is_the_one_that_is_mapped(void **state)
{
	static const struct {
		const char *maps;
		uint64_t from, to;
	} all[] = {
		{ "10-20 r--p 00000000 08:01 7 /x/up (deleted)\n"
		  "20-30 r-xp 00001000 08:01 7 /x/up (deleted)\n",
		  0x10, 0x20 },
		{ "10-20 r--p 00000000 08:01 7 /x/up\n", 0, 0 },
		/* both */
		{ "10-20 r-xp 00000000 08:01 7 /x/up (deleted)\n"
		  "40-50 r-xp 00000000 08:01 9 /x/up\n",
		  0, 0 },
		{ "10-20 r-xp 00000000 08:01 7 /x/upper (deleted)\n"
		  "20-30 r-xp 00000000 08:01 8 /y/x/up (deleted)\n"
		  "30-40 rw-p 00000000 00:00 0 [anon:/x/up (deleted)]\n",
		  0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		FILE *f = fmemopen((void *)all[i].maps, strlen(all[i].maps), "r");
		uint64_t from = 0, to = 0;

		assert_non_null(f);
		assert_int_equal(tfs_dso_pick_replaced(f, "/x/up", &from, &to),
				 all[i].to ? 0 : -ENOENT);
		fclose(f);
		if (all[i].to) {
			assert_int_equal(from, all[i].from);
			assert_int_equal(to, all[i].to);
		}
	}
}

static void lists_the_paths_tried_without_debug_information(void **state)
{
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso = NULL;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dso_options opt = { .debug = "/no/such/file.debug" };
	char *libc = NULL;

	(void)state;
	if (tfs_dso_find_program("libc.so.6", &libc, NULL) ||
	    tfs_dso_open(libc, &opt, &dso, NULL)) {
		free(libc);
		skip_because("no libc.so.6");
	}
	free(libc);
	dbg = tfs_debuginfo_new(dso);
	assert_non_null(dbg);
	assert_false(tfs_debuginfo_available(dbg));
	assert_int_equal(tfs_debuginfo_missing(dbg, &err), -ENODATA);
	assert_non_null(strstr(err.msg, tfs_dso_build_id(dso)));
	assert_non_null(strstr(err.hint, "/no/such/file.debug"));
	tfs_debuginfo_free(dbg);
	tfs_dso_free(dso);
}

/* The largest section of relocations with all its symbols: its header, NULL without one. */
static const Elf64_Shdr *relocations(const struct tfs_strbuf *sb)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)sb->s;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(sb->s + eh->e_shoff), *found = NULL;

	for (size_t i = 0; i < eh->e_shnum; i++)
		if (sh[i].sh_type == SHT_RELA && (!found || sh[i].sh_size > found->sh_size))
			found = &sh[i];
	return found;
}

/* Its own section headers, at the end and with @more that repeat the one of relocations. */
static void repeat_relocations(struct tfs_strbuf *sb, size_t more)
{
	Elf64_Shdr repeated = *relocations(sb);
	Elf64_Ehdr eh;
	size_t at;

	memcpy(&eh, sb->s, sizeof(eh));
	while (sb->len % 8)
		assert_int_equal(tfs_strbuf_addc(sb, 0), 0);
	at = sb->len;
	for (size_t i = 0; i < eh.e_shnum; i++) {
		Elf64_Shdr sh;

		memcpy(&sh, sb->s + eh.e_shoff + i * sizeof(sh), sizeof(sh));
		assert_int_equal(tfs_strbuf_add(sb, (const char *)&sh, sizeof(sh)), 0);
	}
	for (size_t i = 0; i < more; i++)
		assert_int_equal(tfs_strbuf_add(sb, (const char *)&repeated, sizeof(repeated)), 0);
	eh.e_shoff = at;
	eh.e_shnum = (Elf64_Half)(eh.e_shnum + more);
	memcpy(sb->s, &eh, sizeof(eh));
}

static void headers_that_repeat_relocations_do_not_multiply_them(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dso *dso = *state, *bad = NULL;
	char name[] = "/tmp/test_image.XXXXXX";
	int fd = mkstemp(name);
	size_t most;

	assert_true(fd >= 0);
	assert_int_equal(tfs_read_path(SELF, &sb), 0);
	if (sb.s[EI_CLASS] != ELFCLASS64 || !relocations(&sb)) {
		close(fd);
		unlink(name);
		tfs_strbuf_release(&sb);
		skip_because("not a 64-bit program with relocations");
	}
	tfs_dso_got_named(dso, "");
	assert_true(dso->got.n > 0);
	repeat_relocations(&sb, 10000);
	most = dso->got.n * (sb.len / relocations(&sb)->sh_size + 1);
	assert_true(most < dso->got.n * 10000);
	assert_int_equal(tfs_write_all(fd, sb.s, sb.len), 0);
	close(fd);
	assert_int_equal(tfs_dso_open(name, NULL, &bad, NULL), 0);
	unlink(name);
	tfs_dso_got_named(bad, "");
	assert_in_range(bad->got.n, dso->got.n, most);
	tfs_dso_free(bad);
	tfs_strbuf_release(&sb);
}

static void slots_are_found_by_the_variable_s_name_and_address(void **state)
{
	struct tfs_dso *dso = *state;
	struct tfs_got_slot v[] = {
		{ .slot = 8, .addr = 0, .name = "b" },
		{ .slot = 16, .addr = 0, .name = "d" },
		{ .slot = 24, .addr = 0x100, .size = 0x100, .reach = 0x1ff, .name = "outer" },
		{ .slot = 32, .addr = 0x110, .size = 4, .reach = 0x1ff, .name = "inner" },
		{ .slot = 40, .addr = 0x200, .size = 0, .reach = 0x200, .name = "label" },
	};
	struct tfs_got mine = { .v = v, .n = 5, .cap = 5, .built = true }, own = dso->got;
	static const struct {
		uint64_t addr, slot;
	} at[] = { { 0, 0 },      { 0xff, 0 },   { 0x100, 24 }, { 0x111, 32 },    { 0x114, 24 },
		   { 0x1ff, 24 }, { 0x200, 40 }, { 0x201, 0 },  { UINT64_MAX, 0 } };
	const struct tfs_got_slot *s;

	dso->got = mine;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		s = tfs_dso_got_at(dso, at[i].addr);
		assert_int_equal(s ? s->slot : 0, at[i].slot);
	}
	assert_ptr_equal(tfs_dso_got_named(dso, "b"), &v[0]);
	assert_ptr_equal(tfs_dso_got_named(dso, "d"), &v[1]);
	assert_null(tfs_dso_got_named(dso, "a"));
	assert_null(tfs_dso_got_named(dso, "c"));
	assert_null(tfs_dso_got_named(dso, "outer"));
	dso->got = own;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_program_is_identified, open_self, close_self),
		cmocka_unit_test_setup_teardown(addresses_become_file_offsets_and_back, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(distinguishes_code_from_data, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(finds_no_offset_for_addresses_beyond_the_file,
						open_self, close_self),
		cmocka_unit_test(files_other_than_elf_are_refused_with_a_reason),
		cmocka_unit_test(a_library_is_found_by_any_of_its_names),
		cmocka_unit_test(a_cut_or_damaged_file_is_an_error_and_no_crash),
		cmocka_unit_test_setup_teardown(
			headers_that_repeat_relocations_do_not_multiply_them, open_self,
			close_self),
		cmocka_unit_test_setup_teardown(slots_are_found_by_the_variable_s_name_and_address,
						open_self, close_self),
		cmocka_unit_test(programs_are_found_on_path),
		cmocka_unit_test(distinguishes_a_mapped_file_from_named_memory),
		cmocka_unit_test(a_replaced_file_is_the_one_that_is_mapped),
		cmocka_unit_test(lists_the_paths_tried_without_debug_information),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

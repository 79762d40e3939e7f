/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dso/dso.h"
#include "lib/skip.h"
#include "probe/syscall-sites.h"

#if defined(__x86_64__)

/*
 * Functions that make system calls with numbers that nobody else uses. AT marks the instruction
 * before one.
 */
#define FUNC(name, code)                                                                 \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" code \
		"\nret\n.size " #name ", . - " #name "\n")
#define AT(name) ".globl " #name "\n" #name ":\n"

extern const char at_plain[], at_moved[];

FUNC(plain, AT(at_plain) "mov $1001, %eax\nsyscall");
/* The number is loaded early, and the instruction before loads what is not wanted. */
FUNC(moved, "mov $1002, %eax\nmov %r8, %rdx\n" AT(at_moved) "mov %rcx, %rdi\nsyscall");
FUNC(changed, "mov $1003, %eax\nmov %rcx, %rsi\nsyscall");
FUNC(entered, "test %edi, %edi\njz 1f\nmov $1004, %eax\n1: syscall");
FUNC(joined, "mov $1005, %eax\ntest %edi, %edi\njz 1f\nmov %rcx, %rdi\n1: mov %r8, %rdx\nsyscall");
FUNC(unknown, "mov %edi, %eax\nsyscall");
FUNC(replaced, "mov $1006, %eax\nmov %edi, %eax\nsyscall");
FUNC(after_call, "mov $1007, %eax\ncall plain\nsyscall");
FUNC(not_wanted, "mov $1008, %eax\nsyscall");
FUNC(twice, "mov $1009, %eax\nsyscall\nsyscall");

/* %rsi is wanted of these, DWARF number 4 */
static uint32_t wants_rsi(void *ctx, uint32_t number)
{
	(void)ctx;
	return number > 1000 && number < 1010 && number != 1008 ? 1u << 4 : 0;
}

static void only_sites_that_show_the_call_are_found(void **state)
{
	struct tfs_syscall_site *sites = NULL;
	struct tfs_dso *dso = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(tfs_dso_open("/proc/self/exe", NULL, &dso, NULL), 0);
	assert_int_equal(tfs_syscall_sites(dso, wants_rsi, NULL, &sites, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(sites[0].number, 1001);
	assert_int_equal(sites[1].number, 1002);
	assert_int_equal(sites[2].number, 1009);
	assert_int_equal(sites[1].addr - sites[0].addr, at_moved - at_plain);
	free(sites);
	tfs_dso_free(dso);
}

#else

static void only_sites_that_show_the_call_are_found(void **state)
{
	(void)state;
	skip_because("the sites of x86-64 only are found");
}

#endif

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_sites_that_show_the_call_are_found),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("syscall_sites", tests, NULL, NULL);
}

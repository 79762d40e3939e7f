/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dso/arch/machine.h"
#include "insn/go-entry.h"

/*
 * The forms of Go's compiler and linker (stacksplit() in cmd/internal/obj/x86/obj6.go and
 * arm64/obj7.go), assembled by GNU as and LLVM; beside the bytes is what objdump makes of them.
 */

#define CODE_MAX 128
#define UNKNOWN (-EILSEQ)

/* @want: bytes before the place after the check; UNKNOWN */
static const struct form {
	unsigned int elf;
	uint64_t addr;
	uint64_t morestack;
	int want;
	const char *hex;
} forms[] = {
	/* clang-format off */
	/* the frame is small */
	{ EM_X86_64, 0x0, 0x169, 6,
	  "493b6610 " /* cmp 0x10(%r14),%rsp */
	  "7609 " /* jbe f */
	  "4883ec60 " /* sub $0x60,%rsp */
	  "4883c460 " /* add $0x60,%rsp */
	  "c3 " /* ret */
	  "4889442408 " /* mov %rax,0x8(%rsp) */
	  "e850010000 " /* call 169 */
	  "488b442408 " /* mov 0x8(%rsp),%rax */
	  "ebe0" }, /* jmp 0 */
	/* larger than what is kept free */
	{ EM_X86_64, 0x20, 0x169, 14,
	  "4c8da42450fcffff " /* lea -0x3b0(%rsp),%r12 */
	  "4d3b6610 " /* cmp 0x10(%r14),%r12 */
	  "760f " /* jbe 3d */
	  "4881ec30040000 " /* sub $0x430,%rsp */
	  "4881c430040000 " /* add $0x430,%rsp */
	  "c3 " /* ret */
	  "e827010000 " /* call 169 */
	  "ebdc" }, /* jmp 20 */
	/* so large that the subtraction may wrap */
	{ EM_X86_64, 0x44, 0x169, 18,
	  "4989e4 " /* mov %rsp,%r12 */
	  "4981ec10110100 " /* sub $0x11110,%r12 */
	  "7215 " /* jb 65 */
	  "4d3b6610 " /* cmp 0x10(%r14),%r12 */
	  "760f " /* jbe 65 */
	  "4881ec90110100 " /* sub $0x11190,%rsp */
	  "4881c490110100 " /* add $0x11190,%rsp */
	  "c3 " /* ret */
	  "e8ff000000 " /* call 169 */
	  "ebd8" }, /* jmp 44 */
	/* Go 1.16, and assembly: arguments on the stack */
	{ EM_X86_64, 0x6c, 0x169, 15,
	  "64488b0c25f8ffffff " /* mov %fs:0xfffffffffffffff8,%rcx */
	  "483b6110 " /* cmp 0x10(%rcx),%rsp */
	  "7609 " /* jbe 84 */
	  "4883ec18 " /* sub $0x18,%rsp */
	  "4883c418 " /* add $0x18,%rsp */
	  "c3 " /* ret */
	  "e8e0000000 " /* call 169 */
	  "ebe1" }, /* jmp 6c */
	/* the same, large */
	{ EM_X86_64, 0x8b, 0x169, 41,
	  "64488b0c25f8ffffff " /* mov %fs:0xfffffffffffffff8,%rcx */
	  "488b7110 " /* mov 0x10(%rcx),%rsi */
	  "4881fedefaffff " /* cmp $0xfffffffffffffade,%rsi */
	  "7422 " /* je c3 */
	  "488d842470030000 " /* lea 0x370(%rsp),%rax */
	  "4829f0 " /* sub %rsi,%rax */
	  "483d30140100 " /* cmp $0x11430,%rax */
	  "760f " /* jbe c3 */
	  "4881ec90110100 " /* sub $0x11190,%rsp */
	  "4881c490110100 " /* add $0x11190,%rsp */
	  "c3 " /* ret */
	  "e8a1000000 " /* call 169 */
	  "ebc1" }, /* jmp 8b */
	/* Go 1.17, assembly */
	{ EM_X86_64, 0xca, 0x169, 20,
	  "644c8b3425f8ffffff " /* mov %fs:0xfffffffffffffff8,%r14 */
	  "4c8d6424f8 " /* lea -0x8(%rsp),%r12 */
	  "4d3b6610 " /* cmp 0x10(%r14),%r12 */
	  "760f " /* jbe ed */
	  "4881ec88000000 " /* sub $0x88,%rsp */
	  "4881c488000000 " /* add $0x88,%rsp */
	  "c3 " /* ret */
	  "e877000000 " /* call 169 */
	  "ebd6" }, /* jmp ca */
	/* no check */
	{ EM_X86_64, 0xf4, 0x169, 0,
	  "4889d8 " /* mov %rbx,%rax */
	  "c3" }, /* ret */
	/* it changes an argument */
	{ EM_X86_64, 0xf8, 0x169, UNKNOWN,
	  "488d842450fcffff " /* lea -0x3b0(%rsp),%rax */
	  "493b4610 " /* cmp 0x10(%r14),%rax */
	  "7608 " /* jbe 10e */
	  "4881ec30040000 " /* sub $0x430,%rsp */
	  "c3 " /* ret */
	  "e856000000 " /* call 169 */
	  "ebe3" }, /* jmp f8 */
	/* the stack moves between two checks */
	{ EM_X86_64, 0x115, 0x169, UNKNOWN,
	  "4989e4 " /* mov %rsp,%r12 */
	  "4981ec10110100 " /* sub $0x11110,%r12 */
	  "7208 " /* jb 129 */
	  "53 " /* push %rbx */
	  "4d3b6610 " /* cmp 0x10(%r14),%r12 */
	  "7601 " /* jbe 129 */
	  "c3 " /* ret */
	  "e83b000000 " /* call 169 */
	  "ebe5" }, /* jmp 115 */
	/* it does not begin again at its first instruction */
	{ EM_X86_64, 0x130, 0x169, 0,
	  "e833000000 " /* call 168 */
	  "493b6610 " /* cmp 0x10(%r14),%rsp */
	  "7601 " /* jbe 13c */
	  "c3 " /* ret */
	  "e828000000 " /* call 169 */
	  "ebf2" }, /* jmp 135 */
	/* what leads to morestack does something else first */
	{ EM_X86_64, 0x143, 0x169, UNKNOWN,
	  "4883f803 " /* cmp $0x3,%rax */
	  "7301 " /* jae 14a */
	  "c3 " /* ret */
	  "e819000000 " /* call 168 */
	  "e815000000 " /* call 169 */
	  "ebed" }, /* jmp 143 */
	/* it writes to memory */
	{ EM_X86_64, 0x156, 0x169, UNKNOWN,
	  "49896618 " /* mov %rsp,0x18(%r14) */
	  "493b6610 " /* cmp 0x10(%r14),%rsp */
	  "7601 " /* jbe 161 */
	  "c3 " /* ret */
	  "e803000000 " /* call 169 */
	  "ebee" }, /* jmp 156 */
	/* the frame is small */
	{ EM_AARCH64, 0x0, 0xb8, 12,
	  "900b40f9 " /* ldr x16, [x28, #16] */
	  "ff6330eb " /* cmp sp, x16 */
	  "69000054 " /* b.ls 0x14 */
	  "fe0f19f8 " /* str x30, [sp, #-112]! */
	  "c0035fd6 " /* ret */
	  "e00700f9 " /* str x0, [sp, #8] */
	  "e3031eaa " /* mov x3, x30 */
	  "27000094 " /* bl 0xb8 */
	  "e00740f9 " /* ldr x0, [sp, #8] */
	  "f7ffff17" }, /* b 0x0 */
	/* larger */
	{ EM_AARCH64, 0x28, 0xb8, 16,
	  "900b40f9 " /* ldr x16, [x28, #16] */
	  "f1030fd1 " /* sub x17, sp, #960 */
	  "3f0210eb " /* cmp x17, x16 */
	  "69000054 " /* b.ls 0x40 */
	  "f40311d1 " /* sub x20, sp, #1088 */
	  "c0035fd6 " /* ret */
	  "e3031eaa " /* mov x3, x30 */
	  "1d000094 " /* bl 0xb8 */
	  "f8ffff17" }, /* b 0x28 */
	/* so large that the subtraction may wrap */
	{ EM_AARCH64, 0x4c, 0xb8, 28,
	  "900b40f9 " /* ldr x16, [x28, #16] */
	  "1b2482d2 " /* mov x27, #4384 */
	  "3b00a0f2 " /* movk x27, #1, lsl #16 */
	  "f1633beb " /* subs x17, sp, x27 */
	  "a3000054 " /* b.lo 0x70 */
	  "3f0210eb " /* cmp x17, x16 */
	  "69000054 " /* b.ls 0x70 */
	  "f48306d1 " /* sub x20, sp, #416 */
	  "c0035fd6 " /* ret */
	  "e3031eaa " /* mov x3, x30 */
	  "11000094 " /* bl 0xb8 */
	  "f5ffff17" }, /* b 0x4c */
	/* the stack pointer is moved */
	{ EM_AARCH64, 0x7c, 0xb8, UNKNOWN,
	  "900b40f9 " /* ldr x16, [x28, #16] */
	  "ff030fd1 " /* sub sp, sp, #960 */
	  "ff6330eb " /* cmp sp, x16 */
	  "49000054 " /* b.ls 0x90 */
	  "c0035fd6 " /* ret */
	  "0a000094 " /* bl 0xb8 */
	  "faffff17" }, /* b 0x7c */
	/* it changes an argument */
	{ EM_AARCH64, 0x98, 0xb8, UNKNOWN,
	  "800b40f9 " /* ldr x0, [x28, #16] */
	  "ff6320eb " /* cmp sp, x0 */
	  "49000054 " /* b.ls 0xa8 */
	  "c0035fd6 " /* ret */
	  "04000094 " /* bl 0xb8 */
	  "fbffff17" }, /* b 0x98 */
	/* no check */
	{ EM_AARCH64, 0xb0, 0xb8, 0,
	  "0000018b " /* add x0, x0, x1 */
	  "c0035fd6" }, /* ret */
	/* all arguments are on the stack */
	{ EM_386, 0x0, 0x1a, 15,
	  "658b0d00000000 " /* mov %gs:0x0,%ecx */
	  "8b49fc " /* mov -0x4(%ecx),%ecx */
	  "3b6108 " /* cmp 0x8(%ecx),%esp */
	  "7604 " /* jbe 13 */
	  "83ec1c " /* sub $0x1c,%esp */
	  "c3 " /* ret */
	  "e802000000 " /* call 1a */
	  "ebe6" }, /* jmp 0 */
	/* clang-format on */
};

static const struct tfs_machine *machine(unsigned int elf)
{
	return tfs_machine_find(elf, elf == EM_386 || elf == EM_ARM ? 32 : 64, false);
}

static size_t bytes_of(const char *hex, uint8_t *code)
{
	unsigned int byte;
	size_t n = 0;
	int used;

	while (sscanf(hex, "%2x%n", &byte, &used) == 1) {
		assert_true(n < CODE_MAX);
		code[n++] = (uint8_t)byte;
		hex += used;
	}
	return n;
}

static bool is_morestack(void *ctx, uint64_t callee)
{
	return *(const uint64_t *)ctx == callee;
}

static bool is_nothing(void *ctx, uint64_t callee)
{
	(void)ctx;
	(void)callee;
	return false;
}

static struct tfs_go_code code_of(const struct form *form, const uint8_t *code, size_t n)
{
	return (struct tfs_go_code){ .machine = machine(form->elf),
				     .code = code,
				     .n = n,
				     .addr = form->addr,
				     .is_morestack = is_morestack,
				     .ctx = (void *)(uintptr_t)&form->morestack };
}

static void the_place_is_after_the_check(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *form = &forms[i];
		uint8_t bytes[CODE_MAX];
		struct tfs_go_code code = code_of(form, bytes, bytes_of(form->hex, bytes));
		uint64_t after = 1, by = form->want > 0 ? (uint64_t)form->want : 0;
		int rc = tfs_go_stack_check(&code, &after);

		if (rc != (form->want < 0 ? form->want : 0) || after != form->addr + by)
			fail_msg("form %zu at 0x%llx: %d, +%lld", i, (unsigned long long)form->addr,
				 rc, (long long)(after - form->addr));
	}
}

static void without_morestack_nothing_begins_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint8_t bytes[CODE_MAX];
		struct tfs_go_code code = code_of(&forms[i], bytes, bytes_of(forms[i].hex, bytes));
		uint64_t after = 1;

		code.is_morestack = is_nothing;
		assert_int_equal(tfs_go_stack_check(&code, &after), 0);
		assert_int_equal(after, forms[i].addr);
	}
}

/* Code that ends anywhere: what is after it is not read, and the place is in it. */
static void cut_code_has_no_place_outside(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint8_t bytes[CODE_MAX];
		size_t all = bytes_of(forms[i].hex, bytes);

		for (size_t n = 1; n < all; n++) {
			uint8_t *cut = malloc(n);
			struct tfs_go_code code = code_of(&forms[i], cut, n);
			uint64_t after = 1;

			assert_non_null(cut);
			memcpy(cut, bytes, n);
			tfs_go_stack_check(&code, &after);
			assert_in_range(after, forms[i].addr, forms[i].addr + n - 1);
			free(cut);
		}
	}
}

static void a_machine_without_a_decoder_is_said(void **state)
{
	static const uint8_t bytes[8] = { 0x08, 0x10, 0x9a, 0xe5, 0x01, 0x00, 0x5d, 0xe1 };
	struct tfs_go_code code = { .machine = machine(EM_ARM),
				    .code = bytes,
				    .n = sizeof(bytes),
				    .addr = 0x1000,
				    .is_morestack = is_nothing };
	uint64_t after = 1;

	(void)state;
	assert_int_equal(tfs_go_stack_check(&code, &after), -EOPNOTSUPP);
	assert_int_equal(after, 0x1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_place_is_after_the_check),
		cmocka_unit_test(without_morestack_nothing_begins_again),
		cmocka_unit_test(cut_code_has_no_place_outside),
		cmocka_unit_test(a_machine_without_a_decoder_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

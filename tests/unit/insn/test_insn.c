/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dso/arch/machine.h"
#include "insn/insn.h"

/* Encodings are put together by hand from the processors' manuals. */

#define ADDR 0x401000

static const struct tfs_machine *machine(unsigned int elf)
{
	bool wide = elf != EM_386 && elf != EM_ARM;

	return tfs_machine_find(elf, wide ? 64 : 32, elf == EM_S390);
}

static size_t bytes_of(const char *hex, uint8_t *code)
{
	unsigned int byte;
	size_t n = 0;
	int used;

	while (sscanf(hex, "%2x%n", &byte, &used) == 1) {
		code[n++] = (uint8_t)byte;
		hex += used;
	}
	return n;
}

static int decode(unsigned int elf, const char *hex, struct tfs_insn *insn)
{
	uint8_t code[32];
	size_t n = bytes_of(hex, code);

	memset(insn, 0, sizeof(*insn));
	return tfs_insn_decode(machine(elf), code, n, ADDR, insn);
}

static void lengths_are_the_manuals(void **state)
{
	/* each is followed by five bytes of the next one */
	static const struct {
		unsigned int elf;
		const char *hex;
		unsigned int len;
	} want[] = {
		{ EM_X86_64, "90", 1 },                    /* nop */
		{ EM_X86_64, "f30f1efa", 4 },              /* endbr64 */
		{ EM_X86_64, "4889e5", 3 },                /* mov %rsp,%rbp */
		{ EM_X86_64, "48b81122334455667788", 10 }, /* movabs */
		{ EM_X86_64, "66b81122", 4 },              /* mov $0x2211,%ax */
		{ EM_X86_64, "48c7c011223344", 7 },        /* mov $..,%rax */
		{ EM_X86_64, "66c744240811 22", 7 },       /* movw $..,8(%rsp) */
		{ EM_X86_64, "a11122334455667788", 9 },    /* mov of an absolute address */
		{ EM_386, "a111223344", 5 },               /* the same of 32 bits */
		{ EM_X86_64, "67a111223344", 6 },          /* with a short address */
		{ EM_X86_64, "c8112200", 4 },              /* enter */
		{ EM_X86_64, "8b0425 11223344", 7 },       /* mov 0x44332211,%eax */
		{ EM_X86_64, "8b05 11223344", 6 },         /* mov rip-relative */
		{ EM_X86_64, "8b84c8 11223344", 7 },       /* mov with SIB and 32 bits */
		{ EM_X86_64, "f6c101", 3 },                /* test $1,%cl */
		{ EM_X86_64, "f6d9", 2 },                  /* neg %cl: no constant */
		{ EM_X86_64, "f7c111223344", 6 },          /* test $..,%ecx */
		{ EM_X86_64, "66f7c11122", 5 },            /* test $..,%cx */
		{ EM_X86_64, "0fc6c811", 4 },              /* shufps */
		{ EM_X86_64, "660f3a0fc811", 6 },          /* palignr */
		{ EM_X86_64, "660f3800c8", 5 },            /* pshufb */
		{ EM_X86_64, "c5f877", 3 },                /* vzeroupper */
		{ EM_X86_64, "c5fa7e4424f8", 6 },          /* vmovq */
		{ EM_X86_64, "c4e37d39c101", 6 },          /* vextracti128 */
		{ EM_X86_64, "62f1fe486f4424 01", 8 },     /* vmovdqu64 zmm */
		{ EM_386, "c5442408", 4 },                 /* lds 8(%esp),%eax */
		{ EM_386, "62442408", 4 },                 /* bound */
		{ EM_386, "678b4612", 4 },                 /* mov 18(%bp),%eax */
		{ EM_386, "678b061122", 5 },               /* mov 0x2211,%eax */
		{ EM_386, "40", 1 },                       /* inc %eax */
		{ EM_X86_64, "e811223344", 5 },            /* call */
		{ EM_X86_64, "66e811223344", 6 },          /* call, as Intel has it */
		{ EM_386, "66e81122", 4 },                 /* callw */
		{ EM_X86_64, "662e0f1f840000000000", 10 }, /* a long nop */
		{ EM_AARCH64, "c0035fd6", 4 },             /* ret */
		{ EM_RISCV, "8280", 2 },                   /* c.jr ra */
		{ EM_RISCV, "67800000", 4 },               /* jalr x0, ra */
		{ EM_S390, "07fe", 2 },                    /* br %r14 */
		{ EM_S390, "a7f40010", 4 },                /* j */
		{ EM_S390, "c0e500000010", 6 },            /* brasl */
		{ EM_PPC64, "2000804e", 4 },               /* blr */
		{ EM_PPC64, "0000100400006038", 8 },       /* pli: prefixed */
	};
	struct tfs_insn insn;
	char hex[80];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		snprintf(hex, sizeof(hex), "%s0102030405", want[i].hex);
		assert_int_equal(decode(want[i].elf, hex, &insn), 0);
		if (insn.len != want[i].len)
			fail_msg("%s: %u", want[i].hex, insn.len);
	}
}

static void reports_where_control_goes(void **state)
{
	static const struct {
		unsigned int elf;
		const char *hex;
		enum tfs_insn_kind kind;
		int64_t by; /* 0: no target */
	} want[] = {
		{ EM_X86_64, "c3", TFS_INSN_RET, 0 },
		{ EM_X86_64, "f3c3", TFS_INSN_RET, 0 },
		{ EM_X86_64, "c21000", TFS_INSN_RET, 0 },
		{ EM_X86_64, "e8fbffffff", TFS_INSN_CALL, 0 },
		{ EM_X86_64, "e810000000", TFS_INSN_CALL, 0x15 },
		{ EM_X86_64, "ffd0", TFS_INSN_CALL, 0 },
		{ EM_X86_64, "eb10", TFS_INSN_JUMP, 0x12 },
		{ EM_X86_64, "e9f0ffffff", TFS_INSN_JUMP, -0xb },
		{ EM_X86_64, "ffe0", TFS_INSN_JUMP, 0 },
		{ EM_X86_64, "74f0", TFS_INSN_BRANCH, -0xe },
		{ EM_X86_64, "0f8410000000", TFS_INSN_BRANCH, 0x16 },
		{ EM_X86_64, "e3f0", TFS_INSN_BRANCH, -0xe },
		{ EM_X86_64, "0f0b", TFS_INSN_STOP, 0 },
		{ EM_X86_64, "f4", TFS_INSN_STOP, 0 },
		{ EM_X86_64, "cc", TFS_INSN_OTHER, 0 },
		{ EM_X86_64, "0f05", TFS_INSN_OTHER, 0 },
		{ EM_AARCH64, "c0035fd6", TFS_INSN_RET, 0 },
		{ EM_AARCH64, "ff0b5fd6", TFS_INSN_RET, 0 },   /* retaa */
		{ EM_AARCH64, "04000094", TFS_INSN_CALL, 16 }, /* bl */
		{ EM_AARCH64, "00003fd6", TFS_INSN_CALL, 0 },  /* blr */
		{ EM_AARCH64, "ffffff17", TFS_INSN_JUMP, -4 },
		{ EM_AARCH64, "00001fd6", TFS_INSN_JUMP, 0 },
		{ EM_AARCH64, "41000054", TFS_INSN_BRANCH, 8 },
		{ EM_AARCH64, "400000b4", TFS_INSN_BRANCH, 8 },
		{ EM_AARCH64, "40000036", TFS_INSN_BRANCH, 8 },
		{ EM_AARCH64, "00003dd4", TFS_INSN_STOP, 0 }, /* brk */
		{ EM_AARCH64, "1f2003d5", TFS_INSN_OTHER, 0 },
		{ EM_RISCV, "8280", TFS_INSN_RET, 0 },
		{ EM_RISCV, "67800000", TFS_INSN_RET, 0 },
		{ EM_RISCV, "ef000001", TFS_INSN_CALL, 16 },
		{ EM_RISCV, "6f000001", TFS_INSN_JUMP, 16 },
		{ EM_RISCV, "01a8", TFS_INSN_JUMP, 16 },       /* c.j */
		{ EM_RISCV, "09c1", TFS_INSN_BRANCH, 2 },      /* c.beqz */
		{ EM_RISCV, "63080500", TFS_INSN_BRANCH, 16 }, /* beqz */
		{ EM_RISCV, "0294", TFS_INSN_CALL, 0 },        /* c.jalr s0 */
		{ EM_RISCV, "2e85", TFS_INSN_OTHER, 0 },       /* c.mv */
		{ EM_S390, "07fe", TFS_INSN_RET, 0 },
		{ EM_S390, "07f1", TFS_INSN_JUMP, 0 },
		{ EM_S390, "0700", TFS_INSN_OTHER, 0 },
		{ EM_S390, "0de1", TFS_INSN_CALL, 0 },
		{ EM_S390, "c0e500000010", TFS_INSN_CALL, 32 },
		{ EM_S390, "a7f4fff0", TFS_INSN_JUMP, -32 },
		{ EM_S390, "a7840010", TFS_INSN_BRANCH, 32 },
		{ EM_S390, "ec1200108064", TFS_INSN_BRANCH, 32 },
		{ EM_PPC64, "2000804e", TFS_INSN_RET, 0 },
		{ EM_PPC64, "2000824d", TFS_INSN_BRANCH, 0 }, /* beqlr */
		{ EM_PPC64, "2004804e", TFS_INSN_JUMP, 0 },   /* bctr */
		{ EM_PPC64, "2104804e", TFS_INSN_CALL, 0 },   /* bctrl */
		{ EM_PPC64, "11000048", TFS_INSN_CALL, 16 },
		{ EM_PPC64, "10000048", TFS_INSN_JUMP, 16 },
		{ EM_PPC64, "10008241", TFS_INSN_BRANCH, 16 },
		{ EM_PPC64, "0800e07f", TFS_INSN_STOP, 0 },
	};
	struct tfs_insn insn;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(decode(want[i].elf, want[i].hex, &insn), 0);
		if (insn.kind != want[i].kind)
			fail_msg("%s: kind %d", want[i].hex, insn.kind);
		if (want[i].by && (!insn.has_target || insn.target != ADDR + (uint64_t)want[i].by))
			fail_msg("%s: target %llx", want[i].hex, (unsigned long long)insn.target);
		if (insn.kind == TFS_INSN_OTHER)
			assert_false(insn.has_target);
	}
}

/* DWARF numbers of amd64 */
enum { AX, DX, CX, BX, SI, DI, BP, SP, R8 };

static void memory_operands_are_taken_apart(void **state)
{
	static const struct {
		const char *hex;
		int base, index;
		unsigned int scale;
		int64_t disp;
		unsigned int width, access;
	} want[] = {
		{ "89442408", SP, -1, 1, 8, 4, TFS_INSN_WRITES },   /* mov %eax,8(%rsp) */
		{ "4c8945f8", BP, -1, 0, -8, 8, TFS_INSN_WRITES },  /* mov %r8,-8(%rbp) */
		{ "6689442408", SP, -1, 1, 8, 2, TFS_INSN_WRITES }, /* mov %ax,8(%rsp) */
		{ "c644240801", SP, -1, 1, 8, 1, TFS_INSN_WRITES }, /* movb $1,8(%rsp) */
		{ "48c744240801000000", SP, -1, 1, 8, 8, TFS_INSN_WRITES },
		{ "0f29442410", SP, -1, 1, 16, 16, TFS_INSN_WRITES },       /* movaps */
		{ "f30f11442410", SP, -1, 1, 16, 4, TFS_INSN_WRITES },      /* movss */
		{ "f20f11442410", SP, -1, 1, 16, 8, TFS_INSN_WRITES },      /* movsd */
		{ "0f17442410", SP, -1, 1, 16, 8, TFS_INSN_WRITES },        /* movhps */
		{ "660fd6442410", SP, -1, 1, 16, 8, TFS_INSN_WRITES },      /* movq */
		{ "660f7e442410", SP, -1, 1, 16, 4, TFS_INSN_WRITES },      /* movd */
		{ "c5fe7f442420", SP, -1, 1, 32, 32, TFS_INSN_WRITES },     /* vmovdqu ymm */
		{ "62f1fe487f442401", SP, -1, 1, 64, 64, TFS_INSN_WRITES }, /* and of zmm */
		{ "62f1fe497f442401", SP, -1, 1, 64, 0, TFS_INSN_WRITES },  /* some of it */
		{ "0f28442410", SP, -1, 1, 16, 16, TFS_INSN_READS },
		{ "488d442408", SP, -1, 1, 8, 0, TFS_INSN_ADDRESS },
		{ "890c87", DI, AX, 4, 0, 4, TFS_INSN_WRITES }, /* mov %ecx,(%rdi,%rax,4) */
		{ "42890c87", DI, R8, 4, 0, 4, TFS_INSN_WRITES },
		{ "0f94442408", SP, -1, 1, 8, 1, TFS_INSN_WRITES }, /* sete */
		{ "83442408 01", SP, -1, 1, 8, 4, TFS_INSN_READS | TFS_INSN_WRITES },
		{ "837c240801", SP, -1, 1, 8, 4, TFS_INSN_READS }, /* cmpl */
		{ "dd5c2408", SP, -1, 1, 8, 8, TFS_INSN_WRITES },  /* fstpl */
		{ "dd442408", SP, -1, 1, 8, 10, TFS_INSN_READS },  /* fldl: at most so many */
		{ "f348ab", DI, -1, 0, 0, 0, TFS_INSN_WRITES },    /* rep stos */
		{ "f348a5", DI, -1, 0, 0, 0, TFS_INSN_WRITES },    /* rep movs */
		{ "640fb6042510000000", -1, -1, 0, 0, 0, TFS_INSN_READS }, /* of a thread */
	};
	struct tfs_insn insn;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(decode(EM_X86_64, want[i].hex, &insn), 0);
		assert_true(insn.effects);
		if (insn.mem.base != want[i].base || insn.mem.index != want[i].index ||
		    insn.mem.access != want[i].access)
			fail_msg("%s: %d %d %u", want[i].hex, insn.mem.base, insn.mem.index,
				 insn.mem.access);
		if (want[i].base < 0)
			continue;
		assert_int_equal(insn.mem.disp, want[i].disp);
		assert_int_equal(insn.mem.width, want[i].width);
		if (want[i].index >= 0)
			assert_int_equal(insn.mem.scale, want[i].scale);
	}
}

static void an_address_relative_to_the_instruction_is_absolute(void **state)
{
	struct tfs_insn insn;

	(void)state;
	assert_int_equal(decode(EM_X86_64, "890510000000", &insn), 0);
	assert_true(insn.mem.absolute);
	assert_int_equal(insn.mem.disp, ADDR + 6 + 0x10);
	/* with a SIB byte it is the address itself */
	assert_int_equal(decode(EM_X86_64, "89042510000000", &insn), 0);
	assert_true(insn.mem.absolute);
	assert_int_equal(insn.mem.disp, 0x10);
}

static void reports_registers_that_change(void **state)
{
	static const struct {
		const char *hex;
		uint32_t changes;
	} want[] = {
		{ "f30f1efa", 0 },                                 /* endbr64 */
		{ "4889e5", 1 << BP },                             /* mov %rsp,%rbp */
		{ "488b6c2408", 1 << BP },                         /* mov 8(%rsp),%rbp */
		{ "48896c2408", 0 },                               /* mov %rbp,8(%rsp) */
		{ "55", 1 << SP },                                 /* push %rbp */
		{ "5d", 1 << SP | 1 << BP },                       /* pop %rbp */
		{ "4883ec10", 1 << SP },                           /* sub $16,%rsp */
		{ "4883fc10", 0 },                                 /* cmp $16,%rsp */
		{ "c9", 1 << SP | 1 << BP },                       /* leave */
		{ "4885ff", 0 },                                   /* test %rdi,%rdi */
		{ "4887fe", 1 << SI | 1 << DI },                   /* xchg %rdi,%rsi */
		{ "48f7e7", 1 << AX | 1 << DX },                   /* mul %rdi */
		{ "480fafc7", 1 << AX },                           /* imul %rdi,%rax */
		{ "0f28ec", 0 },                                   /* movaps %xmm4,%xmm5 */
		{ "480f44fe", 1 << DI },                           /* cmove %rsi,%rdi */
		{ "f348a5", 1 << SI | 1 << DI | 1 << CX },         /* rep movs */
		{ "0fa2", 1 << AX | 1 << BX | 1 << CX | 1 << DX }, /* cpuid */
		{ "490fc8", 1 << R8 },                             /* bswap %r8 */
		{ "bf01000000", 1 << DI },                         /* mov $1,%edi */
		{ "40b701", 1 << DI },                             /* mov $1,%dil */
		{ "488d7e01", 1 << DI },                           /* lea 1(%rsi),%rdi */
	};
	struct tfs_insn insn;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(decode(EM_X86_64, want[i].hex, &insn), 0);
		if (insn.changes != want[i].changes)
			fail_msg("%s: %x", want[i].hex, insn.changes);
	}
	/* mov $1,%bh, in the numbers of i386 */
	assert_int_equal(decode(EM_386, "b701", &insn), 0);
	assert_true(insn.changes & 1 << 3);
}

static void invalid_instructions_are_refused(void **state)
{
	struct tfs_insn insn;

	(void)state;
	assert_int_equal(decode(EM_X86_64, "06", &insn), -EILSEQ);       /* push %es */
	assert_int_equal(decode(EM_X86_64, "0f04", &insn), -EILSEQ);     /* not assigned */
	assert_int_equal(decode(EM_X86_64, "8dc0", &insn), -EILSEQ);     /* lea of a register */
	assert_int_equal(decode(EM_X86_64, "48c5f877", &insn), -EILSEQ); /* REX before VEX */
	assert_int_equal(decode(EM_X86_64, "d5b800", &insn), -EILSEQ);
	assert_int_equal(decode(EM_X86_64, "66666666666666666666666666666690", &insn), -EILSEQ);
	assert_int_equal(decode(EM_386, "06", &insn), 0);
	assert_int_equal(decode(EM_RISCV, "1f000000", &insn), -EILSEQ); /* 48 bits and more */
	assert_int_equal(decode(EM_ARM, "1eff2fe1", &insn), -EOPNOTSUPP);
}

/* As a 6.18 kernel answered when each was to be probed in a running process. */
static void reports_instructions_that_the_kernel_does_not_probe(void **state)
{
	static const char *const refused[] = { "f0ff0500000000",
					       "2e90",
					       "3effe0",
					       "662e0f1f840000000000",
					       "f4",
					       "cc",
					       "66e800000000",
					       "660f8400000000",
					       "62f1fe486f442401",
					       "cd80" };
	static const char *const taken[] = { "90",         "f390",           "f3aa",
					     "c5f877",     "f2ff2500000000", "f30f1efa",
					     "e800000000", "0f8400000000",   "ffd0",
					     "c3" };
	struct tfs_insn insn;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(decode(EM_X86_64, refused[i], &insn), 0);
		assert_true(insn.no_uprobe);
	}
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		assert_int_equal(decode(EM_X86_64, taken[i], &insn), 0);
		assert_false(insn.no_uprobe);
	}
}

/* By the processors' manuals; objdump names them so too. */
static void system_calls_are_known_and_never_probed(void **state)
{
	static const struct {
		unsigned int elf;
		const char *hex;
		bool is;
	} want[] = {
		{ EM_X86_64, "0f05", true },         /* syscall */
		{ EM_X86_64, "480f05", true },       /* rex.W syscall */
		{ EM_X86_64, "0f34", true },         /* sysenter */
		{ EM_X86_64, "cd80", true },         /* int $0x80 */
		{ EM_X86_64, "cd03", false },        /* int $0x3 */
		{ EM_X86_64, "0f0b", false },        /* ud2 */
		{ EM_X86_64, "b83b000000", false },  /* mov $0x3b,%eax */
		{ EM_386, "cd80", true },            /* int $0x80 */
		{ EM_386, "0f34", true },            /* sysenter */
		{ EM_386, "65ff1510000000", false }, /* call *%gs:0x10 */
		{ EM_AARCH64, "010000d4", true },    /* svc #0 */
		{ EM_AARCH64, "e1ff1fd4", true },    /* svc #0xffff */
		{ EM_AARCH64, "020000d4", false },   /* hvc #0 */
		{ EM_AARCH64, "c81b80d2", false },   /* mov x8, #0xde */
		{ EM_ARM, "000000ef", true },        /* svc 0 */
		{ EM_ARM, "0b00900f", true },        /* svceq 0x90000b */
		{ EM_ARM, "0b7081e2", false },       /* add r7, r1, #11 */
		{ EM_RISCV, "73000000", true },      /* ecall */
		{ EM_RISCV, "73001000", false },     /* ebreak */
		{ EM_S390, "0a0b", true },           /* svc 11 */
		{ EM_S390, "0a00", true },           /* svc 0: the number is in a register */
		{ EM_S390, "07fe", false },          /* br %r14 */
		{ EM_PPC64, "02000044", true },      /* sc */
		{ EM_PPC64, "01000044", true },      /* scv 0 */
		{ EM_PPC64, "2000804e", false },     /* blr */
	};
	struct tfs_insn insn;
	uint8_t code[32];

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		size_t n = bytes_of(want[i].hex, code);

		assert_int_equal(tfs_insn_is_syscall(machine(want[i].elf), code, n), want[i].is);
		assert_false(tfs_insn_is_syscall(machine(want[i].elf), code, n - 1));
		if (want[i].elf == EM_ARM)
			continue;
		assert_int_equal(decode(want[i].elf, want[i].hex, &insn), 0);
		assert_int_equal(insn.syscall, want[i].is);
		if (want[i].is)
			assert_true(insn.no_uprobe);
	}
}

/* A truncated instruction is an error, and nothing after the end is read. */
static void too_few_bytes_are_not_an_instruction(void **state)
{
	static const char *const hex[] = { "62f1fe487f442401", "48b81122334455667788",
					   "0f8410000000",     "c4e37d39c101",
					   "66c7442408 1122",  "c8112200" };
	struct tfs_insn insn;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(hex) / sizeof(hex[0]); i++) {
		uint8_t code[32];
		size_t n = bytes_of(hex[i], code);

		for (k = 0; k < n; k++)
			assert_int_equal(tfs_insn_decode(machine(EM_X86_64), code, k, ADDR, &insn),
					 -ENODATA);
		assert_int_equal(tfs_insn_decode(machine(EM_X86_64), code, n, ADDR, &insn), 0);
		assert_int_equal(insn.len, n);
	}
}

static void distinguishes_moves_from_computation(void **state)
{
	static const struct {
		const char *hex;
		bool moves;
	} want[] = {
		{ "4889fb", true },              /* mov %rdi,%rbx */
		{ "4489d0", true },              /* mov %r10d,%eax */
		{ "488bb42418010000", true },    /* mov 0x118(%rsp),%rsi */
		{ "4889442408", true },          /* mov %rax,0x8(%rsp) */
		{ "0fb644240f", true },          /* movzbl 0xf(%rsp),%eax */
		{ "31c0", true },                /* xor %eax,%eax */
		{ "4531c9", true },              /* xor %r9d,%r9d */
		{ "b801000000", true },          /* mov $1,%eax */
		{ "48c7c001000000", true },      /* mov $1,%rax */
		{ "90", true },                  /* nop */
		{ "0f1f4000", true },            /* nopl 0(%rax) */
		{ "f20f11442420", true },        /* movsd %xmm0,0x20(%rsp) */
		{ "488b00", false },             /* mov (%rax),%rax */
		{ "48897260", false },           /* mov %rsi,0x60(%rdx) */
		{ "488b04c4", false },           /* mov (%rsp,%rax,8),%rax */
		{ "31d8", false },               /* xor %ebx,%eax */
		{ "4801d8", false },             /* add %rbx,%rax */
		{ "4839d1", false },             /* cmp %rdx,%rcx */
		{ "450fb6d2", false },           /* movzbl %r10b,%r10d */
		{ "48c744241000000000", false }, /* movq $0,0x10(%rsp) */
		{ "488d442418", false },         /* lea 0x18(%rsp),%rax */
		{ "f390", false },               /* pause */
		{ "64488b042500000000", false }, /* mov %fs:0,%rax */
		{ "eb10", false },
		{ "c3", false },
	};
	struct tfs_insn insn;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(decode(EM_X86_64, want[i].hex, &insn), 0);
		if (insn.moves != want[i].moves)
			fail_msg("%s", want[i].hex);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_are_the_manuals),
		cmocka_unit_test(reports_where_control_goes),
		cmocka_unit_test(memory_operands_are_taken_apart),
		cmocka_unit_test(an_address_relative_to_the_instruction_is_absolute),
		cmocka_unit_test(reports_registers_that_change),
		cmocka_unit_test(invalid_instructions_are_refused),
		cmocka_unit_test(reports_instructions_that_the_kernel_does_not_probe),
		cmocka_unit_test(system_calls_are_known_and_never_probed),
		cmocka_unit_test(distinguishes_moves_from_computation),
		cmocka_unit_test(too_few_bytes_are_not_an_instruction),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "syscalls/abi.h"

#include <event-parse.h>
#include <stddef.h>
#include <string.h>

#include "syscalls/tables.h"

#define X32_SYSCALL_BIT 0x40000000
/* cacheflush, set_tls and their like: __ARM_NR_BASE in arch/arm/include/uapi/asm/unistd.h */
#define ARM_PRIVATE_FIRST 0xf0000
#define ARM_PRIVATE_LAST 0xfffff

/* struct abi_trait - @long_size: of a kernel of it; 0 when no kernel is of it (x32) */
struct abi_trait {
	const char *name;
	int long_size;
	bool big_endian;
	enum sys_abi compat;
};

static const struct abi_trait traits[SYS_N_ABIS] = {
	[SYS_ABI_X86_64] = { "x86_64", 8, false, SYS_ABI_I386 },
	[SYS_ABI_I386] = { "i386", 4, false, SYS_ABI_NONE },
	[SYS_ABI_X32] = { "x32", 0, false, SYS_ABI_NONE },
	[SYS_ABI_ARM64] = { "arm64", 8, false, SYS_ABI_ARM },
	[SYS_ABI_ARM] = { "arm", 4, false, SYS_ABI_NONE },
	[SYS_ABI_RISCV64] = { "riscv64", 8, false, SYS_ABI_NONE },
	[SYS_ABI_S390X] = { "s390x", 8, true, SYS_ABI_NONE },
	[SYS_ABI_PPC64LE] = { "ppc64le", 8, false, SYS_ABI_NONE },
};

struct abi_alias {
	const char *name;
	enum sys_abi abi;
};

/* What `uname -m` and Debian call them; big-endian ppc64 has the same numbers. */
static const struct abi_alias aliases[] = {
	{ "amd64", SYS_ABI_X86_64 },    { "i486", SYS_ABI_I386 },     { "i586", SYS_ABI_I386 },
	{ "i686", SYS_ABI_I386 },       { "aarch64", SYS_ABI_ARM64 }, { "armv5tel", SYS_ABI_ARM },
	{ "armv6l", SYS_ABI_ARM },      { "armv7l", SYS_ABI_ARM },    { "armv8l", SYS_ABI_ARM },
	{ "armhf", SYS_ABI_ARM },       { "s390", SYS_ABI_S390X },    { "ppc64", SYS_ABI_PPC64LE },
	{ "ppc64el", SYS_ABI_PPC64LE },
};

enum sys_abi sys_abi_parse(const char *text)
{
	size_t i;

	for (i = 0; i < SYS_N_ABIS; i++)
		if (strcmp(text, traits[i].name) == 0)
			return (enum sys_abi)i;
	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(text, aliases[i].name) == 0)
			return aliases[i].abi;
	return SYS_ABI_NONE;
}

bool sys_abi_is_32bit(enum sys_abi abi)
{
	return abi < SYS_N_ABIS && traits[abi].long_size == 4;
}

enum sys_abi sys_abi_compat(enum sys_abi abi)
{
	return abi < SYS_N_ABIS ? traits[abi].compat : SYS_ABI_NONE;
}

static bool fits(enum sys_abi abi, struct tep_handle *tep)
{
	return traits[abi].long_size == tep_get_long_size(tep) &&
	       traits[abi].big_endian == tep_is_file_bigendian(tep);
}

/* Events of one architecture alone; @system NULL stands for any. */
struct event_hint {
	const char *system;
	const char *name;
	enum sys_abi abi;
};

static const struct event_hint event_hints[] = {
	{ "syscalls", "sys_enter_arch_prctl", SYS_ABI_X86_64 },
	{ "irq_vectors", "local_timer_entry", SYS_ABI_X86_64 },
	{ "x86_fpu", "x86_fpu_regs_activated", SYS_ABI_X86_64 },
	{ "msr", "read_msr", SYS_ABI_X86_64 },
	{ "irq_vectors", "local_timer_entry", SYS_ABI_I386 },
	{ "syscalls", "sys_enter_iopl", SYS_ABI_I386 },
	{ "x86_fpu", "x86_fpu_regs_activated", SYS_ABI_I386 },
	{ "msr", "read_msr", SYS_ABI_I386 },
	{ "syscalls", "sys_enter_s390_guarded_storage", SYS_ABI_S390X },
	{ "s390", "s390_diagnose", SYS_ABI_S390X },
	{ "syscalls", "sys_enter_rtas", SYS_ABI_PPC64LE },
	{ "syscalls", "sys_enter_switch_endian", SYS_ABI_PPC64LE },
	{ "powerpc", "irq_entry", SYS_ABI_PPC64LE },
	{ "syscalls", "sys_enter_riscv_flush_icache", SYS_ABI_RISCV64 },
	{ "syscalls", "sys_enter_riscv_hwprobe", SYS_ABI_RISCV64 },
	{ "syscalls", "sys_enter_arm64_personality", SYS_ABI_ARM64 },
};

static enum sys_abi guess_by_events(struct tep_handle *tep)
{
	size_t i;

	for (i = 0; i < sizeof(event_hints) / sizeof(event_hints[0]); i++) {
		const struct event_hint *hint = &event_hints[i];

		if (fits(hint->abi, tep) && tep_find_event_by_name(tep, hint->system, hint->name))
			return hint->abi;
	}
	return SYS_ABI_NONE;
}

/* Beginnings of symbols of one architecture's kernels alone. */
struct symbol_hint {
	const char *prefix;
	enum sys_abi abi;
};

static const struct symbol_hint symbol_hints[] = {
	{ "__x64_sys_", SYS_ABI_X86_64 },    { "__ia32_sys_", SYS_ABI_I386 },
	{ "__arm64_sys_", SYS_ABI_ARM64 },   { "__s390x_sys_", SYS_ABI_S390X },
	{ "__riscv_sys_", SYS_ABI_RISCV64 }, { "riscv_", SYS_ABI_RISCV64 },
	{ "ppc64_", SYS_ABI_PPC64LE },       { "ppc_", SYS_ABI_PPC64LE },
	{ "vector_swi", SYS_ABI_ARM },       { "vector_pabt", SYS_ABI_ARM },
};

static enum sys_abi match_symbol(struct tep_handle *tep, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(symbol_hints) / sizeof(symbol_hints[0]); i++) {
		const struct symbol_hint *hint = &symbol_hints[i];

		if (strncmp(name, hint->prefix, strlen(hint->prefix)) == 0 && fits(hint->abi, tep))
			return hint->abi;
	}
	return SYS_ABI_NONE;
}

/*
 * Where kernels may lie, with randomised bases; a kernel is larger than the steps. s390x is not
 * here: there is but one big-endian table.
 */
struct text_region {
	int long_size;
	uint64_t first;
	uint64_t last;
	uint64_t step;
};

static const struct text_region text_regions[] = {
	{ 8, 0xffffffff80000000, 0xffffffffff000000, 0x200000 },  /* x86_64, riscv64 */
	{ 8, 0xc000000000000000, 0xc00000003fffffff, 0x1000000 }, /* ppc64 */
	{ 8, 0xffff800000000000, 0xffffffff7fffffff, 0x2000000 }, /* arm64 */
	{ 4, 0x40000000, 0xff000000, 0x100000 }, /* i386, arm: any user/kernel split */
};

/* From the symbol at @addr on, until one decides. */
static enum sys_abi walk_symbols(struct tep_handle *tep, uint64_t addr)
{
	int left = tep_get_function_count(tep);
	enum sys_abi abi = SYS_ABI_NONE;
	unsigned long long start;
	unsigned long size;
	const char *name;

	for (; left > 0 && abi == SYS_ABI_NONE; left--) {
		if (tep_find_function_info(tep, addr, &name, &start, &size) != 1)
			break;
		abi = match_symbol(tep, name);
		/* Size 0: another symbol has the same address. */
		addr = size ? start + size : addr + 1;
	}
	return abi;
}

/*
 * libtraceevent has no way to list symbols, but it returns the one that contains an address, where
 * it begins and how far it is to the next: once one is found, the others can be walked.
 */
static enum sys_abi guess_by_symbols(struct tep_handle *tep)
{
	unsigned long long start;
	unsigned long size;
	const char *name;
	uint64_t addr;
	size_t i;

	if (!tep_get_function_count(tep))
		return SYS_ABI_NONE;
	for (i = 0; i < sizeof(text_regions) / sizeof(text_regions[0]); i++) {
		const struct text_region *region = &text_regions[i];

		if (region->long_size != tep_get_long_size(tep))
			continue;
		for (addr = region->first; addr <= region->last; addr += region->step)
			if (tep_find_function_info(tep, addr, &name, &start, &size) == 1)
				return walk_symbols(tep, addr);
	}
	return SYS_ABI_NONE;
}

enum sys_abi sys_abi_guess(struct tep_handle *tep)
{
	enum sys_abi abi;

	if (fits(SYS_ABI_S390X, tep))
		return SYS_ABI_S390X; /* the one big-endian table */
	abi = guess_by_events(tep);
	return abi == SYS_ABI_NONE ? guess_by_symbols(tep) : abi;
}

enum sys_abi sys_abi_of_id(enum sys_abi abi, int64_t *id)
{
	if (abi == SYS_ABI_X86_64 && *id >= X32_SYSCALL_BIT && *id < 2 * (int64_t)X32_SYSCALL_BIT) {
		*id -= X32_SYSCALL_BIT;
		return SYS_ABI_X32;
	}
	if (abi == SYS_ABI_ARM64 && *id >= ARM_PRIVATE_FIRST && *id <= ARM_PRIVATE_LAST)
		return SYS_ABI_ARM;
	return abi;
}

const struct sys_entry *sys_abi_lookup(enum sys_abi abi, int64_t nr)
{
	size_t low = 0, high;

	if (abi >= SYS_N_ABIS || nr < 0)
		return NULL;
	high = sys_tables[abi].n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct sys_entry *entry = &sys_tables[abi].entries[mid];

		if (entry->nr == nr)
			return entry;
		if (entry->nr < nr)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_SYSCALLS_ABI_H
#define PLUGINS_SYSCALLS_ABI_H

#include <stdbool.h>
#include <stdint.h>

struct sys_entry;
struct tep_handle;

/** enum sys_abi - a numbering of system calls */
enum sys_abi {
	SYS_ABI_X86_64,
	SYS_ABI_I386,
	SYS_ABI_X32,
	SYS_ABI_ARM64,
	SYS_ABI_ARM,
	SYS_ABI_RISCV64,
	SYS_ABI_S390X,
	SYS_ABI_PPC64LE,
	SYS_N_ABIS,
	SYS_ABI_NONE = SYS_N_ABIS, /* not known: numbers are printed */
};

/** sys_abi_parse() - by the name of its table or by what `uname -m` prints, else SYS_ABI_NONE */
enum sys_abi sys_abi_parse(const char *text);

/** sys_abi_is_32bit() - a C long, and a register, are 32 bits wide */
bool sys_abi_is_32bit(enum sys_abi abi);

/** sys_abi_compat() - of 32-bit tasks on a kernel of @abi; SYS_ABI_NONE if there is no table */
enum sys_abi sys_abi_compat(enum sys_abi abi);

/**
 * sys_abi_guess() - which architecture a recording is of
 *
 * From what libtraceevent knows of it: word size and byte order, events that only one architecture
 * has, symbols of its kernel. If these do not decide, SYS_ABI_NONE: it may be of any machine. Walks
 * the symbols: call it once per recording.
 */
enum sys_abi sys_abi_guess(struct tep_handle *tep);

/**
 * sys_abi_of_id() - the ABI that an id of raw_syscalls implies
 * @abi: of the recording
 * @id: as recorded; the number without marks is stored back
 *
 * x86_64 marks x32 calls with bit 30; the calls of arm tasks that no table of arm64 reaches
 * (0xf0001 and up) are arm's. An i386 call on x86_64 looks like any other number.
 */
enum sys_abi sys_abi_of_id(enum sys_abi abi, int64_t *id);

/** sys_abi_lookup() - the call of that number, NULL if there is none */
const struct sys_entry *sys_abi_lookup(enum sys_abi abi, int64_t nr);

#endif

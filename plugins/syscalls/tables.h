/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_SYSCALLS_TABLES_H
#define PLUGINS_SYSCALLS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "syscalls/abi.h"

/*
 * The .tbl files in C, which gen-tables.sh writes. Everything is read-only.
 */

/** enum sys_kind - how a register is printed; the names are those of prototypes.tbl */
enum sys_kind {
	SYS_INT,
	SYS_UINT,
	SYS_LONG,
	SYS_ULONG,
	SYS_XINT,
	SYS_XLONG,
	SYS_X64,
	SYS_ADDR,
	SYS_S64,
	SYS_PAIR,
	SYS_XPAIR,
	SYS_PAD,
	SYS_PTR,
	SYS_FD,
	SYS_AT,
	SYS_ID,
	SYS_MODE,
	SYS_MODEFMT,
	SYS_DEV,
	SYS_OPENMODE,
	SYS_FCNTLARG,
	SYS_SOCKOPTNAME,
	SYS_SECCOMPFLAGS,
	SYS_OUT,
	SYS_PATH,
	SYS_STR,
	SYS_BUF,
	SYS_SOCKPROTO,
	SYS_IPCKEY,
	SYS_PRCTLARG,
	SYS_POSLOW,
	SYS_POSHIGH,
	SYS_IOPRIOVAL,
	SYS_QCMD,
	SYS_SET,
};

/** struct sys_val - the name of a value; @abis: bits of enum sys_abi it is for, 0 for all */
struct sys_val {
	uint64_t value;
	const char *name;
	uint16_t abis;
};

/** enum sys_rest - how what no row names is printed */
enum sys_rest {
	SYS_REST_HEX,
	SYS_REST_OCTAL,
	SYS_REST_DECIMAL,
};

/**
 * struct sys_set - names of a number (under @one_mask) and of flags
 * @zero: name for 0, NULL for none
 * @is_int: the kernel takes an int: only the lower 32 bits count
 * @one_last: print the number after the flags
 * @unknown: what strace says where it knows no name: "O_???"; NULL: nothing
 */
struct sys_set {
	const struct sys_val *one;
	const struct sys_val *bits;
	size_t n_one;
	size_t n_bits;
	uint64_t one_mask;
	const char *zero;
	enum sys_rest rest;
	bool is_int;
	bool one_last;
	const char *unknown;
};

/**
 * struct sys_arg - a parameter
 * @set: for SYS_SET
 * @is_int: of SYS_SET: the call takes an int, whatever others with the same names take
 */
struct sys_arg {
	const char *name;
	enum sys_kind kind;
	const struct sys_set *set;
	bool is_int;
};

/** sys_set_word() - what the call sees of a register with a SYS_SET; @is_32bit: of its ABI */
static inline uint64_t sys_set_word(const struct sys_arg *arg, uint64_t value, bool is_32bit)
{
	return is_32bit || arg->is_int ? (uint32_t)value : value;
}

/**
 * struct sys_proto - what a call takes and gives
 * @event: name of its events: syscalls:sys_enter_<event>
 * @ret: kind of the value returned, errors apart
 * @raw: parameters are not known
 */
struct sys_proto {
	const char *event;
	const struct sys_arg *args;
	unsigned int n_args;
	enum sys_kind ret;
	bool raw;
};

struct sys_entry {
	unsigned int nr;
	const char *name;
	const struct sys_proto *proto;
};

/** struct sys_table - the calls of an ABI, by rising number */
struct sys_table {
	const struct sys_entry *entries;
	size_t n;
};

extern const struct sys_table sys_tables[SYS_N_ABIS];

/*
 * Names of ioctl commands by rising number, from the user headers of the kernel that this was built
 * with. "NAME(": any size belongs to it. @sys_ioctls_of_ppc: their directions are those of ppc
 */
extern const struct sys_val sys_ioctls[];
extern const size_t sys_n_ioctls;
extern const bool sys_ioctls_of_ppc;

extern const struct sys_proto sys_protos[];
extern const size_t sys_n_protos;

extern const struct sys_set sys_set_arch_prctl;
extern const struct sys_set sys_set_capability;
extern const struct sys_set sys_set_clone;
extern const struct sys_set sys_set_errno;
extern const struct sys_set sys_set_fanotify_mark;
extern const struct sys_set sys_set_fanotify_mask;
extern const struct sys_set sys_set_fcntl;
extern const struct sys_set sys_set_fdflags;
extern const struct sys_set sys_set_futex;
extern const struct sys_set sys_set_futex_cmp;
extern const struct sys_set sys_set_futex_wake;
extern const struct sys_set sys_set_ifmt;
extern const struct sys_set sys_set_ioctl;
extern const struct sys_set sys_set_ioprio_class;
extern const struct sys_set sys_set_ipopt;
extern const struct sys_set sys_set_ipproto;
extern const struct sys_set sys_set_ipv6opt;
extern const struct sys_set sys_set_kcmp;
extern const struct sys_set sys_set_key;
extern const struct sys_set sys_set_key_perm;
extern const struct sys_set sys_set_keyctl;
extern const struct sys_set sys_set_lease;
extern const struct sys_set sys_set_map;
extern const struct sys_set sys_set_mce_kill;
extern const struct sys_set sys_set_mce_kill_policy;
extern const struct sys_set sys_set_membarrier;
extern const struct sys_set sys_set_memfd;
extern const struct sys_set sys_set_mremap;
extern const struct sys_set sys_set_netlink;
extern const struct sys_set sys_set_netlinkopt;
extern const struct sys_set sys_set_notify;
extern const struct sys_set sys_set_open;
extern const struct sys_set sys_set_pac_key;
extern const struct sys_set sys_set_personality;
extern const struct sys_set sys_set_pidtype;
extern const struct sys_set sys_set_prctl;
extern const struct sys_set sys_set_prctl_ambient;
extern const struct sys_set sys_set_prctl_mm;
extern const struct sys_set sys_set_prctl_tsc;
extern const struct sys_set sys_set_prctl_vma;
extern const struct sys_set sys_set_ptrace;
extern const struct sys_set sys_set_ptrace_options;
extern const struct sys_set sys_set_quota_cmd;
extern const struct sys_set sys_set_quota_format;
extern const struct sys_set sys_set_quota_type;
extern const struct sys_set sys_set_reboot;
extern const struct sys_set sys_set_regset;
extern const struct sys_set sys_set_sched;
extern const struct sys_set sys_set_sched_core;
extern const struct sys_set sys_set_seals;
extern const struct sys_set sys_set_seccomp_filter;
extern const struct sys_set sys_set_seccomp_mode;
extern const struct sys_set sys_set_securebits;
extern const struct sys_set sys_set_sicode_bus;
extern const struct sys_set sys_set_sicode_cld;
extern const struct sys_set sys_set_sicode_fpe;
extern const struct sys_set sys_set_sicode_ill;
extern const struct sys_set sys_set_sicode_poll;
extern const struct sys_set sys_set_sicode_segv;
extern const struct sys_set sys_set_sicode_si;
extern const struct sys_set sys_set_sicode_sys;
extern const struct sys_set sys_set_sicode_trap;
extern const struct sys_set sys_set_signal;
extern const struct sys_set sys_set_sockopt;
extern const struct sys_set sys_set_spec;
extern const struct sys_set sys_set_spec_ctrl;
extern const struct sys_set sys_set_statx_flags;
extern const struct sys_set sys_set_suid_dump;
extern const struct sys_set sys_set_sys_dispatch;
extern const struct sys_set sys_set_syslog;
extern const struct sys_set sys_set_tcpopt;
extern const struct sys_set sys_set_unalign;

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_ARGS_KINDS_H
#define TFS_STRACE_ARGS_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "syscalls/tables.h"

struct put;
struct tfs_call;

/** enum args_phase - arguments that are known at entry, and the others */
enum args_phase { ARGS_ENTER, ARGS_EXIT };

/** args_is_text() - does a parameter of this kind point to bytes that the kernel reads? */
static inline bool args_is_text(enum sys_kind kind)
{
	return kind == SYS_PATH || kind == SYS_STR || kind == SYS_BUF;
}

/** args_value() - parameter @i: those of 64 bits take two registers of 32-bit ABIs */
uint64_t args_value(const struct tfs_call *call, const struct sys_proto *proto, unsigned int i);
/** args_count() - how many arguments are shown: some depend on the others' values */
unsigned int args_count(const struct tfs_call *call, const struct sys_proto *proto);
/** args_put_value() - argument @i of the call, whose prototype is known */
void args_put_value(struct put *p, unsigned int i, uint64_t value);
/** args_put_special() - arguments that strace prints in another order; false: not of this call */
bool args_put_special(struct put *p, enum args_phase phase);
/** args_put_result() - a result with a meaning of its own; false: nothing was appended */
bool args_put_result(struct put *p, const struct sys_proto *proto, int64_t ret);

#endif

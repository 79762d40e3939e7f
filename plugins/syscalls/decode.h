/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_SYSCALLS_DECODE_H
#define PLUGINS_SYSCALLS_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "syscalls/tables.h"

struct trace_seq;

#define SYS_MAX_ARGS 6

/**
 * sys_print_arg() - print one value as its parameter says
 * @abi: whose word size and names
 * @value: the register; both registers, joined, for a pair
 * @before: the value of the parameter before it, 0 for the first; some depend on it
 */
void sys_print_arg(struct trace_seq *s, enum sys_abi abi, const struct sys_arg *arg, uint64_t value,
		   uint64_t before);

/** sys_arg_is_unused() - the call does not look at the register (the mode of an open that creates
 * nothing) */
bool sys_arg_is_unused(const struct sys_arg *arg, uint64_t before);

/**
 * sys_print_args() - print "name: value, ..." for a call
 * @regs: @n_regs registers that are known, at most SYS_MAX_ARGS; what needs more prints as "..."
 */
void sys_print_args(struct trace_seq *s, enum sys_abi abi, const struct sys_proto *proto,
		    const uint64_t *regs, size_t n_regs);

/** sys_print_ret() - print what a call returned; -4095 to -1 by its error name: "-ENOENT" */
void sys_print_ret(struct trace_seq *s, enum sys_abi abi, const struct sys_proto *proto,
		   int64_t ret);

#endif

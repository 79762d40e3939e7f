/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_CODE_SYMBOL_H
#define TFS_DECODE_CODE_SYMBOL_H

#include <stdint.h>

struct tfs_event_type;
struct tfs_field;
struct tfs_format_env;
struct tfs_value;

/*
 * Where in the kernel's code an event was, or what function it is about: "ip" of function, "func"
 * of funcgraph_entry, "function" of workqueue and timer events, "call_site" of kmem, "__probe_ip"
 * of probes, "caller" of a kernel stack, whose innermost function it is.
 */

/** tfs_code_field() - the field that says so; NULL: the type has none. @type is parsed */
const struct tfs_field *tfs_code_field(const struct tfs_event_type *type);

/**
 * tfs_code_symbol() - the address in a field's value, and the name of its function
 * @env: after tfs_trace_use_symbols(): decode/trace.h
 * @v: not an empty array
 * @name: borrowed; NULL: the address has none
 *
 * In a stack, functions of the tracer itself are left out. Return: the address.
 */
uint64_t tfs_code_symbol(const struct tfs_format_env *env, const struct tfs_field *f,
			 const struct tfs_value *v, const char **name);

#endif

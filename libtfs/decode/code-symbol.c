/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/code-symbol.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/types.h"
#include "decode/value.h"
#include "printfmt/env.h"

const struct tfs_field *tfs_code_field(const struct tfs_event_type *type)
{
	static const char *const names[] = { "ip",         "func",   "function",    "call_site",
					     "__probe_ip", "caller", "__probe_func" };
	const struct tfs_field *f;

	if (tfs_type_is_ftrace(type, "user_stack"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		f = tfs_fields_find(type->fields, names[i], strlen(names[i]));
		if (f && f->kind <= TFS_VALUE_ADDRESS && f->element >= 4)
			return f;
	}
	return NULL;
}

/* Is it a function of the tracer that records events, where a stack begins? */
static bool is_tracer(const char *name)
{
	static const char *const prefixes[] = { "trace_event_raw_event_", "__traceiter_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

uint64_t tfs_code_symbol(const struct tfs_format_env *env, const struct tfs_field *f,
			 const struct tfs_value *v, const char **name)
{
	uint64_t addr, start;
	size_t i = 0;

	do {
		addr = f->array ? tfs_value_element(f, v, i) : v->number;
		*name = env->symbol(env->symbols, addr, &start);
	} while (f->array && *name && is_tracer(*name) && ++i < v->n);
	return addr;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/native-internal.h"

#include <errno.h>

#include "base/digits.h"
#include "printfmt/indent.h"

#define PLUGIN "plugin_function.so"

/* The name of the function at @addr, or the address as "%llx" with @zero_x in front. */
static int add_function(const struct tfs_native *n, uint64_t addr, const char *zero_x,
			struct tfs_strbuf *out)
{
	uint64_t start;
	const char *name = tfs_native_symbol(n, addr, &start);
	char *p;

	if (name)
		return tfs_strbuf_adds(out, name);
	p = tfs_native_begin(out, TFS_DIGITS_MAX + 2);
	if (!p)
		return -ENOMEM;
	p = tfs_native_puts(p, zero_x, strlen(zero_x));
	tfs_native_end(out, tfs_digits_hex(p, addr, 0));
	return 0;
}

enum { IP, PARENT_IP };

static const struct tfs_native_field function_fields[] = {
	[IP] = { "ip", TFS_NATIVE_NUMBER },
	[PARENT_IP] = { "parent_ip", TFS_NATIVE_KEY },
	{ NULL, 0 },
};

static int run_function(const struct tfs_native *n, const struct tfs_native_rec *rec,
			struct tfs_strbuf *out)
{
	char *p = tfs_native_begin(out, rec->indent);

	if (!p)
		return -ENOMEM;
	memset(p, ' ', rec->indent);
	tfs_native_end(out, p + rec->indent);
	return add_function(n, tfs_native_number(n, IP, rec->data), "0x", out);
}

int tfs_native_indent(const struct tfs_native *n, struct tfs_indent *state, unsigned int cpu,
		      const struct tfs_native_rec *rec)
{
	const char *parent;
	uint64_t start;

	if (n->row->run != run_function || rec->size < n->need)
		return 0;
	parent = tfs_native_symbol(n, tfs_native_number(n, PARENT_IP, rec->data), &start);
	if (!parent)
		return 0;
	return tfs_indent_next(state, cpu, parent,
			       tfs_native_symbol(n, tfs_native_number(n, IP, rec->data), &start));
}

enum { CALLER };

static const struct tfs_native_field stack_fields[] = {
	[CALLER] = { "caller", TFS_NATIVE_REST },
	{ NULL, 0 },
};

/* One line of a stack. 1: there are no more. */
static int add_caller(const struct tfs_native *n, const unsigned char *p, struct tfs_strbuf *out)
{
	struct tfs_native one = { .env = n->env, .slot[CALLER].size = n->env->long_size };
	uint64_t addr = tfs_native_number(&one, CALLER, p), start;
	const char *name;
	size_t len;
	char *q;

	/* The kernel's mark for the end has 32 bits set at least. */
	if ((uint32_t)addr == UINT32_MAX)
		return 1;
	name = tfs_native_symbol(n, addr, &start);
	len = name ? strlen(name) : 0;
	q = tfs_native_begin(out, len + TFS_DIGITS_MAX + 16);
	if (!q)
		return -ENOMEM;
	q = tfs_native_put(q, "=> ");
	if (name) {
		q = tfs_native_puts(q, name, len);
		q = tfs_native_put(q, " (");
	}
	q = tfs_digits_hex(q, addr, 0);
	if (name)
		*q++ = ')';
	*q++ = '\n';
	tfs_native_end(out, q);
	return 0;
}

static int run_stack(const struct tfs_native *n, const struct tfs_native_rec *rec,
		     struct tfs_strbuf *out)
{
	size_t at = n->slot[CALLER].offset, step = n->env->long_size;
	int rc;

	/* A part of an address: the text then includes bytes beyond the record. */
	if ((rec->size - at) % step)
		return TFS_NATIVE_NOT_ME;
	rc = tfs_strbuf_adds(out, "<stack trace >\n");
	for (; !rc && at < rec->size; at += step)
		rc = add_caller(n, rec->data + at, out);
	return rc < 0 ? rc : TFS_NATIVE_DONE;
}

enum { ID, BUF };

static const struct tfs_native_field raw_fields[] = {
	[ID] = { "id", TFS_NATIVE_NUMBER },
	[BUF] = { "buf", TFS_NATIVE_REST },
	{ NULL, 0 },
};

static int run_raw_data(const struct tfs_native *n, const struct tfs_native_rec *rec,
			struct tfs_strbuf *out)
{
	size_t at = n->slot[BUF].offset;
	char *p = tfs_native_begin(out, TFS_DIGITS_MAX + 3 * (rec->size - at));

	if (!p)
		return -ENOMEM;
	p = tfs_native_put(p, "# ");
	p = tfs_digits_hex(p, tfs_native_number(n, ID, rec->data), 0);
	for (; at < rec->size; at++) {
		*p++ = ' ';
		p = tfs_digits_hex(p, rec->data[at], 2);
	}
	tfs_native_end(out, p);
	return TFS_NATIVE_DONE;
}

const struct tfs_native_row tfs_native_ftrace[] = {
	{ "ftrace", "function", PLUGIN, function_fields, run_function, NULL },
	{ "ftrace", "kernel_stack", PLUGIN, stack_fields, run_stack, NULL },
	{ "ftrace", "raw_data", PLUGIN, raw_fields, run_raw_data, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

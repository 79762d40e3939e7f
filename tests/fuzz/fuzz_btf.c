/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the type information of a kernel, and of a module that continues it: types are named
 * and measured, prototypes printed, and members looked for, as tc-probe does, by names in it.
 * The first four bytes of the input are the size of the kernel's part.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "btf/btf-name.h"
#include "btf/btf.h"
#include "dso/arch/machine.h"
#include "probe/btf-var.h"
#include "probe/fetch.h"
#include "probe/path.h"
#include "probe/var.h"

#define EM_X86_64 62
#define TYPES_MAX 200
#define MEMBERS_MAX 8
#define POINTER_SIZE 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int take_enum(void *context, const char *name, uint64_t value)
{
	size_t *left = context;

	(void)value;
	must(name != NULL);
	return --*left ? 0 : 1;
}

/* All parameters, as tc-probe -V lists them, with what each points at. */
static void list_vars(const struct tfs_btf *btf, const char *func)
{
	const struct tfs_btf_scope scope = { .btf = btf,
					     .machine = tfs_machine_find(EM_X86_64, 64, false),
					     .func = func };
	struct tfs_var_list list = { 0 };
	struct tfs_err err = TFS_ERR_INIT;
	int rc = tfs_btf_vars(&scope, &list, &err);

	must(rc <= 0 && (!rc || rc == -ENOMEM || err.msg[0]));
	tfs_var_list_release(&list);
}

/* Ways of an expression through what the seeds have */
static void fetch_all(const struct tfs_btf *btf, const char *func)
{
	static const char *const exprs[] = {
		"f",  "f->v[1][1].i",  "f->fn", "f->list.next->next", "f->v[0][0].high",
		"to", "$retval->name", "m"
	};

	for (size_t i = 0; i < sizeof(exprs) / sizeof(exprs[0]); i++) {
		const struct tfs_btf_scope scope = { .btf = btf,
						     .machine =
							     tfs_machine_find(EM_X86_64, 64, false),
						     .func = func,
						     .is_return = *exprs[i] == '$' };
		const struct tfs_var_opts opts = { .cast = NULL };
		struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
		struct tfs_err err = TFS_ERR_INIT;
		enum tfs_refusal why = 0;
		struct tfs_path path;
		int rc;

		must(!tfs_path_parse(exprs[i], &path, NULL));
		rc = tfs_btf_fetch(&scope, &path, &opts, &list, &why, &err);
		must(rc <= 0 && rc == err.code && (!rc || err.msg[0]));
		must(rc || list.n);
		tfs_fetch_list_release(&list);
		tfs_path_release(&path);
	}
}

static void find_members(const struct tfs_btf *btf, const struct tfs_btf_type *t)
{
	static const char *const names[] = { "next", "v", "high", "rest", "nosuch" };
	struct tfs_btf_member m;
	uint64_t size;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int rc = tfs_btf_find_member(btf, t, names[i], &m);

		must(!rc || rc == -ENOENT || rc == -EBADMSG);
		if (!rc)
			(void)tfs_btf_size(btf, m.type, POINTER_SIZE, &size);
	}
}

static void look_at(const struct tfs_btf *btf, const struct tfs_btf_type *t)
{
	uint32_t type, n;
	const char *name;

	must(t->name != NULL);
	switch (t->kind) {
	case TFS_BTF_STRUCT:
	case TFS_BTF_UNION:
		find_members(btf, t);
		break;
	case TFS_BTF_FUNC_PROTO:
		for (uint32_t i = 0; i < t->n && i < MEMBERS_MAX; i++)
			(void)tfs_btf_param(btf, t, i, &name, &type);
		break;
	case TFS_BTF_ARRAY:
		tfs_btf_array(btf, t, &type, &n);
		break;
	case TFS_BTF_FUNC:
		list_vars(btf, t->name);
		fetch_all(btf, t->name);
		break;
	default:
		(void)tfs_btf_is_signed(btf, t);
	}
}

static void walk(const struct tfs_btf *btf)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_btf_type t, peeled;
	size_t enums = TYPES_MAX;
	uint64_t size;

	for (uint32_t id = 0; id < TYPES_MAX; id++) {
		if (tfs_btf_type(btf, id, &t))
			break;
		look_at(btf, &t);
		(void)tfs_btf_peel(btf, id, &peeled);
		(void)tfs_btf_size(btf, id, POINTER_SIZE, &size);
		tfs_strbuf_reset(&text);
		must(!tfs_btf_declare(btf, id, "x", &text));
		tfs_strbuf_reset(&text);
		if (t.kind == TFS_BTF_FUNC)
			(void)tfs_btf_prototype(btf, t.name, &text);
		if (t.kind == TFS_BTF_FWD)
			(void)tfs_btf_struct(btf, t.name, TFS_BTF_STRUCT, &peeled);
	}
	(void)tfs_btf_enums(btf, take_enum, &enums);
	tfs_strbuf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_btf *base = NULL, *split = NULL;
	struct tfs_err err = TFS_ERR_INIT;
	uint32_t first;

	if (size < sizeof(first))
		return 0;
	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	size -= sizeof(first);
	first = first < size ? first : (uint32_t)size;
	if (tfs_btf_new(data, first, NULL, &base, &err)) {
		must(err.code && err.msg[0]);
		return 0;
	}
	walk(base);
	if (!tfs_btf_new(data + first, size - first, base, &split, NULL))
		walk(split);
	tfs_btf_free(split);
	tfs_btf_free(base);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/dso-btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "btf/btf-running.h"
#include "btf/btf.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dso/section.h"
#include "dso/symbol.h"
#include "dwarf/func.h"
#include "dwarf/scope.h"
#include "probe/btf-var.h"

/**
 * struct kernel_types - what is kept with a dso
 * @module: of the module @name, which was asked for last
 */
struct kernel_types {
	struct tfs_btf *kernel;
	struct tfs_btf *module;
	char *name;
};

static void free_types(void *data)
{
	struct kernel_types *t = data;

	tfs_btf_free(t->module);
	tfs_btf_free(t->kernel);
	free(t->name);
	free(t);
}

/* NULL without memory. */
static struct kernel_types *types_of(struct tfs_dso *dso)
{
	struct kernel_types *t = tfs_dso_attached(dso, free_types);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && tfs_dso_attach(dso, free_types, t)) {
		free(t);
		t = NULL;
	}
	return t;
}

static int read_section(struct tfs_dso *dso, struct tfs_btf **out, struct tfs_err *err)
{
	struct tfs_section s;

	if (!tfs_section_find(tfs_dso_elf(dso), ".BTF", &s))
		return -ENODATA;
	return tfs_btf_new(s.s, s.len, NULL, out, err);
}

static int kernel_btf(struct tfs_dso *dso, struct kernel_types **out, struct tfs_err *err)
{
	struct kernel_types *t = types_of(dso);

	if (!t) {
		tfs_err_set(err, -ENOMEM, "cannot read BTF");
		return -ENOMEM;
	}
	*out = t;
	if (t->kernel)
		return 0;
	if (tfs_dso_kind(dso) == TFS_DSO_SYMBOLS)
		return tfs_btf_running("vmlinux", NULL, &t->kernel, err);
	if (tfs_dso_kind(dso) == TFS_DSO_VMLINUX)
		return read_section(dso, &t->kernel, err);
	return -ENODATA;
}

bool tfs_dso_has_btf(struct tfs_dso *dso)
{
	struct kernel_types *types;

	return !kernel_btf(dso, &types, NULL);
}

static int module_btf(struct kernel_types *t, const char *module, const struct tfs_btf **out,
		      struct tfs_err *err)
{
	int rc = 0;

	if (!t->name || strcmp(t->name, module) != 0) {
		tfs_btf_free(t->module);
		t->module = NULL;
		free(t->name);
		t->name = strdup(module);
		if (!t->name)
			return tfs_err_set(err, -ENOMEM, "cannot read BTF");
	}
	if (!t->module)
		rc = tfs_btf_running(module, t->kernel, &t->module, err);
	*out = t->module;
	return rc;
}

int tfs_dso_btf_scope(struct tfs_dso *dso, const struct tfs_point *point, unsigned int flags,
		      struct tfs_btf_scope *out, struct tfs_err *err)
{
	const struct tfs_symbol *const *found;
	const char *name = point->symbol ? point->symbol : point->func;
	struct kernel_types *types;
	int rc = kernel_btf(dso, &types, err);

	if (rc)
		return err && err->code ?
			       rc :
			       tfs_err_say(err, rc, "the kernel has no type information");
	if (!name || point->addr != point->entry)
		return tfs_err_say(err, -ENODATA,
				   "without debug information arguments are known only where a "
				   "function is entered");
	if (strchr(name, '.'))
		return tfs_err_say(err, -ENODATA,
				   "'%s' is a copy that the compiler made: its arguments need not "
				   "be those of the source",
				   name);
	if (tfs_symbol_named(dso, name, &found) != 1)
		return tfs_err_say(err, -ENODATA,
				   "there are several functions '%s': which one the kernel's type "
				   "information is about is not known",
				   name);
	*out = (struct tfs_btf_scope){ .btf = types->kernel,
				       .func = name,
				       .is_return = flags & TFS_SCOPE_RETURN };
	out->is_local = found[0]->local;
	if (found[0]->module)
		rc = module_btf(types, found[0]->module, &out->btf, err);
	out->machine = tfs_dso_machine(dso);
	if (!rc && !out->machine)
		rc = tfs_err_say(err, -ENODATA, "this machine's registers are not known");
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/dso-btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "btf/btf-running.h"
#include "btf/btf.h"
#include "dso/dso-internal.h"
#include "dso/section.h"
#include "dso/symbol.h"
#include "dwarf/func.h"
#include "probe/btf-var.h"

static void release(struct tfs_dso *dso)
{
	tfs_btf_free(dso->module_btf);
	tfs_btf_free(dso->btf);
	free(dso->module_btf_name);
}

static int read_section(struct tfs_dso *dso, struct tfs_btf **out, struct tfs_err *err)
{
	struct tfs_section s;

	if (!tfs_section_find(dso->elf, ".BTF", &s))
		return -ENODATA;
	return tfs_btf_new(s.s, s.len, NULL, out, err);
}

static int kernel_btf(struct tfs_dso *dso, struct tfs_err *err)
{
	int rc = -ENODATA;

	if (dso->btf)
		return 0;
	tfs_dso_on_free(dso, release);
	if (dso->kind == TFS_DSO_SYMBOLS)
		rc = tfs_btf_running("vmlinux", NULL, &dso->btf, err);
	else if (dso->kind == TFS_DSO_VMLINUX)
		rc = read_section(dso, &dso->btf, err);
	return rc;
}

bool tfs_dso_has_btf(struct tfs_dso *dso)
{
	return !kernel_btf(dso, NULL);
}

static int module_btf(struct tfs_dso *dso, const char *module, const struct tfs_btf **out,
		      struct tfs_err *err)
{
	int rc = 0;

	if (!dso->module_btf_name || strcmp(dso->module_btf_name, module) != 0) {
		tfs_btf_free(dso->module_btf);
		dso->module_btf = NULL;
		free(dso->module_btf_name);
		dso->module_btf_name = strdup(module);
		if (!dso->module_btf_name)
			return tfs_err_set(err, -ENOMEM, "cannot read BTF");
	}
	if (!dso->module_btf)
		rc = tfs_btf_running(module, dso->btf, &dso->module_btf, err);
	*out = dso->module_btf;
	return rc;
}

int tfs_dso_btf_scope(struct tfs_dso *dso, const struct tfs_point *point, bool is_return,
		      struct tfs_btf_scope *out, struct tfs_err *err)
{
	const struct tfs_symbol *const *found;
	const char *name = point->symbol ? point->symbol : point->func;
	int rc = kernel_btf(dso, err);

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
	*out = (struct tfs_btf_scope){ .btf = dso->btf, .func = name, .is_return = is_return };
	out->is_local = found[0]->local;
	if (found[0]->module)
		rc = module_btf(dso, found[0]->module, &out->btf, err);
	out->machine = tfs_dso_machine(dso);
	if (!rc && !out->machine)
		rc = tfs_err_say(err, -ENODATA, "this machine's registers are not known");
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/image-btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "btf/btf-running.h"
#include "btf/btf.h"
#include "dso/image-internal.h"
#include "dso/section.h"
#include "dso/symbol.h"
#include "dwarf/func.h"
#include "probe/btf-var.h"

static void release(struct tfs_image *img)
{
	tfs_btf_free(img->module_btf);
	tfs_btf_free(img->btf);
	free(img->module_btf_name);
}

static int read_section(struct tfs_image *img, struct tfs_btf **out, struct tfs_err *err)
{
	struct tfs_section s;

	if (!tfs_section_find(img->elf, ".BTF", &s))
		return -ENODATA;
	return tfs_btf_new(s.s, s.len, NULL, out, err);
}

static int kernel_btf(struct tfs_image *img, struct tfs_err *err)
{
	int rc = -ENODATA;

	if (img->btf)
		return 0;
	tfs_image_on_free(img, release);
	if (img->kind == TFS_IMAGE_SYMBOLS)
		rc = tfs_btf_running("vmlinux", NULL, &img->btf, err);
	else if (img->kind == TFS_IMAGE_VMLINUX)
		rc = read_section(img, &img->btf, err);
	return rc;
}

bool tfs_image_has_btf(struct tfs_image *img)
{
	return !kernel_btf(img, NULL);
}

static int module_btf(struct tfs_image *img, const char *module, const struct tfs_btf **out,
		      struct tfs_err *err)
{
	int rc = 0;

	if (!img->module_btf_name || strcmp(img->module_btf_name, module) != 0) {
		tfs_btf_free(img->module_btf);
		img->module_btf = NULL;
		free(img->module_btf_name);
		img->module_btf_name = strdup(module);
		if (!img->module_btf_name)
			return tfs_err_set(err, -ENOMEM, "cannot read BTF");
	}
	if (!img->module_btf)
		rc = tfs_btf_running(module, img->btf, &img->module_btf, err);
	*out = img->module_btf;
	return rc;
}

int tfs_image_btf_scope(struct tfs_image *img, const struct tfs_point *point, bool is_return,
			struct tfs_btf_scope *out, struct tfs_err *err)
{
	const struct tfs_symbol *const *found;
	const char *name = point->symbol ? point->symbol : point->func;
	int rc = kernel_btf(img, err);

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
	if (tfs_symbol_named(img, name, &found) != 1)
		return tfs_err_say(err, -ENODATA,
				   "there are several functions '%s': which one the kernel's type "
				   "information is about is not known",
				   name);
	*out = (struct tfs_btf_scope){ .btf = img->btf, .func = name, .is_return = is_return };
	out->is_local = found[0]->local;
	if (found[0]->module)
		rc = module_btf(img, found[0]->module, &out->btf, err);
	out->machine = tfs_image_machine(img);
	if (!rc && !out->machine)
		rc = tfs_err_say(err, -ENODATA, "this machine's registers are not known");
	return rc;
}

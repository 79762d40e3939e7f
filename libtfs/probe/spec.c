/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void tfs_probe_spec_release(struct tfs_probe_spec *spec)
{
	for (size_t i = 0; i < spec->n_args; i++) {
		free(spec->args[i].name);
		free(spec->args[i].expr);
		free(spec->args[i].type);
	}
	free(spec->args);
	free(spec->group);
	free(spec->event);
	free(spec->module);
	free(spec->func);
	free(spec->src);
	free(spec->pattern);
	memset(spec, 0, sizeof(*spec));
}

struct tfs_probe_arg *tfs_probe_spec_add_arg(struct tfs_probe_spec *spec)
{
	if (tfs_grow_one(&spec->args, spec->n_args))
		return NULL;
	spec->args[spec->n_args] = (struct tfs_probe_arg){ 0 };
	return &spec->args[spec->n_args++];
}

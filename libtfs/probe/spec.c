/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/spec.h"

#include <stdlib.h>
#include <string.h>

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
	free(spec->func);
	free(spec->src);
	free(spec->pattern);
	memset(spec, 0, sizeof(*spec));
}

struct tfs_probe_arg *tfs_probe_spec_add_arg(struct tfs_probe_spec *spec)
{
	struct tfs_probe_arg *args;

	args = reallocarray(spec->args, spec->n_args + 1, sizeof(*args));
	if (!args)
		return NULL;
	spec->args = args;
	args += spec->n_args++;
	memset(args, 0, sizeof(*args));
	return args;
}

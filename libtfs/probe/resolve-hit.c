/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve-internal.h"

#include <errno.h>

#include "base/strvec.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "insn/go-entry.h"
#include "probe/locate.h"
#include "probe/spec.h"

/* A place that somebody typed is that place; a return is an instruction of its own. */
static bool is_as_typed(const struct tfs_probe_spec *spec)
{
	return spec->at == TFS_PROBE_AT_ADDR || spec->at == TFS_PROBE_AT_SDT || spec->has_offset ||
	       spec->ret;
}

/* Where the stack check is not understood, or its end cannot be probed, the entry is kept. */
static int pass_stack_check(struct tfs_dso *dso, const struct tfs_probe_resolve_opts *opts,
			    const struct tfs_point *point, uint64_t *hit)
{
	int rc = tfs_go_entry(dso, point->addr, hit);

	if (rc == -ENOMEM)
		return rc;
	if (!rc && (*hit == point->addr || tfs_probe_kernel_steps(dso, *hit)))
		return 0;
	*hit = point->addr;
	return tfs_strvec_pushf(opts->notices, "%s: may be hit twice when the stack grows: %s",
				point->func ? point->func : "?",
				rc ? "the code that checks the stack is not understood" :
				     "the kernel allows no probe after the check of the stack");
}

int tfs_probe_hit_address(struct tfs_dso *dso, const struct tfs_probe_spec *spec,
			  const struct tfs_probe_resolve_opts *opts, const struct tfs_point *point,
			  uint64_t *hit)
{
	const struct tfs_symbol *sym = tfs_symbol_at(dso, point->addr);

	*hit = point->addr;
	/* the first instructions of a function may be for those alone that call it by a pointer */
	if (spec->at != TFS_PROBE_AT_ADDR && sym && point->addr - sym->addr < sym->skip)
		*hit = sym->addr + sym->skip;
	else if (tfs_dso_is_go(dso) && !is_as_typed(spec))
		return pass_stack_check(dso, opts, point, hit);
	return 0;
}

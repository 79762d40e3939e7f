/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-machine.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/err.h"
#include "dso/arch/machine.h"
#include "dso/dso-internal.h"
#include "dso/dso.h"

int tfs_dso_check_native(struct tfs_dso *dso, struct tfs_err *err)
{
	const struct tfs_machine *m = tfs_dso_machine(dso);
	struct utsname uts;

	if (!m || uname(&uts) || tfs_machine_runs_on(m, uts.machine))
		return 0;
	tfs_err_say(err, -ENOEXEC, "cannot put probes in '%s': it is for %s, this machine is %s",
		    dso->path, m->name, uts.machine);
	tfs_err_hint(err, "-D prints the definitions for the machine it is for");
	return -ENOEXEC;
}

bool tfs_dso_is_narrow(struct tfs_dso *dso)
{
	const struct tfs_machine *m = tfs_dso_machine(dso);
	struct utsname uts;

	return m && m->bits == 32 && dso->kind == TFS_DSO_PROGRAM && !uname(&uts) &&
	       strstr(uts.machine, "64") && tfs_machine_runs_on(m, uts.machine);
}

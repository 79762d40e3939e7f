/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/image-machine.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/err.h"
#include "dso/arch/machine.h"
#include "dso/image-internal.h"

int tfs_image_check_native(struct tfs_image *img, struct tfs_err *err)
{
	const struct tfs_machine *m = tfs_image_machine(img);
	struct utsname uts;

	if (!m || uname(&uts) || tfs_machine_runs_on(m, uts.machine))
		return 0;
	tfs_err_say(err, -ENOEXEC, "cannot put probes in '%s': it is for %s, this machine is %s",
		    img->path, m->name, uts.machine);
	tfs_err_hint(err, "-D prints the definitions for the machine it is for");
	return -ENOEXEC;
}

bool tfs_image_is_narrow(struct tfs_image *img)
{
	const struct tfs_machine *m = tfs_image_machine(img);
	struct utsname uts;

	return m && m->bits == 32 && img->kind == TFS_IMAGE_PROGRAM && !uname(&uts) &&
	       strstr(uts.machine, "64") && tfs_machine_runs_on(m, uts.machine);
}

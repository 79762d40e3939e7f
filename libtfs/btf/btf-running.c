/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "btf/btf-running.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "btf/btf.h"

#define RUNNING "/sys/kernel/btf/"

int tfs_btf_running(const char *name, const struct tfs_btf *base, struct tfs_btf **out,
		    struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, bytes = TFS_STRBUF_INIT;
	int rc;

	/* a module's name comes from kallsyms */
	if (strchr(name, '/'))
		return tfs_err_say(err, -ENODATA, "'%s' is not the name of a module", name);
	rc = tfs_strbuf_addf(&path, RUNNING "%s", name);
	if (!rc)
		rc = tfs_read_path(path.s, &bytes);
	if (rc)
		rc = tfs_err_say(err, rc == -ENOMEM ? rc : -ENODATA,
				 "cannot read the kernel's type information '%s'", path.s);
	else
		rc = tfs_btf_new(bytes.s, bytes.len, base, out, err);
	tfs_strbuf_release(&bytes);
	tfs_strbuf_release(&path);
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/trace-option.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

int tfs_trace_option_list(const struct tfs_root *root, struct tfs_strvec *out, struct tfs_err *err)
{
	struct dirent *ent;
	DIR *dir;
	int fd, rc;

	rc = tfs_file_open(root, "options", O_RDONLY | O_DIRECTORY, &fd, err);
	if (rc)
		return rc;
	dir = fdopendir(fd);
	if (!dir) {
		rc = tfs_err_set(err, -errno, "cannot list the options of tracing");
		tfs_close(&fd);
		return rc;
	}
	while (!rc && (ent = readdir(dir))) {
		if (ent->d_name[0] != '.')
			rc = tfs_strvec_push(out, ent->d_name);
	}
	closedir(dir);
	tfs_strvec_sort(out);
	return rc ? tfs_err_set(err, rc, "cannot list the options of tracing") : 0;
}

/* The option's name in @text; *on is false for one with "no" before it. */
static const char *name_of(const char *text, const struct tfs_strvec *names, bool *on)
{
	*on = tfs_strvec_has(names, text) || strncmp(text, "no", 2) != 0;
	return *on ? text : text + 2;
}

int tfs_trace_option_check(const char *text, const struct tfs_strvec *names, struct tfs_err *err)
{
	bool on;
	const char *name = name_of(text, names, &on);

	if (tfs_strvec_has(names, name))
		return 0;
	tfs_err_say(err, -ENOENT, "tracing has no option '%s' in this kernel", name);
	tfs_suggest_hint(err, name, names, "options/ in tracefs has a file for each option");
	return -ENOENT;
}

int tfs_trace_option_plan(const struct tfs_instance *inst, const char *text,
			  const struct tfs_strvec *names, struct tfs_plan *plan)
{
	struct tfs_strbuf file = TFS_STRBUF_INIT, says = TFS_STRBUF_INIT;
	bool on;
	const char *name = name_of(text, names, &on);
	int rc;

	rc = tfs_strbuf_addf(&file, "options/%s", name);
	if (!rc)
		rc = tfs_strbuf_addf(&says, "cannot switch the option '%s' %s", name,
				     on ? "on" : "off");
	if (!rc)
		rc = tfs_instance_write(inst, file.s, on ? "1" : "0", says.s, plan);
	/* Some of the tracers' own options are shared by all instances (tests/vm/t-function.sh). */
	if (!rc)
		rc = tfs_plan_undo_restore(plan);
	tfs_strbuf_release(&file);
	tfs_strbuf_release(&says);
	return rc;
}

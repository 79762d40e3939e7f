/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-probe-portable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/output-file.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/portable.h"
#include "tc-probe-define.h"
#include "tc-probe-opts.h"
#include "tracefs/root.h"

/* Maximum size of a plan, which is read into memory. */
#define PLAN_BYTES_MAX (16 * 1024 * 1024)

static int write_file(const char *path, const struct tfs_strbuf *sb, struct tfs_err *err)
{
	int fd = -1, rc;

	if (!strcmp(path, "-")) {
		tc_print_exact(sb->s);
		return 0;
	}
	rc = tfs_output_file_open(path, O_TRUNC, 0666, &fd, err);
	if (rc)
		return rc;
	rc = tfs_write_all(fd, sb->s, sb->len);
	tfs_close(&fd);
	return rc ? tfs_err_set(err, rc, "cannot write '%s'", path) : 0;
}

int probe_plan(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	/* which kernel will read it is not known: what every one of the last years takes */
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_probe_defs defs = { 0 };
	int rc = probe_resolve(req, dbg, &features, &defs, err);

	if (!rc)
		rc = tfs_probe_defs_unique(&defs, &none, TFS_PROBE_RENAME, err);
	if (!rc)
		rc = tfs_portable_write(dso, &defs, &sb, err);
	if (!rc)
		rc = write_file(req->plan, &sb, err);
	if (!rc && !req->quiet && strcmp(req->plan, "-") != 0)
		tc_msg_line("%zu definition%s in %s", defs.n, defs.n == 1 ? "" : "s", req->plan);
	tfs_probe_defs_release(&defs);
	tfs_strbuf_release(&sb);
	tfs_strvec_release(&none);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot write the plan '%s'", req->plan);
	return rc;
}

/* Reads no more than a plan may have, whatever the file is. */
static int read_plan(const char *path, struct tfs_strbuf *sb, struct tfs_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;
	char part[4096];
	ssize_t n = 1;

	while (!rc && n > 0) {
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			rc = -errno;
		else if (sb->len + (size_t)n > PLAN_BYTES_MAX)
			rc = -EFBIG;
		else
			rc = tfs_strbuf_add(sb, part, (size_t)n);
	}
	if (!is_stdin && fd >= 0)
		tfs_close(&fd);
	return rc ? tfs_err_set(err, rc, "cannot read the plan '%s'", path) : 0;
}

static void say_targets(const struct tfs_portable *portable)
{
	for (size_t i = 0, d = 0; i < portable->n; i++) {
		const struct tfs_portable_target *t = &portable->target[i];

		while (d < portable->defs.n && portable->defs.v[d].request < i)
			d++;
		if (d == portable->defs.n || portable->defs.v[d].request != i)
			continue;
		tc_msg_line("%s %s: %s%s%s", t->build_id ? "build-id" : "code",
			    t->build_id ? t->build_id : t->code, t->name,
			    portable->defs.v[d].path ? " is " : "",
			    portable->defs.v[d].path ? portable->defs.v[d].path : "");
	}
}

static int resolve_targets(const struct probe_request *req, const struct tfs_root *root,
			   struct tfs_portable *portable, struct tfs_err *err)
{
	struct tfs_probe_features features;
	struct tfs_portable_opts opts = { .root = req->symfs,
					  .pid = (int)(req->pid ? req->pid : req->target_ns),
					  .force = req->force,
					  .features = &features };
	char *exec = NULL;
	int rc = 0;

	tfs_probe_features_read(root, &features);
	if (req->exec && opts.pid)
		rc = tfs_dso_find_in_process(opts.pid, req->exec, &exec, err);
	else if (req->exec)
		rc = tfs_dso_find_program(req->exec, &exec, err);
	opts.exec = exec;
	if (!rc)
		rc = tfs_portable_resolve(portable, &opts, err);
	free(exec);
	return rc;
}

int probe_apply(const struct probe_request *req, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_portable portable = { 0 };
	struct tfs_root *root = NULL;
	int rc = read_plan(req->apply, &sb, err);

	if (!rc)
		rc = tfs_portable_parse(sb.s, sb.len, &portable, err);
	if (!rc)
		rc = tfs_root_open(NULL, &root, err);
	if (!rc)
		rc = resolve_targets(req, root, &portable, err);
	if (!rc && req->verbose)
		say_targets(&portable);
	if (!rc)
		rc = probe_install(req, root, &portable.defs, err);
	tfs_root_free(root);
	tfs_portable_release(&portable);
	tfs_strbuf_release(&sb);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot apply the plan '%s'", req->apply);
	return rc;
}

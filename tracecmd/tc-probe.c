/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "cli/msg.h"
#include "command.h"
#include "sym/image.h"
#include "tc-probe-define.h"
#include "tc-probe-lines.h"
#include "tc-probe-look.h"
#include "tc-probe-opts.h"

static int open_program(const struct probe_request *req, const struct tfs_image_options *opts,
			struct tfs_image **img, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *path = NULL;
	int rc;

	if (req->target_ns) {
		/* a uprobe is on the file itself: any path to it will do */
		rc = tfs_strbuf_addf(&sb, "/proc/%d/root/%s", (int)req->target_ns,
				     req->exec[0] == '/' ? req->exec + 1 : req->exec);
		if (!rc)
			rc = tfs_strbuf_detach(&sb, &path);
		if (rc)
			tfs_err_set(err, rc, "cannot open '%s'", req->exec);
	} else {
		rc = tfs_image_find_program(req->exec, &path, err);
	}
	if (!rc)
		rc = tfs_image_open(path, opts, img, err);
	tfs_strbuf_release(&sb);
	free(path);
	return rc;
}

static int open_module(const struct probe_request *req, const struct tfs_image_options *opts,
		       struct tfs_image **img, struct tfs_err *err)
{
	char *path = NULL;
	int rc = tfs_image_find_module(req->module, NULL, &path, err);

	if (!rc)
		rc = tfs_image_open(path, opts, img, err);
	free(path);
	return rc;
}

static int open_image(const struct probe_request *req, struct tfs_image **img, struct tfs_err *err)
{
	const struct tfs_image_options opts = { .symfs = req->symfs };
	const struct tfs_image_options kernel = { .symfs = req->symfs, .kernel = true };

	if (req->exec)
		return open_program(req, &opts, img, err);
	if (req->module)
		return open_module(req, &opts, img, err);
	if (req->vmlinux)
		return tfs_image_open(req->vmlinux, &kernel, img, err);
	return tfs_image_open_running(&kernel, img, err);
}

static void say_image(struct tfs_image *img)
{
	const char *debug = tfs_image_debug_path(img);

	if (*tfs_image_build_id(img))
		tc_msg_line("build-id: %s", tfs_image_build_id(img));
	tc_msg_line("debug information: %s", debug ? debug : "none");
}

static int look(const struct probe_request *req, struct tfs_image *img, struct tfs_err *err)
{
	switch (req->action) {
	case PROBE_FUNCS:
		return probe_funcs(req, img, err);
	case PROBE_LINES:
		return probe_lines(req, img, err);
	case PROBE_VARS:
		return probe_vars(req, img, err);
	case PROBE_EXPLAIN:
		return probe_explain(req, img, err);
	default:
		return probe_define(req, img, err);
	}
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct probe_request *req = request;
	struct tfs_image *img = NULL;
	int rc;

	if (probe_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	if (req->action == PROBE_LIST) {
		rc = probe_list(req, err);
	} else if (req->action == PROBE_DELETE) {
		rc = probe_delete(req, err);
	} else {
		rc = open_image(req, &img, err);
		if (!rc && req->verbose)
			say_image(img);
		if (!rc)
			rc = look(req, img, err);
		tfs_image_free(img);
	}
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

const struct tc_command tc_command = {
	.name = "tc-probe",
	.summary = "define probes in the kernel and in programs",
	.operands = "[--] [PROBE]",
	.options = probe_options,
	.request_size = sizeof(struct probe_request),
	.init = probe_init,
	.run = run,
	.release = probe_release,
};

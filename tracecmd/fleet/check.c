/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "cli/print.h"
#include "relay/about.h"
#include "fleet/hosts.h"
#include "fleet/opts.h"
#include "fleet/fleet.h"

/* tc-fleet check: are the files of a run those that its manifest is about? */

/* Is the host's line in the manifest what the run's table says? */
static bool is_in_manifest(const struct fleet_host *h, const struct tfs_strbuf *manifest)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	bool is = !fleet_manifest_host(h, &line);

	is = is && strstr(manifest->s, line.s + strcspn(line.s, "{"));
	tfs_strbuf_release(&line);
	return is;
}

/* Appends in what way a file is not the one of the manifest. */
static int compare(const struct tfs_relay_about *want, const struct tfs_relay_about *is,
		   struct tfs_strbuf *out)
{
	if (want->size != is->size)
		return tfs_strbuf_addf(out, "has %" PRIu64 " bytes instead of %" PRIu64, is->size,
				       want->size);
	if (strcmp(want->sha256, is->sha256) != 0)
		return tfs_strbuf_addf(out, "has the SHA-256 %s instead of %s", is->sha256,
				       want->sha256);
	/* The sum was changed with the file, but not these. */
	if (strcmp(want->boot, is->boot) != 0)
		return tfs_strbuf_addf(out, "is of the boot %s instead of %s", is->boot,
				       want->boot);
	if (want->events != is->events || want->lost != is->lost)
		return tfs_strbuf_addf(out, "has other counts of events");
	return 0;
}

static int check_host(const struct fleet_host *h, const struct tfs_strbuf *manifest,
		      struct tfs_strbuf *out)
{
	const struct tfs_relay_about *want = &h->result.file;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_relay_about is;

	if (!is_in_manifest(h, manifest))
		return tfs_strbuf_adds(out, "its line in " FLEET_MANIFEST " was changed");
	if (h->result.has_file && access(h->path, F_OK))
		return tfs_strbuf_addf(out, "'%s' is missing", h->file);
	if (h->result.has_file && tfs_relay_about(h->path, &is, &err) && is.size == want->size &&
	    !strcmp(is.sha256, want->sha256))
		return tfs_strbuf_adds(out, err.msg);
	if (h->result.has_file && compare(want, &is, out))
		return -ENOMEM;
	if (out->len)
		return tfs_strbuf_addf(out, " ('%s')", h->file);
	if (h->state != FLEET_OK && h->err.code)
		return tfs_strbuf_addf(out, "failed: %s", h->err.msg);
	if (h->state != FLEET_OK)
		return tfs_strbuf_adds(out, "not all of it is here");
	return h->result.has_file ? 0 : tfs_strbuf_adds(out, "its file was never complete");
}

static int run_check(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct fleet_run run = { .n = 0 };
	struct tfs_strbuf manifest = TFS_STRBUF_INIT;
	size_t good = 0;
	int rc;

	(void)argv;
	if (argc) {
		tfs_err_say(err, -EINVAL, "operands are not expected: name the folder with -o");
		return TC_EXIT_USAGE;
	}
	rc = fleet_run_load(&run, request, err);
	if (!rc)
		rc = fleet_read_file(&run, FLEET_MANIFEST, &manifest, err);
	for (size_t i = 0; i < run.n && !rc; i++) {
		const struct fleet_host *h = &run.hosts[i];
		struct tfs_strbuf what = TFS_STRBUF_INIT, line = TFS_STRBUF_INIT;

		rc = check_host(h, &manifest, &what);
		good += !rc && !what.len;
		if (!rc)
			rc = tfs_strbuf_addf(&line, "%s: %s", h->name, what.len ? what.s : "ok");
		if (rc)
			tfs_err_set(err, rc, "cannot check '%s'", h->path);
		else if (what.len || !run.req->quiet)
			tc_print_line(line.s);
		tfs_strbuf_release(&what);
		tfs_strbuf_release(&line);
	}
	rc = rc            ? TC_EXIT_FAILED :
	     good == run.n ? TC_EXIT_OK :
	     good          ? FLEET_EXIT_SOME :
			     TC_EXIT_FAILED;
	tfs_strbuf_release(&manifest);
	fleet_run_release(&run);
	return rc;
}

const struct tc_command fleet_check = {
	.name = FLEET_PROGRAM,
	.verb = "check",
	.summary = "compare the files of a run with its manifest",
	.options = fleet_check_options,
	.request_size = sizeof(struct fleet_request),
	.init = fleet_init,
	.run = run_check,
	.release = fleet_release,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "cli/msg.h"
#include "record/session.h"
#include "tc-record-opts.h"
#include "tc-record-show.h"

#define PROGRAM "tc-record"
#define NSEC_PER_CSEC 10000000L
#define CSEC_PER_SEC 100
/* Two switches in a hundredth of a second would have the same name; then the next is taken. */
#define TRIES 100

void record_files_release(struct record_files *files)
{
	tfs_strvec_release(&files->names);
}

/* The name of the @nth try. */
static int next_name(const char *path, int nth, struct tfs_strbuf *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec += nth * NSEC_PER_CSEC;
	now.tv_sec += now.tv_nsec / (CSEC_PER_SEC * NSEC_PER_CSEC);
	now.tv_nsec %= CSEC_PER_SEC * NSEC_PER_CSEC;
	tfs_strbuf_reset(out);
	return tfs_switch_output_name(path, &now, out);
}

static void remove_oldest(struct record_files *files, const struct record_request *req)
{
	while (req->switch_output.max_files && files->names.n > req->switch_output.max_files) {
		if (unlink(files->names.v[0]) && errno != ENOENT)
			tc_msg_notice(PROGRAM, "cannot remove '%s': %s", files->names.v[0],
				      strerror(errno));
		tfs_strvec_remove(&files->names, 0);
	}
}

static int add_name(struct record_files *files, const struct record_request *req, const char *name,
		    struct tfs_err *err)
{
	int rc = tfs_strvec_push(&files->names, name);

	if (rc)
		return tfs_err_set(err, rc, "cannot keep the names of the files");
	files->made++;
	remove_oldest(files, req);
	return 0;
}

static void print_totals(const struct record_request *req, const struct tfs_session_totals *totals)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = req->quiet ? 0 : record_show_totals(req, totals, &sb);

	if (!rc)
		rc = record_show_lost(req, totals, &sb);
	tfs_strbuf_rtrim(&sb);
	if (!rc && sb.len)
		tc_msg_line("%s", sb.s);
	if (totals->no_symbols && !req->quiet)
		tc_msg_notice(PROGRAM,
			      "'%s' has no room for the kernel's symbols: addresses of "
			      "code have no names",
			      totals->path ? totals->path : req->output);
	if (totals->lost_maps)
		tc_msg_notice(PROGRAM,
			      "%llu of the kernel's reports on what programs map were lost: "
			      "addresses of some programs have no names",
			      (unsigned long long)totals->lost_maps);
	tfs_strbuf_release(&sb);
}

/* A file system may not check by itself that nobody has the name: then nobody makes such names. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno == EINVAL && access(to, F_OK))
		return rename(from, to) ? -errno : 0;
	return -errno;
}

int record_files_name(struct record_files *files, const struct record_request *req,
		      struct tfs_session_totals *totals, struct tfs_err *err)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = -EEXIST;

	for (int i = 0; i < TRIES && rc == -EEXIST; i++) {
		rc = next_name(req->output, i, &name);
		if (!rc)
			rc = rename_new(totals->path, name.s);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot rename '%s'", totals->path);
	else
		rc = add_name(files, req, name.s, err);
	if (!rc && files->names.n)
		totals->path = files->names.v[files->names.n - 1];
	tfs_strbuf_release(&name);
	return rc;
}

/* Its name until it is complete. One that is there is what a killed recorder left: it stays. */
static int part_name(const char *path, int nth, struct tfs_strbuf *out)
{
	tfs_strbuf_reset(out);
	return nth ? tfs_strbuf_addf(out, "%s.part%d", path, nth) :
		     tfs_strbuf_addf(out, "%s.part", path);
}

int record_files_switch(struct record_files *files, const struct record_request *req,
			struct tfs_session *session, struct tfs_err *err)
{
	struct tfs_strbuf part = TFS_STRBUF_INIT;
	struct tfs_session_totals totals;
	int rc = -EEXIST;

	for (int i = 0; i < TRIES && rc == -EEXIST; i++) {
		tfs_err_clear(err);
		rc = part_name(req->output, i, &part);
		if (rc)
			tfs_err_set(err, rc, "cannot name the next file");
		else
			rc = tfs_session_switch(session, part.s, &totals, err);
	}
	if (!rc) {
		totals.path = part.s;
		rc = record_files_name(files, req, &totals, err);
		print_totals(req, &totals);
		files->events += totals.events;
		files->lost += totals.lost;
		files->taken += totals.taken;
		files->signs |= totals.signs;
	}
	tfs_strbuf_release(&part);
	return rc;
}

void record_files_print_totals(const struct record_files *files, const struct record_request *req,
			       const struct tfs_session_totals *last)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	print_totals(req, last);
	if (files->made > 1 && !req->quiet &&
	    !record_show_files(files->made, files->names.n, files->events + last->events,
			       files->lost + last->lost, &sb))
		tc_msg_line("%s", sb.s);
	tfs_strbuf_release(&sb);
}

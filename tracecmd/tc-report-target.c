/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "tc-report-opts.h"
#include "tc-report-views.h"

/* The first bytes of every trace.dat file */
static const char magic[] = "\x17\x08\x44tracing";

static bool is_recording(const char *path)
{
	char head[sizeof(magic) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
		  !memcmp(head, magic, sizeof(head));

	tfs_close(&fd);
	return is;
}

static bool is_read(const struct report_request *req, const struct stat *target)
{
	struct stat input;

	for (size_t i = 0; i < req->n_inputs; i++)
		if (!stat(req->inputs[i].path, &input) && input.st_dev == target->st_dev &&
		    input.st_ino == target->st_ino)
			return true;
	return false;
}

int report_check_target(const struct report_request *req, struct tfs_err *err)
{
	const char *to = req->output ? req->output : req->to;
	struct stat target;

	if (req->view->flags & REPORT_BINARY && !req->raw_output && isatty(STDOUT_FILENO) &&
	    (!to || !strcmp(to, "-"))) {
		tfs_err_say(err, -EINVAL, "%s writes binary data, which is not for a terminal",
			    req->view->option);
		tfs_err_hint(err, "-o FILE, or a pipe");
		return -EINVAL;
	}
	if (!to || !strcmp(to, "-") || stat(to, &target) || !S_ISREG(target.st_mode) ||
	    !(is_read(req, &target) || is_recording(to)))
		return 0;
	tfs_err_say(err, -EEXIST, "'%s' is a recording, which would be replaced", to);
	tfs_err_hint(err, "%s%sFILE names the file to write; name recordings after it",
		     req->output ? "-o" : req->view->option, req->output ? " " : "=");
	return -EEXIST;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/pressure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strvec.h"

#define NSEC_PER_USEC 1000U
/* The kernel's own limits of a window, psi.rst */
#define WINDOW_MIN_NS 500000000ULL
#define WINDOW_MAX_NS 10000000000ULL

static bool is_form(const struct tfs_strvec *w)
{
	static const char *const resources[] = { "cpu", "memory", "io", "irq" };

	if (w->n != 4 || (strcmp(w->v[1], "some") != 0 && strcmp(w->v[1], "full") != 0))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		if (!strcmp(w->v[0], resources[i]))
			return true;
	}
	return false;
}

static int parse_words(const char *text, const struct tfs_strvec *w, struct tfs_pressure *p,
		       struct tfs_err *err)
{
	uint64_t stall = 0, window = 0;
	int rc;

	if (!is_form(w)) {
		rc = tfs_err_say(err, -EINVAL, "'%s' is not a pressure", text);
		tfs_err_hint(err, "cpu, memory, io or irq; some or full; a time of stalls; a time "
				  "in which they happen: cpu some 500ms 2s");
		return rc;
	}
	rc = tfs_parse_duration(w->v[2], &stall, err);
	if (!rc)
		rc = tfs_parse_duration(w->v[3], &window, err);
	if (rc)
		return rc;
	if (window < WINDOW_MIN_NS || window > WINDOW_MAX_NS || !stall || stall > window)
		return tfs_err_say(err, -ERANGE,
				   "'%s': the window is 500ms to 10s, and the stalls fit into it",
				   text);
	snprintf(p->resource, sizeof(p->resource), "%s", w->v[0]);
	snprintf(p->trigger, sizeof(p->trigger), "%s %" PRIu64 " %" PRIu64, w->v[1],
		 stall / NSEC_PER_USEC, window / NSEC_PER_USEC);
	return 0;
}

int tfs_pressure_parse(const char *text, struct tfs_pressure *p, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	int rc = tfs_strvec_split(&words, text, " \t");

	if (rc)
		tfs_err_set(err, rc, "cannot keep '%s'", text);
	else
		rc = parse_words(text, &words, p, err);
	tfs_strvec_release(&words);
	return rc;
}

int tfs_pressure_open(const struct tfs_pressure *p, int *fd, struct tfs_err *err)
{
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/pressure/%s", p->resource);
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0) {
		rc = tfs_err_set(err, -errno, "cannot wait for pressure: '%s'", path);
		tfs_err_hint(err, "the kernel needs CONFIG_PSI, and psi=1 where "
				  "CONFIG_PSI_DEFAULT_DISABLED is set");
		return rc;
	}
	/* With its NUL: the kernel replaces the last byte by one. */
	if (write(*fd, p->trigger, strlen(p->trigger) + 1) >= 0)
		return 0;
	rc = tfs_err_set(err, -errno, "cannot wait for '%s' of '%s'", p->trigger, path);
	if (rc == -EINVAL)
		tfs_err_hint(err, "without CAP_SYS_RESOURCE the window is 2s, 4s, ...");
	tfs_close(fd);
	return rc;
}

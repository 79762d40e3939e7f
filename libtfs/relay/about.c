/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/about.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-uname.h"

#define READ_BYTES (128u << 10)

_Static_assert(TFS_DAT_BOOT_SIZE <= TFS_RELAY_WORD, "a boot's id fits");

static int sum(const char *path, struct tfs_relay_about *about)
{
	struct tfs_sha256 s;
	unsigned char *buf = malloc(READ_BYTES);
	int fd = buf ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	int rc = !buf ? -ENOMEM : fd < 0 ? -errno : 0;
	ssize_t n = 1;

	tfs_sha256_init(&s);
	while (!rc && n) {
		n = read(fd, buf, READ_BYTES);
		if (n > 0)
			tfs_sha256_add(&s, buf, (size_t)n);
		else if (n < 0 && errno != EINTR)
			rc = -errno;
	}
	about->size = s.bytes;
	tfs_sha256_end(&s, about->sha256);
	tfs_close(&fd);
	free(buf);
	return rc;
}

static void add_counts(void *context, const struct tfs_dat_lost *lost)
{
	struct tfs_relay_about *about = context;

	about->is_counted = true;
	about->events += lost->events;
	about->lost += tfs_dat_lost_sum(lost);
}

static void read_counts(const struct tfs_dat *dat, struct tfs_relay_about *about)
{
	tfs_dat_lost_each(dat, add_counts, about);
}

static int read_clocks(const struct tfs_dat *dat, struct tfs_relay_about *about)
{
	const struct tfs_dat_clock_pair *pairs;
	struct tfs_dat_clocks *clocks;
	size_t n = 0;
	int rc = tfs_dat_clocks_new(dat, &clocks);

	if (rc)
		return rc;
	pairs = clocks ? tfs_dat_clocks_all(clocks, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (pairs[i].source != TFS_DAT_CLOCK_REALTIME)
			continue;
		about->is_synced = (about->is_synced || !about->begin_ns) &&
				   (pairs[i].flags & TFS_DAT_CLOCK_SYNCED);
		if (!about->begin_ns)
			about->begin_ns = pairs[i].ref;
		about->end_ns = pairs[i].ref;
		if (pairs[i].bound > about->bound_ns)
			about->bound_ns = pairs[i].bound;
		if (pairs[i].maxerror > about->error_ns)
			about->error_ns = pairs[i].maxerror;
	}
	tfs_dat_clocks_free(clocks);
	return 0;
}

static void read_kernel(const struct tfs_dat *dat, struct tfs_relay_about *about)
{
	struct tfs_dat_uname uname;
	size_t len;

	if (!tfs_dat_boot(dat, about->boot))
		about->boot[0] = '\0';
	if (!tfs_dat_uname(dat, &uname))
		return;
	len = uname.word[TFS_UNAME_RELEASE].len;
	if (len >= sizeof(about->kernel))
		return;
	for (size_t i = 0; i < len; i++) {
		const char c = uname.word[TFS_UNAME_RELEASE].s[i];

		about->kernel[i] = (char)(isgraph((unsigned char)c) ? c : '?');
	}
	about->kernel[len] = '\0';
}

int tfs_relay_about(const char *path, struct tfs_relay_about *about, struct tfs_err *err)
{
	struct tfs_dat *dat;
	int rc;

	*about = (struct tfs_relay_about){ .size = 0 };
	rc = sum(path, about);
	if (rc)
		return tfs_err_set(err, rc, "cannot read '%s'", path);
	rc = tfs_dat_open(path, &dat, err);
	if (rc)
		return rc;
	read_kernel(dat, about);
	read_counts(dat, about);
	rc = read_clocks(dat, about);
	tfs_dat_free(dat);
	return rc ? tfs_err_set(err, rc, "cannot read '%s'", path) : 0;
}

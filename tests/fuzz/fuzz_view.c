/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a recording, shown. The low bits of the first byte of the input choose the view, a
 * row of lib/every_view.c; its highest bit asks for plugins.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "lib/every_view.h"

/* Enough of what expands out of proportion. */
#define EVENTS_MAX 2000
#define PLUGINS 0x80

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

/* libtraceevent 1.7 does not free all that it has when it refuses a format. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_err err = TFS_ERR_INIT;
	char path[64];
	/* The code that draws function_graph in place of a plugin is off without plugins, too. */
	struct every_view_opts opts = { .path = path,
					.file = "/dev/null",
					.plugins = size && data[0] & PLUGINS,
					.max_events = EVENTS_MAX };
	int fd, rc;

	if (!size)
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	opts.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	must(fd >= 0 && opts.fd >= 0 && !tfs_write_all(fd, data + 1, size - 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = every_view_show((data[0] & ~PLUGINS) % every_view_count(), &opts, &err);
	must(rc <= 0 && (!rc || rc == -ENOMEM || err.msg[0]));
	close(fd);
	close(opts.fd);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/msg.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

/* Reading it takes the lock, and little else. */
#define LOCKED_FILE "set_event"
/* Enabling some thousand events, or taking uprobes away, holds it for less. */
#define PATIENCE_MS 1500

static void try_lock(const struct tfs_root *root)
{
	char byte;
	int fd;

	if (tfs_file_open(root, LOCKED_FILE, O_RDONLY, &fd, NULL))
		_exit(1);
	_exit(read(fd, &byte, 1) < 0);
}

static int wait_end(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int n;

	do {
		n = poll(&pfd, 1, ms);
	} while (n < 0 && errno == EINTR);
	return n;
}

void trace_lock_wait(const struct tfs_root *root, const char *program, unsigned int flags)
{
	int ends[2];
	pid_t pid;

	/* Without a child nothing is known: what follows waits by itself. */
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid)
		try_lock(root);
	tfs_close(&ends[1]);
	if (pid > 0 && !wait_end(ends[0], PATIENCE_MS)) {
		if (!(flags & TRACE_LOCK_QUIET))
			tc_msg_notice(
				program,
				"waiting for the kernel: another process is changing events or "
				"probes, or hangs doing so (%s/" LOCKED_FILE
				" cannot be read); Ctrl-C ends this program",
				tfs_root_path(root));
		wait_end(ends[0], -1);
	}
	tfs_close(&ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

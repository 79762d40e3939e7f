/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf-core.h"

int capture_run(void (*fn)(void *arg), void *arg, int fd1, int fd2, struct tfs_strbuf *got)
{
	int ends[2], status = -1;
	pid_t pid;

	fflush(NULL);
	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		if (dup2(ends[1], fd1) < 0 || (fd2 >= 0 && dup2(ends[1], fd2) < 0))
			_exit(99);
		close(ends[0]);
		close(ends[1]);
		fn(arg);
		fflush(NULL);
		_exit(0);
	}
	close(ends[1]);
	if (pid > 0 && !tfs_read_fd(ends[0], got))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	close(ends[0]);
	return pid > 0 ? status : -1;
}

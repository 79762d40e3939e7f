/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/err.h"
#include "base/io.h"

int tfs_notify(const char *state, struct tfs_err *err)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = name ? strlen(name) : 0;
	int fd, rc = 0;

	if (!len)
		return 0;
	if ((*name != '/' && *name != '@') || len >= sizeof(to.sun_path))
		return tfs_err_say(err, -EINVAL, "NOTIFY_SOCKET is not the name of a socket: '%s'",
				   name);
	memcpy(to.sun_path, name, len);
	if (*name == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot make a socket");
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		rc = tfs_err_set(err, -errno, "cannot send to the service manager at '%s'", name);
	tfs_close(&fd);
	return rc;
}

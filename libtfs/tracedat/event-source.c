/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/event-source.h"

#include <poll.h>

int tfs_event_source_update(struct tfs_event_source *source, struct tfs_err *err)
{
	return source->ended ? 0 : source->ops->update(source, err);
}

int tfs_event_source_wait(struct tfs_event_source *source, struct tfs_err *err)
{
	struct pollfd p[] = {
		{ .fd = source->stop_fd, .events = POLLIN },
		{ .fd = source->wake_fd, .events = POLLIN },
	};

	/* poll() ignores a negative descriptor. */
	if (poll(p, 2, source->pause_ms) > 0 && p[0].revents)
		source->stop = true;
	return tfs_event_source_update(source, err);
}

void tfs_event_source_free(struct tfs_event_source *source)
{
	if (source)
		source->ops->free(source);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_ABOUT_H
#define TFS_RELAY_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"

struct tfs_err;

/** TFS_RELAY_WORD - bytes of a kernel's release or a boot's id at most, with NUL */
#define TFS_RELAY_WORD 65

/**
 * struct tfs_relay_about - a complete recording, for a list of recordings
 * @size: of the file, in bytes
 * @sha256: of the file, in hexadecimal digits
 * @boot: id of the boot of its kernel; "": the file does not say, as for the next ones
 * @kernel: release
 * @is_counted: the file has the table of its events and losses: @events, @lost
 * @begin_ns, @end_ns: CLOCK_REALTIME of the host near the beginning and the end; 0: not known
 * @is_synced: that clock was synchronized all the time
 * @error_ns: how far it was from the true time at the most, by the host's own estimate
 * @bound_ns: how far the trace clock and it are apart from what the file says, at the most
 */
struct tfs_relay_about {
	uint64_t size;
	char sha256[TFS_SHA256_TEXT];
	char boot[TFS_RELAY_WORD];
	char kernel[TFS_RELAY_WORD];
	bool is_counted;
	uint64_t events, lost;
	uint64_t begin_ns, end_ns;
	bool is_synced;
	uint64_t error_ns, bound_ns;
};

/**
 * tfs_relay_about() - read a recording; all of it, for the sum
 * Return: 0; -EBADMSG when it is not a trace file; -errno.
 */
int tfs_relay_about(const char *path, struct tfs_relay_about *about, struct tfs_err *err);

#endif

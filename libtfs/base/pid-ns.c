/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/pid-ns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_NS "/proc/self/ns/pid"
/* PROC_PID_INIT_INO of the kernel */
#define FIRST 0xeffffffcu

uint64_t tfs_pid_ns(void)
{
	struct stat st;

	return stat(OWN_NS, &st) || st.st_ino == FIRST ? 0 : (uint64_t)st.st_ino;
}

long tfs_pid_in_status(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	long found = 0, next;
	char *end;

	for (p = p ? p + strlen(key) : ""; *p == '\t' || *p == ' '; p = end) {
		next = strtol(p, &end, 10);
		if (end == p)
			break;
		found = next;
	}
	return found;
}

void tfs_pid_tag(char tag[TFS_PID_TAG_SIZE], char separator)
{
	const uint64_t ns = tfs_pid_ns();

	if (ns)
		snprintf(tag, TFS_PID_TAG_SIZE, "%ld%c%" PRIu64, (long)getpid(), separator, ns);
	else
		snprintf(tag, TFS_PID_TAG_SIZE, "%ld", (long)getpid());
}

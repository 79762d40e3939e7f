/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/comms.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <event-parse.h>

#include "base/strbuf-core.h"

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* "123 comm" up to @end: the address of "comm", or NULL */
static const char *read_pid(const char *p, const char *end, int *pid)
{
	bool minus;
	long n = 0;
	const char *digits;

	p = skip_space(p, end);
	minus = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *p - '0', &n))
			return NULL;
	*pid = (int)(minus ? -n : n);
	return p > digits ? skip_space(p, end) : NULL;
}

bool tfs_comms_next(const char **text, int *pid, const char **name, size_t *len)
{
	const char *p = *text, *end;

	while (*p == '\n')
		p++;
	end = strchrnul(p, '\n');
	*name = read_pid(p, end, pid);
	if (!*name || *name == end)
		return false;
	*len = (size_t)(end - *name);
	*text = end;
	return true;
}

int tfs_comms_load(struct tep_handle *tep, const char *text)
{
	struct tfs_strbuf comm = TFS_STRBUF_INIT;
	const char *name;
	int pid, rc = 0, n = 0;
	size_t len;

	while (!rc && n++ < TFS_COMMS_MAX && tfs_comms_next(&text, &pid, &name, &len)) {
		tfs_strbuf_reset(&comm);
		rc = tfs_strbuf_add(&comm, name, len);
		errno = 0;
		if (!rc && tep_register_comm(tep, comm.s, pid) && errno == ENOMEM)
			rc = -ENOMEM;
	}
	tfs_strbuf_release(&comm);
	return rc;
}

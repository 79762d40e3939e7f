/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/comms.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <event-parse.h>

#include "base/strbuf.h"

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* "123 comm" up to @end; behind the number and what is blank, or NULL */
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

int tfs_comms_load(struct tep_handle *tep, const char *text)
{
	struct tfs_strbuf comm = TFS_STRBUF_INIT;
	const char *p = text, *end, *name;
	int pid, rc = 0, n = 0;

	for (; *p && !rc && n < TFS_COMMS_MAX; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (end == p)
			continue;
		n++;
		name = read_pid(p, end, &pid);
		if (!name || name == end)
			break;
		tfs_strbuf_reset(&comm);
		rc = tfs_strbuf_add(&comm, name, (size_t)(end - name));
		errno = 0;
		if (!rc && tep_register_comm(tep, comm.s, pid) && errno == ENOMEM)
			rc = -ENOMEM;
	}
	tfs_strbuf_release(&comm);
	return rc;
}

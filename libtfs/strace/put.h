/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_PUT_H
#define TFS_STRACE_PUT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "strace/args.h"

struct sys_set;
struct tfs_call;

/**
 * struct put - where values of a call are appended to
 * @rc: 0, or the first error: nothing is appended after it
 */
struct put {
	const struct tfs_args_opts *opts;
	const struct tfs_call *call;
	struct tfs_strbuf *out;
	int rc;
};

static inline void put_mem(struct put *p, const char *s, size_t len)
{
	if (p->rc || tfs_strbuf_room(p->out, len)) {
		p->rc = p->rc ? p->rc : -ENOMEM;
		return;
	}
	memcpy(p->out->s + p->out->len, s, len);
	p->out->len += len;
	p->out->s[p->out->len] = '\0';
}

static inline void put_text(struct put *p, const char *s)
{
	put_mem(p, s, strlen(s));
}

void put_dec(struct put *p, int64_t n);
void put_udec(struct put *p, uint64_t n);
/** put_hex() - "0x1f", or "0" */
void put_hex(struct put *p, uint64_t n);
/** put_addr() - "0x1f", or "NULL" */
void put_addr(struct put *p, uint64_t n);
/** put_mode() - octal with at least three digits */
void put_mode(struct put *p, uint64_t n);
/** put_set() - names of a value, in the way that was asked for */
void put_set(struct put *p, const struct sys_set *set, uint64_t value);
/** put_set_name() - the name of a value that has one; false: nothing was appended */
bool put_set_name(struct put *p, const struct sys_set *set, uint64_t value);
/** put_string() - in quotes; @limit: bytes shown at most, "..." after it; @cut: there is more */
void put_string(struct put *p, const char *s, size_t len, size_t limit, bool cut);

#endif

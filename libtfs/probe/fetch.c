/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "probe/fetch-type.h"

void tfs_fetch_release(struct tfs_fetch *fetch)
{
	free(fetch->name);
	free(fetch->sym);
	tfs_meaning_release(&fetch->means);
	memset(fetch, 0, sizeof(*fetch));
}

int tfs_fetch_copy(struct tfs_fetch *to, const struct tfs_fetch *from)
{
	*to = *from;
	to->name = from->name ? strdup(from->name) : NULL;
	to->sym = from->sym ? strdup(from->sym) : NULL;
	if (tfs_meaning_copy(&to->means, &from->means) || (from->name && !to->name) ||
	    (from->sym && !to->sym)) {
		tfs_fetch_release(to);
		return -ENOMEM;
	}
	return 0;
}

static int emit_base(const struct tfs_fetch *f, struct tfs_strbuf *out)
{
	switch (f->base) {
	case TFS_FETCH_REG:
		return tfs_strbuf_addf(out, "%%%s", f->reg);
	case TFS_FETCH_STACK:
		return tfs_strbuf_adds(out, "$stack");
	case TFS_FETCH_RETVAL:
		return tfs_strbuf_adds(out, "$retval");
	case TFS_FETCH_ARG:
		return tfs_strbuf_addf(out, "$arg%" PRId64, f->value);
	case TFS_FETCH_COMM:
		return tfs_strbuf_adds(out, "$comm");
	case TFS_FETCH_IMM:
		return f->imm_hex ? tfs_strbuf_addf(out, "\\0x%" PRIx64, (uint64_t)f->value) :
				    tfs_strbuf_addf(out, "\\%" PRId64, f->value);
	case TFS_FETCH_FILE:
		return tfs_strbuf_addf(out, "@+0x%" PRIx64, (uint64_t)f->value);
	case TFS_FETCH_SYM:
		return f->value ? tfs_strbuf_addf(out, "@%s%+" PRId64, f->sym, f->value) :
				  tfs_strbuf_addf(out, "@%s", f->sym);
	}
	return -EINVAL;
}

int tfs_fetch_emit(const struct tfs_fetch *f, struct tfs_strbuf *out)
{
	unsigned int i;
	int rc = 0;

	for (i = f->n_deref; i-- > 0 && !rc;)
		rc = tfs_strbuf_addf(
			out, "%c%s%" PRIu64 "(", f->offset[i] < 0 ? '-' : '+', f->user ? "u" : "",
			f->offset[i] < 0 ? -(uint64_t)f->offset[i] : (uint64_t)f->offset[i]);
	if (!rc)
		rc = emit_base(f, out);
	for (i = 0; i < f->n_deref && !rc; i++)
		rc = tfs_strbuf_addc(out, ')');
	if (!rc && f->type[0])
		rc = tfs_strbuf_addf(out, ":%s", f->type);
	return rc;
}

bool tfs_fetch_is_number(const struct tfs_fetch *fetch)
{
	struct tfs_fetch_type type;

	return !tfs_fetch_type_parse(fetch->type, strchr(fetch->type, '\0'), &type) &&
	       type.info->flags & (TFS_FETCH_SIZED | TFS_FETCH_BITS);
}

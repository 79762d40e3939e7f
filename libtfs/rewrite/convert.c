/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/convert.h"

#include <errno.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "rewrite/dat-out.h"
#include "tracedat/dat-read.h"
#include "tracedat/stream.h"

static int copy_text(struct tfs_dat *dat, size_t buffer, struct tfs_dat_out *out,
		     struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_dat_text(dat, buffer, &text, err);

	if (rc != -ENOMEM)
		rc = tfs_dat_out_text(out, text.s, text.len, err);
	tfs_strbuf_release(&text);
	return rc;
}

static int copy_cpu(struct tfs_dat *dat, size_t buffer, size_t cpu, struct tfs_dat_out *out,
		    struct tfs_err *err)
{
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(dat, buffer);
	/* A damaged file may describe a CPU twice: one part goes after the other. */
	const bool again = cpu && buf->cpus[cpu - 1].size &&
			   buf->cpus[cpu - 1].cpu == buf->cpus[cpu].cpu;
	struct tfs_err fault = TFS_ERR_INIT;
	struct tfs_stream *s;
	const void *page;
	int rc, got;

	if (!buf->cpus[cpu].size)
		return 0;
	rc = tfs_stream_new(dat, buffer, cpu, &s, err);
	if (rc)
		return rc;
	if (!again)
		rc = tfs_dat_out_cpu(out, buf->cpus[cpu].cpu, err);
	while (!rc && (got = tfs_stream_next(s, &page, &fault)) != 0) {
		if (got < 0)
			break;
		rc = tfs_dat_out_page(out, page, err);
	}
	tfs_stream_free(s);
	if (!rc && fault.code == -ENOMEM) {
		*err = fault;
		return fault.code;
	}
	if (fault.code)
		tfs_dat_note_damage(dat, &fault);
	return rc;
}

int tfs_convert_data(struct tfs_dat *dat, struct tfs_dat_out *out, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < tfs_dat_n_buffers(dat) && !rc; i++) {
		const struct tfs_dat_buffer *buf = tfs_dat_buffer(dat, i);

		rc = tfs_dat_out_buffer(out, err);
		if (!rc && buf->text)
			rc = copy_text(dat, i, out, err);
		for (size_t k = 0; k < buf->n_cpus && !rc; k++)
			rc = copy_cpu(dat, i, k, out, err);
	}
	return rc;
}

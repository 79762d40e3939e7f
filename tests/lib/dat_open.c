/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/dat_open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "tracedat/dat-read.h"

struct tfs_dat *dat_open(const struct bytes *b)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat *dat = NULL;

	if (tfs_dat_open_fd(bytes_to_fd(b->sb.s, b->sb.len), "x.dat", &dat, &err))
		fail_msg("%s", err.msg);
	return dat;
}

struct tfs_dat *dat_open_built(struct dat_builder *d)
{
	struct tfs_dat *dat;

	dat_options_end(d);
	dat = dat_open(&d->b);
	dat_release(d);
	return dat;
}

struct tfs_dat *dat_open_sample(const struct dat_spec *spec)
{
	struct tfs_dat *dat;
	struct bytes b;

	dat_sample(spec, &b);
	dat = dat_open(&b);
	bytes_release(&b);
	return dat;
}

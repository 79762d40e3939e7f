/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/attach-clocks.h"

#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "clock/clock-map.h"
#include "tracedat/dat-compared.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-shift.h"
#include "tracedat/dat-time.h"

static int not_compared(const struct tfs_dat *host, const struct tfs_dat *guest,
			struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "the clocks of '%s' and '%s' were not compared",
		    tfs_dat_path(host), tfs_dat_path(guest));
	tfs_err_hint(err, "say with -s what is added to the guest's time stamps");
	return -EINVAL;
}

/* Readers add this to the host's times, but not to the guest's: options OFFSET and DATE */
static int differ_by(struct tfs_dat *host, struct tfs_dat *guest, uint64_t *add,
		     struct tfs_err *err)
{
	static const struct tfs_dat_time_opts shown = { 0 };
	struct tfs_dat_time *h = NULL, *g = NULL;
	int rc = tfs_dat_time_new(host, &shown, &h, err);

	if (!rc)
		rc = tfs_dat_time_new(guest, &shown, &g, err);
	if (!rc)
		*add = tfs_dat_time_offset(h) - tfs_dat_time_offset(g);
	tfs_dat_time_free(h);
	tfs_dat_time_free(g);
	return rc;
}

static int shift(const struct tfs_dat_compared *host, const struct tfs_dat_compared *guest,
		 const struct tfs_dat_shift *what, struct tfs_strbuf *payload, uint64_t *bound,
		 struct tfs_err *err)
{
	struct tfs_clock_map *map = NULL;
	struct tfs_dat_shift sum = *what;
	int rc = tfs_dat_compared_map(guest, host, &map);

	if (!rc && !map)
		rc = not_compared(host->dat, guest->dat, err);
	if (!rc)
		rc = differ_by(host->dat, guest->dat, &sum.add, err);
	if (!rc) {
		*bound = tfs_clock_map_worst(map);
		rc = tfs_dat_shift_put(payload, map, &sum);
		if (rc && rc != -ENOMEM)
			tfs_err_set(err, rc,
				    "'%s': the clock's line does not fit for %" PRIu32 " CPUs",
				    tfs_dat_path(guest->dat), what->cpus);
	}
	tfs_clock_map_free(map);
	return rc;
}

int tfs_attach_clocks(struct tfs_dat *host, struct tfs_dat *guest, const struct tfs_dat_shift *what,
		      struct tfs_strbuf *payload, uint64_t *bound, struct tfs_err *err)
{
	/* TIME_SHIFT is for time stamps as they are. */
	static const struct tfs_dat_time_opts raw = { .raw = true };
	struct tfs_dat_compared h = { 0 }, g = { 0 };
	int rc = tfs_dat_compared_read(&h, host, &raw, err);

	if (!rc)
		rc = tfs_dat_compared_read(&g, guest, &raw, err);
	if (!rc)
		rc = shift(&h, &g, what, payload, bound, err);
	tfs_dat_compared_release(&h);
	tfs_dat_compared_release(&g);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot compare the clocks") : rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_CLOCKS_H
#define TFS_TRACEDAT_DAT_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/*
 * The option TFS_DAT_PRIVATE_CLOCKS: what other clocks showed beside the trace clock. It consists
 * of records (dat-records.h): type 1, a pair: u64 trace, reference, bound, u32 source, method,
 * flags, status, u64 maxerror, esterror; type 2, a source: u32 number, strz name; type 3, the trace
 * clock: u32 flags, strz name.
 */

/** TFS_DAT_CLOCK_REALTIME - the source without a name: CLOCK_REALTIME of the recording's host */
#define TFS_DAT_CLOCK_REALTIME 0

/**
 * enum tfs_dat_clock_method - how a sample was taken
 * @TFS_DAT_CLOCK_READ: clock_gettime() of both clocks
 * @TFS_DAT_CLOCK_STATS: the trace clock from "now ts" of per_cpu/cpuN/stats
 * @TFS_DAT_CLOCK_TRIP: round trip to another host
 */
enum tfs_dat_clock_method {
	TFS_DAT_CLOCK_READ = 1,
	TFS_DAT_CLOCK_STATS = 2,
	TFS_DAT_CLOCK_TRIP = 3,
};

/** enum tfs_dat_clock_flags - @TFS_DAT_CLOCK_SYNCED: adjtimex() calls the host synchronized */
enum tfs_dat_clock_flags { TFS_DAT_CLOCK_SYNCED = 1 << 0 };

/**
 * enum tfs_dat_clock_kind - what the trace clock is not good for
 * @TFS_DAT_CLOCK_PER_CPU: the clocks of different CPUs are not the same one (local)
 * @TFS_DAT_CLOCK_COUNTER: it does not count time (counter): there are no samples
 */
enum tfs_dat_clock_kind { TFS_DAT_CLOCK_PER_CPU = 1 << 0, TFS_DAT_CLOCK_COUNTER = 1 << 1 };

/**
 * struct tfs_dat_clock_pair - the trace clock and another one at one moment
 * @trace: the trace clock in its units, as the events are recorded
 * @ref: what the other clock showed then, in ns, give or take @bound
 * @source: which other clock: TFS_DAT_CLOCK_REALTIME, or a number that a name belongs to
 * @method: enum tfs_dat_clock_method
 * @flags: enum tfs_dat_clock_flags
 * @status: of adjtimex()
 * @maxerror, @esterror: of adjtimex(), in ns: how far CLOCK_REALTIME is from true time, as far as
 *	the host knows; only with TFS_DAT_CLOCK_SYNCED
 */
struct tfs_dat_clock_pair {
	uint64_t trace, ref, bound;
	uint32_t source, method, flags, status;
	uint64_t maxerror, esterror;
};

/** tfs_dat_clocks_add() - append a pair to a payload that begins with the mark; 0 or -errno */
int tfs_dat_clocks_add(struct tfs_strbuf *payload, const struct tfs_dat_clock_pair *pair);
/** tfs_dat_clocks_add_source() - the same of a clock's name: files with the same name share it */
int tfs_dat_clocks_add_source(struct tfs_strbuf *payload, uint32_t source, const char *name);
/** tfs_dat_clocks_add_kind() - the same of the trace clock: enum tfs_dat_clock_kind and its name */
int tfs_dat_clocks_add_kind(struct tfs_strbuf *payload, uint32_t kind, const char *name);

/** struct tfs_dat_clocks - what a file says; constant once made, for any number of threads */
struct tfs_dat_clocks;

/**
 * tfs_dat_clocks_new() - read the options
 * @out: NULL where the file has none; release with tfs_dat_clocks_free()
 *
 * Damaged records and what exceeds a million pairs are left out. Return: 0 or -ENOMEM.
 */
int tfs_dat_clocks_new(const struct tfs_dat *dat, struct tfs_dat_clocks **out);
void tfs_dat_clocks_free(struct tfs_dat_clocks *clocks);

/** tfs_dat_clocks_all() - all pairs, in the order of the file; borrowed; NULL: there are none */
const struct tfs_dat_clock_pair *tfs_dat_clocks_all(const struct tfs_dat_clocks *clocks, size_t *n);
/** tfs_dat_clocks_kind() - enum tfs_dat_clock_kind */
uint32_t tfs_dat_clocks_kind(const struct tfs_dat_clocks *clocks);
/** tfs_dat_clocks_source() - the name of a source, "" for REALTIME; NULL: it has none; borrowed */
const char *tfs_dat_clocks_source(const struct tfs_dat_clocks *clocks, uint32_t source);

#endif

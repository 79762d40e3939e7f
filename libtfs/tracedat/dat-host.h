/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_HOST_H
#define TFS_TRACEDAT_DAT_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_clock_line;
struct tfs_dat;
struct tfs_dat_clocks;
struct tfs_dat_time;

/** TFS_DAT_HOST_SIZE - of a host's name, with its NUL */
#define TFS_DAT_HOST_SIZE 65
/** TFS_DAT_BOOT_SIZE - of a boot id, with its NUL */
#define TFS_DAT_BOOT_SIZE 40

/** tfs_dat_host() - the host's name, of option UNAME; false: the file does not say */
bool tfs_dat_host(const struct tfs_dat *dat, char name[TFS_DAT_HOST_SIZE]);
/** tfs_dat_boot() - the boot id of the kernel that was recorded; false: the file does not say */
bool tfs_dat_boot(const struct tfs_dat *dat, char id[TFS_DAT_BOOT_SIZE]);

/**
 * struct tfs_dat_clock_about - what is known of the clock that time stamps were compared with
 * @method: enum tfs_dat_clock_method of the last pair
 * @is_synced: adjtimex() called the host synchronized each time
 * @maxerror: the greatest then, in ns
 */
struct tfs_dat_clock_about {
	uint32_t method;
	bool is_synced;
	uint64_t maxerror;
};

/**
 * tfs_dat_clock_line() - what another clock showed as a function of the file's time stamps
 * @time: their corrections; the line is for stamps with all of these but the offsets of DATE and
 *	OFFSET: see tfs_dat_time_offset()
 * @source: name of the other clock; "": CLOCK_REALTIME of the host
 * @about: may be NULL
 * @out: NULL where the file has no pairs of that clock; tfs_clock_line_free() it
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_clock_line(const struct tfs_dat *dat, const struct tfs_dat_clocks *clocks,
		       const struct tfs_dat_time *time, const char *source,
		       struct tfs_dat_clock_about *about, struct tfs_clock_line **out);

#endif

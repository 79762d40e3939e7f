/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_LOCATE_H
#define TFS_PROBE_LOCATE_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_err;
struct tfs_debuginfo;
struct tfs_dso;
struct tfs_point;

/**
 * tfs_probe_check_syscall() - refuse a uprobe on an instruction that enters the kernel
 * @addr: of the instruction
 * @name: of the function that it is in, NULL if that is not known; @entry: where that begins
 *
 * Whatever is forced: see tfs_insn_is_syscall(). The hint names the instruction before it.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int tfs_probe_check_syscall(struct tfs_dso *dso, uint64_t addr, const char *name, uint64_t entry,
			    struct tfs_err *err);

/**
 * struct tfs_probe_location - what follows the path of a uprobe: "0xOFFSET[%return][(0xCOUNTER)]"
 * @counter: file offset of the counter that the kernel adds to while the probe is on, 0 for none
 */
struct tfs_probe_location {
	uint64_t offset;
	uint64_t counter;
	bool ret;
};

/** tfs_probe_location_parse() - 0 or -EINVAL */
int tfs_probe_location_parse(const char *text, struct tfs_probe_location *out);

/**
 * enum tfs_probe_location_flags - flags of tfs_probe_check_location()
 * @TFS_PROBE_FORCE: take a place where no instruction is known to begin, or none that the kernel
 *	steps over
 */
enum tfs_probe_location_flags { TFS_PROBE_FORCE = 1 << 0 };

/**
 * tfs_probe_check_location() - may there be a uprobe at a place that somebody else says?
 * @flags: enum tfs_probe_location_flags
 *
 * Refuses the same locations as tc-probe -a: a place that is not in the code, inside an instruction
 * or on one that enters the kernel; a return probe where no function begins, or in a Go program,
 * which it would crash; a counter that does not belong to one of the program's markers.
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP or -ENOENT; -ENOMEM.
 */
int tfs_probe_check_location(struct tfs_debuginfo *dbg, const struct tfs_probe_location *location,
			     unsigned int flags, struct tfs_err *err);

/**
 * tfs_probe_check_counter() - is @counter, a file offset, that of a marker at @addr, or 0?
 *
 * The kernel adds to the program's memory there. Return: 0; -EINVAL; -ENOMEM.
 */
int tfs_probe_check_counter(struct tfs_debuginfo *dbg, uint64_t addr, uint64_t counter,
			    struct tfs_err *err);

/**
 * tfs_probe_name_location() - describe a location, from the file's symbols and lines
 * @out: yours, free()
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_name_location(struct tfs_debuginfo *dbg, const struct tfs_probe_location *location,
			    char **out);

/** tfs_probe_name_point() - "FUNC+N@FILE:LINE"; yours, free(). Return: 0 or -ENOMEM */
int tfs_probe_name_point(struct tfs_debuginfo *dbg, struct tfs_point *point, bool ret, char **out);

/** tfs_probe_kernel_steps() - does the kernel put a uprobe on the instruction at @addr? */
bool tfs_probe_kernel_steps(struct tfs_dso *dso, uint64_t addr);

#endif

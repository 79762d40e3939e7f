/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SYMBOLIZE_SYMBOLIZE_H
#define TFS_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat_clock;
struct tfs_dat_object;
struct tfs_dat_task;
struct tfs_dat_time_opts;
struct tfs_trace;

/**
 * struct tfs_symbolize - names of addresses, from what the recording itself holds
 *
 * Reads no file but the recording: it gives the same names on every machine, whatever became of
 * the programs. Constant once made, for any number of threads.
 */
struct tfs_symbolize;

/**
 * enum tfs_symbolize_flags - what it will be asked for
 * @TFS_SYMBOLIZE_KERNEL: addresses of the kernel: takes ten milliseconds or so
 * @TFS_SYMBOLIZE_MANGLED: names as they are in the files
 * @TFS_SYMBOLIZE_PARAMS: C++ names with the types of their parameters
 */
enum tfs_symbolize_flags {
	TFS_SYMBOLIZE_KERNEL = 1 << 0,
	TFS_SYMBOLIZE_MANGLED = 1 << 1,
	TFS_SYMBOLIZE_PARAMS = 1 << 2,
};

/**
 * struct tfs_symbolize_opts - all may be zero
 * @flags: enum tfs_symbolize_flags
 * @time: how the stamps that it is given were corrected, NULL: as the file says
 * @ts_offset: and what was added to them after that
 */
struct tfs_symbolize_opts {
	unsigned int flags;
	const struct tfs_dat_time_opts *time;
	int64_t ts_offset;
};

/** enum tfs_symbol_kind - where code is */
enum tfs_symbol_kind {
	TFS_SYMBOL_IN_FILE, /* a program or library */
	TFS_SYMBOL_IN_VDSO,
	TFS_SYMBOL_IN_JIT,    /* made by the program, which says what it is */
	TFS_SYMBOL_IN_MEMORY, /* mapped from no file, and nothing says what it is */
	TFS_SYMBOL_IN_KERNEL,
	TFS_SYMBOL_NOWHERE, /* not known */
};

/**
 * enum tfs_symbol_why - why there is no name
 * @TFS_SYMBOL_NAMED: there is one
 * @TFS_SYMBOL_NO_MAPS: nothing is known of the process at that time: it came and went unseen
 * @TFS_SYMBOL_NO_MAP: nothing was mapped there when its maps were read
 * @TFS_SYMBOL_NO_SYMBOL: no symbol of the object holds the address
 * @TFS_SYMBOL_DIFFERS: the file had been replaced when symbols were looked for
 * @TFS_SYMBOL_MISSING: the file could not be opened any more
 * @TFS_SYMBOL_AMBIGUOUS: the process ran several programs, and which at that time is not known
 */
enum tfs_symbol_why {
	TFS_SYMBOL_NAMED,
	TFS_SYMBOL_NO_MAPS,
	TFS_SYMBOL_NO_MAP,
	TFS_SYMBOL_NO_SYMBOL,
	TFS_SYMBOL_DIFFERS,
	TFS_SYMBOL_MISSING,
	TFS_SYMBOL_AMBIGUOUS,
	TFS_SYMBOL_N_WHY,
};

/**
 * struct tfs_symbol_at - what an address is
 * @why: TFS_SYMBOL_NAMED, and then @name is set
 * @name: readable; NULL: not known. Any bytes: it comes from a file that nobody vouches for
 * @mangled: as in the file; the same where that is readable
 * @name_len: characters of @name: a kernel symbol's is not terminated
 * @offset: of the address from the symbol's start
 * @size: bytes of the symbol; 0: not known
 * @module: of a kernel symbol: "[name]", of @module_len characters, not terminated; NULL: none
 * @object: path of the program or library as the process saw it; NULL: not known
 * @build_id: its build-id, lower-case hexadecimal, "" if it has none or is not known
 * @object_id: number of the object in this recording (tfs_symbolize_objects()); -1: none
 * @address: virtual address in the object, as nm shows; without an object, the address itself
 * @map_start, @map_end, @map_offset: of the map that it is in; 0: none
 *
 * Strings are borrowed and live as long as the struct tfs_symbolize.
 */
struct tfs_symbol_at {
	enum tfs_symbol_why why;
	enum tfs_symbol_kind kind;
	const char *name, *mangled;
	size_t name_len;
	uint64_t offset, size;
	const char *module;
	size_t module_len;
	const char *object, *build_id;
	long object_id;
	uint64_t address;
	uint64_t map_start, map_end, map_offset;
};

/**
 * tfs_symbolize_new() - read maps, symbols and tasks of a recording
 * @trace: outlives it
 * @opts: NULL for none
 *
 * Recordings that hold none of them give TFS_SYMBOL_NO_MAPS. Return: 0 or -ENOMEM.
 */
int tfs_symbolize_new(const struct tfs_trace *trace, const struct tfs_symbolize_opts *opts,
		      struct tfs_symbolize **out);
void tfs_symbolize_free(struct tfs_symbolize *s);

/** tfs_symbolize_has_maps() - does the recording hold maps of any process? */
bool tfs_symbolize_has_maps(const struct tfs_symbolize *s);

/**
 * tfs_symbolize_user() - an address of a process
 * @tgid: the process: a user_stack event's tgid, or tfs_symbolize_tgid(); -1: not known
 * @ts: when, as events have it
 *
 * Return: whether there is a name; @out is set in any case.
 */
bool tfs_symbolize_user(const struct tfs_symbolize *s, int tgid, uint64_t ts, uint64_t addr,
			struct tfs_symbol_at *out);
/**
 * tfs_symbolize_epoch() - a number for what is known of a process at a time
 *
 * tfs_symbolize_user() gives the same for the same process and address at all times that have the
 * same number, so that what it gave can be kept by this number.
 */
uint64_t tfs_symbolize_epoch(const struct tfs_symbolize *s, int tgid, uint64_t ts);
/**
 * tfs_symbolize_caller() - the same of an address that a call returns to: all of a stack but the
 * innermost
 *
 * It is after the call, where another function may begin if the call does not return.
 */
bool tfs_symbolize_caller(const struct tfs_symbolize *s, int tgid, uint64_t ts, uint64_t addr,
			  struct tfs_symbol_at *out);
/**
 * tfs_symbolize_kernel() - an address of the kernel, with TFS_SYMBOLIZE_KERNEL
 * Return: likewise.
 */
bool tfs_symbolize_kernel(const struct tfs_symbolize *s, uint64_t addr, struct tfs_symbol_at *out);

/** tfs_symbolize_tgid() - the process that a thread belonged to at a time; -1: not known */
int tfs_symbolize_tgid(const struct tfs_symbolize *s, int tid, uint64_t ts);
/**
 * tfs_symbolize_task() - what is known of a thread at a time; borrowed, NULL: nothing
 *
 * Its time stamps are those of the file.
 */
const struct tfs_dat_task *tfs_symbolize_task(const struct tfs_symbolize *s, int tid, uint64_t ts);
/** tfs_symbolize_tasks() - all threads that are known, by number; borrowed */
const struct tfs_dat_task *tfs_symbolize_tasks(const struct tfs_symbolize *s, size_t *n);
/**
 * tfs_symbolize_clocks() - readings of the trace clock beside others, at the recording's start
 * and end; borrowed, not corrected
 */
const struct tfs_dat_clock *tfs_symbolize_clocks(const struct tfs_symbolize *s, size_t *n);
/** tfs_symbolize_objects() - all programs and libraries, by number; borrowed */
const struct tfs_dat_object *tfs_symbolize_objects(const struct tfs_symbolize *s, size_t *n);

/** tfs_symbol_why_text() - "no maps" and so on; static */
const char *tfs_symbol_why_text(enum tfs_symbol_why why);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_VALUES_H
#define TFS_TRACEDAT_DAT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_dat;
struct tfs_meaning;
struct tfs_strbuf;

/*
 * The option TFS_DAT_PRIVATE_VALUES: the meaning of numbers that a probe records, which its
 * format does not have. Its payload: u32 0x01020304 (in the file's byte order, as is all that
 * follows), then for each such field an entry: strz "system:event", strz field, u32 kind (1 an
 * enumerator, 2 a floating-point number, 3 a number with a sign), u32 n, and n times u64 value and
 * strz name. An entry of kind 3 has one value: the number of bits, the highest of which is the
 * sign, because the kernel reads bits of a word without one. It adds to another entry of the field.
 * An entry of an unknown kind is skipped.
 */

/** struct tfs_dat_values - what a file says; constant once made, for any number of threads */
struct tfs_dat_values;

/**
 * tfs_dat_values_new() - read the option
 * @out: NULL where the file has none; release with tfs_dat_values_free()
 *
 * Entries before the damage in a damaged option count; the last one counts if a field occurs
 * twice with a kind other than 3. Return: 0 or -ENOMEM.
 */
int tfs_dat_values_new(const struct tfs_dat *dat, struct tfs_dat_values **out);
void tfs_dat_values_free(struct tfs_dat_values *values);

/** tfs_dat_values_has() - is anything known of this event's fields? @values may be NULL */
bool tfs_dat_values_has(const struct tfs_dat_values *values, const char *system, const char *event,
			size_t event_len);
/**
 * tfs_dat_values_find() - what a field's number means
 * @event: @event_len characters, not terminated
 *
 * Return: borrowed; NULL: it is a number.
 */
const struct tfs_meaning *tfs_dat_values_find(const struct tfs_dat_values *values,
					      const char *system, const char *event,
					      size_t event_len, const char *field);

#endif

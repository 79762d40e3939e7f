/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_FETCH_TYPE_H
#define TFS_PROBE_FETCH_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum tfs_fetch_type_flags - what a type of an argument is
 * @TFS_FETCH_SIZED: a letter that a number of bits follows: s8, u32, x64
 * @TFS_FETCH_BITS: bWIDTH@OFFSET/CONTAINER
 * @TFS_FETCH_STRING: stored with its length; takes what is in memory
 * @TFS_FETCH_TEXT: the text is at the address that is fetched
 * @TFS_FETCH_KERNEL: only where TFS_PROBE_KERNEL is allowed
 * @TFS_FETCH_NO_ARRAY: there are no arrays of it
 */
enum tfs_fetch_type_flags {
	TFS_FETCH_SIZED = 1 << 0,
	TFS_FETCH_BITS = 1 << 1,
	TFS_FETCH_STRING = 1 << 2,
	TFS_FETCH_TEXT = 1 << 3,
	TFS_FETCH_KERNEL = 1 << 4,
	TFS_FETCH_NO_ARRAY = 1 << 5,
};

/**
 * struct tfs_fetch_type_info - a type that may follow the ':' of an argument
 * @name: without the number of bits
 * @flags: enum tfs_fetch_type_flags
 * @bytes: that a value of it has, 0 if the number of bits says it or none does
 * @needs: enum tfs_probe_feature of the kernel, 0 for none
 * @members: the type of a variable stands for these members of it, which are text; NULL for none
 *
 * Static. Source: Documentation/trace/kprobetrace.rst of the kernel, "Types".
 */
struct tfs_fetch_type_info {
	const char *name;
	unsigned int flags;
	unsigned int bytes;
	unsigned int needs;
	const char *members;
};

/**
 * struct tfs_fetch_type - such a type as it is written
 * @info: borrowed, static
 * @bits: of TFS_FETCH_SIZED; 0 if there is only the letter, as tc-probe but not the kernel takes it
 * @array: from '[' on; "" for none; borrowed from the text
 */
struct tfs_fetch_type {
	const struct tfs_fetch_type_info *info;
	unsigned int bits;
	const char *array;
};

/**
 * tfs_fetch_type_parse() - find the type that a text begins with
 * @text: up to @end; what is in the brackets of an array or after the 'b' of a bitfield is not read
 *
 * Return: 0, or -EINVAL if there is no such type.
 */
int tfs_fetch_type_parse(const char *text, const char *end, struct tfs_fetch_type *out);

/** tfs_fetch_type_is() - is @text, which may be NULL or "", a type with @flag, and not an array? */
bool tfs_fetch_type_is(const char *text, unsigned int flag);

/** tfs_fetch_type_is_letter() - s, u or x alone: the size is that of the variable */
bool tfs_fetch_type_is_letter(const char *text);

/** tfs_fetch_type_bytes() - that a value or array of it has, 0 if that is not fixed */
uint64_t tfs_fetch_type_bytes(const char *text);

/** tfs_fetch_type_members() - see struct tfs_fetch_type_info; NULL for none */
const char *tfs_fetch_type_members(const char *text);

/** tfs_fetch_type_is_word() - is @text made of the characters of types? */
bool tfs_fetch_type_is_word(const char *text);

/** tfs_fetch_is_width() - 8, 16, 32 or 64: the bits that the kernel reads at a time */
bool tfs_fetch_is_width(uint64_t bits);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_MEANING_H
#define TFS_BASE_MEANING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** TFS_MEANING_NAMES_MAX - names that are kept of one enumeration */
#define TFS_MEANING_NAMES_MAX 2048
/** TFS_MEANING_NAME_MAX - bytes of one name, without its zero */
#define TFS_MEANING_NAME_MAX 127

/**
 * enum tfs_meaning_kind - what the bits of a probe's argument stand for
 * @TFS_MEANS_NUMBER: the number that they are
 * @TFS_MEANS_NAME: an enumerator
 * @TFS_MEANS_FLOAT: a floating-point number, IEEE 754 binary32 or binary64 by its size
 * @TFS_MEANS_SIGN: in an entry of base/meaning-list.h only: the field has struct tfs_meaning @bits
 *
 * The kernel knows integers only. The values are those of the file format: tracedat/dat-values.h.
 */
enum tfs_meaning_kind {
	TFS_MEANS_NUMBER,
	TFS_MEANS_NAME,
	TFS_MEANS_FLOAT,
	TFS_MEANS_SIGN,
};

/**
 * struct tfs_meaning - what a field's number means; a zeroed one is a plain number
 * @bits: of the number, the highest is its sign: the kernel reads bits of a word without one. 0:
 *	the field has a sign if its type has
 * @names: @n of TFS_MEANS_NAME; owned. Values as the field holds them: nothing is set beyond its
 *	bits. @at: in the order they were added
 */
struct tfs_meaning {
	enum tfs_meaning_kind kind;
	unsigned int bits;
	size_t n;
	struct tfs_meaning_name {
		uint64_t value;
		size_t at;
		char *name;
	} * names;
};

void tfs_meaning_release(struct tfs_meaning *m);
/** tfs_meaning_is_plain() - the number is what the field's type says */
bool tfs_meaning_is_plain(const struct tfs_meaning *m);
/** tfs_meaning_extend() - a number with the sign that its @bits give it, extended to 64 bits */
uint64_t tfs_meaning_extend(unsigned int bits, uint64_t value);
/** tfs_meaning_copy() - deep copy over @to, which must hold nothing; 0 or -ENOMEM */
int tfs_meaning_copy(struct tfs_meaning *to, const struct tfs_meaning *from);
/**
 * tfs_meaning_add() - one enumerator, which makes it TFS_MEANS_NAME
 * Return: 0; -E2BIG, with nothing added, beyond the limits above; -ENOMEM.
 */
int tfs_meaning_add(struct tfs_meaning *m, uint64_t value, const char *name);
/** tfs_meaning_sort() - before tfs_meaning_name(); of equal values the first one stays */
void tfs_meaning_sort(struct tfs_meaning *m);
/** tfs_meaning_same() - do both mean the same? */
bool tfs_meaning_same(const struct tfs_meaning *a, const struct tfs_meaning *b);
/**
 * tfs_meaning_name() - the enumerator of a value
 * @size: bytes of the field; what @value has beyond them, or beyond @m->bits, does not count
 *
 * Return: borrowed from @m, NULL if none has this value.
 */
const char *tfs_meaning_name(const struct tfs_meaning *m, uint64_t value, unsigned int size);
/** tfs_meaning_value() - the value of an enumerator of @len characters; false: there is none */
bool tfs_meaning_value(const struct tfs_meaning *m, const char *name, size_t len, uint64_t *value);

/** TFS_FLOAT_MAX - bytes that tfs_float_put() writes at most */
#define TFS_FLOAT_MAX 32

/**
 * tfs_float_put() - a floating-point number in the fewest digits that read back as the same one
 * @p: has room for TFS_FLOAT_MAX bytes
 * @bits: of the number, in the machine's byte order
 * @size: 4 or 8
 *
 * "inf", "-inf" and "nan" for other values. Return: the end of the text, which is not terminated.
 */
char *tfs_float_put(char *p, uint64_t bits, unsigned int size);
/** tfs_float_is_finite() - is it a number? */
bool tfs_float_is_finite(uint64_t bits, unsigned int size);

#endif

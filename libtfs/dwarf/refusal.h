/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_REFUSAL_H
#define TFS_DWARF_REFUSAL_H

struct tfs_err;

/**
 * enum tfs_refusal - why a variable cannot be fetched; tfs_refusal_name() has the words
 * @TFS_REFUSAL_NONE: it can
 * @TFS_REFUSAL_NO_VARIABLE: no variable of this name is in scope
 * @TFS_REFUSAL_NO_MEMBER: the type has no such member
 * @TFS_REFUSAL_AMBIGUOUS: several variables have this name, or several definitions this type
 * @TFS_REFUSAL_TYPE: the step does not fit the type (-> on an int, a struct as a value)
 * @TFS_REFUSAL_OPTIMISED_OUT: the compiler kept it nowhere in this function
 * @TFS_REFUSAL_NOT_HERE: it lives elsewhere in the function, not at this place
 * @TFS_REFUSAL_NOT_YET: it has a place in the frame, which is written only later
 * @TFS_REFUSAL_FP_REGISTER: in a register a probe cannot read (floating point, vector)
 * @TFS_REFUSAL_ARITHMETIC: its value would have to be computed from others
 * @TFS_REFUSAL_ENTRY_VALUE: it equals what a register held on entry, and this is not the entry
 * @TFS_REFUSAL_PIECES: its parts are in different places
 * @TFS_REFUSAL_IMPLICIT_POINTER: the pointer was optimised away, what it points at was not
 * @TFS_REFUSAL_TLS: thread-local
 * @TFS_REFUSAL_BITFIELD: its bits straddle what the kernel can read at once
 * @TFS_REFUSAL_SYMBOL: a kernel variable whose symbol is missing or not unique
 * @TFS_REFUSAL_DEEP: more dereferences than the kernel allows
 * @TFS_REFUSAL_RANGE: an offset or size beyond what the kernel stores
 * @TFS_REFUSAL_NO_VALUE: the function returns nothing
 * @TFS_REFUSAL_UNSUPPORTED: an operation of the location that has no counterpart; err names it
 * @TFS_REFUSAL_DAMAGED: the debug information contradicts itself
 */
enum tfs_refusal {
	TFS_REFUSAL_NONE,
	TFS_REFUSAL_NO_VARIABLE,
	TFS_REFUSAL_NO_MEMBER,
	TFS_REFUSAL_AMBIGUOUS,
	TFS_REFUSAL_TYPE,
	TFS_REFUSAL_OPTIMISED_OUT,
	TFS_REFUSAL_NOT_HERE,
	TFS_REFUSAL_NOT_YET,
	TFS_REFUSAL_FP_REGISTER,
	TFS_REFUSAL_ARITHMETIC,
	TFS_REFUSAL_ENTRY_VALUE,
	TFS_REFUSAL_PIECES,
	TFS_REFUSAL_IMPLICIT_POINTER,
	TFS_REFUSAL_TLS,
	TFS_REFUSAL_BITFIELD,
	TFS_REFUSAL_SYMBOL,
	TFS_REFUSAL_DEEP,
	TFS_REFUSAL_RANGE,
	TFS_REFUSAL_NO_VALUE,
	TFS_REFUSAL_UNSUPPORTED,
	TFS_REFUSAL_DAMAGED,
};

/** tfs_refusal_name() - a short word for programs and tables ("optimised out"); never NULL */
const char *tfs_refusal_name(enum tfs_refusal why);

/** struct tfs_refusing - a failure twice: the reason as a code, and the message for users */
struct tfs_refusing {
	enum tfs_refusal why;
	struct tfs_err *err;
};

/** tfs_var_refuse() - set both; return the errno that goes with @why (see tfs_var_fetch()) */
int tfs_var_refuse(struct tfs_refusing *r, enum tfs_refusal why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/refusal.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/macros.h"

static const char *const refusal_names[] = {
	[TFS_REFUSAL_NONE] = "none",
	[TFS_REFUSAL_NO_VARIABLE] = "no such variable",
	[TFS_REFUSAL_NO_MEMBER] = "no such member",
	[TFS_REFUSAL_AMBIGUOUS] = "ambiguous",
	[TFS_REFUSAL_TYPE] = "does not fit its type",
	[TFS_REFUSAL_OPTIMISED_OUT] = "optimised out",
	[TFS_REFUSAL_NOT_HERE] = "not alive at this address",
	[TFS_REFUSAL_NOT_YET] = "not yet written at this address",
	[TFS_REFUSAL_FP_REGISTER] = "in a floating-point register",
	[TFS_REFUSAL_ARITHMETIC] = "arithmetic value",
	[TFS_REFUSAL_ENTRY_VALUE] = "known only on entry",
	[TFS_REFUSAL_PIECES] = "in several parts",
	[TFS_REFUSAL_IMPLICIT_POINTER] = "pointer optimised out",
	[TFS_REFUSAL_TLS] = "thread-local",
	[TFS_REFUSAL_BITFIELD] = "bitfield too wide",
	[TFS_REFUSAL_SYMBOL] = "no unique symbol",
	[TFS_REFUSAL_DEEP] = "too many dereferences",
	[TFS_REFUSAL_RANGE] = "out of range",
	[TFS_REFUSAL_NO_VALUE] = "no value",
	[TFS_REFUSAL_UNSUPPORTED] = "unsupported location",
	[TFS_REFUSAL_DAMAGED] = "damaged debug information",
};

const char *tfs_refusal_name(enum tfs_refusal why)
{
	if ((size_t)why < ARRAY_SIZE(refusal_names))
		return refusal_names[why];
	return "unknown";
}

int tfs_var_refuse(struct tfs_refusing *r, enum tfs_refusal why, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int code;

	switch (why) {
	case TFS_REFUSAL_NO_VARIABLE:
	case TFS_REFUSAL_NO_MEMBER:
		code = -ENOENT;
		break;
	case TFS_REFUSAL_TYPE:
	case TFS_REFUSAL_AMBIGUOUS:
		code = -EINVAL;
		break;
	case TFS_REFUSAL_DAMAGED:
		code = -EBADMSG;
		break;
	case TFS_REFUSAL_OPTIMISED_OUT:
	case TFS_REFUSAL_NOT_HERE:
	case TFS_REFUSAL_NOT_YET:
	case TFS_REFUSAL_NO_VALUE:
		code = -ENODATA;
		break;
	default:
		code = -EOPNOTSUPP;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->why = why;
	return tfs_err_say(r->err, code, "%s", text);
}

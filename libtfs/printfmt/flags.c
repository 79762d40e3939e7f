/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/flags.h"

#include "base/digits.h"

/* include/linux/trace_events.h, enum trace_flag_type; the numbers are the kernel's ABI */
enum {
	IRQS_OFF = 1 << 0,
	IRQS_NOSUPPORT = 1 << 1,
	NEED_RESCHED = 1 << 2,
	HARDIRQ = 1 << 3,
	SOFTIRQ = 1 << 4,
	/* one of these was the lazy request before 5.17 */
	OLD_LAZY = 1 << 5 | 1 << 7,
};

static char digit(unsigned int n)
{
	return ".123456789abcdef"[n & 15];
}

char tfs_flags_lazy(unsigned int flags)
{
	if (flags & TFS_FLAGS_OLD_LAZY)
		return flags & OLD_LAZY ? '?' : '.';
	return flags & TFS_FLAGS_RESCHED_LAZY ? 'L' : '.';
}

unsigned int tfs_flags_migrate(unsigned int flags)
{
	return (flags >> 12 & 15) ? flags >> 12 & 15 : flags >> TFS_FLAGS_MIGRATE & 15;
}

char *tfs_flags_put(char *p, unsigned int flags)
{
	static const char context[] = ".hsH";

	*p++ = flags & IRQS_OFF ? 'd' : flags & IRQS_NOSUPPORT ? 'X' : '.';
	*p++ = flags & NEED_RESCHED ? 'N' : '.';
	if (flags & TFS_FLAGS_LAZY)
		*p++ = tfs_flags_lazy(flags);
	*p++ = context[(flags & (HARDIRQ | SOFTIRQ)) / HARDIRQ];
	*p++ = digit(flags >> 8);
	if (flags & TFS_FLAGS_LAZY)
		*p++ = digit(flags >> TFS_FLAGS_LAZY_COUNT);
	*p++ = digit(tfs_flags_migrate(flags));
	return p;
}

char *tfs_flags_put_count(char *p, int count)
{
	if (count >= 0)
		return tfs_digits_dec(p, (uint64_t)count);
	*p++ = '.';
	return p;
}

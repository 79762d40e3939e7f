/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/native-internal.h"

#include <errno.h>

#include "base/digits.h"
#include "base/macros.h"

/* --- kmem: who called, before what the print format says */

static const struct tfs_native_field call_site[] = {
	{ "call_site", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

static int run_call_site(const struct tfs_native *n, const struct tfs_native_rec *rec,
			 struct tfs_strbuf *out)
{
	uint64_t addr = tfs_native_number(n, 0, rec->data), start;
	const char *name = tfs_native_symbol(n, addr, &start);
	size_t len;
	char *p;

	if (!name)
		return TFS_NATIVE_FORMAT;
	len = strlen(name);
	p = tfs_native_begin(out, len + TFS_DIGITS_MAX + 8);
	if (!p)
		return -ENOMEM;
	*p++ = '(';
	p = tfs_native_puts(p, name, len);
	p = tfs_native_put(p, "+0x");
	p = tfs_digits_hex(p, (uint32_t)(addr - start), 0);
	p = tfs_native_put(p, ") ");
	tfs_native_end(out, p);
	return TFS_NATIVE_FORMAT;
}

/* --- timer */

enum { HRTIMER, FUNCTION, EXPIRES, SOFTEXPIRES, NOW = EXPIRES };

static const struct tfs_native_field start_fields[] = {
	[HRTIMER] = { "hrtimer", TFS_NATIVE_NUMBER },
	[FUNCTION] = { "function", TFS_NATIVE_NUMBER },
	[EXPIRES] = { "expires", TFS_NATIVE_NUMBER },
	[SOFTEXPIRES] = { "softexpires", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

static const struct tfs_native_field expire_fields[] = {
	[HRTIMER] = { "hrtimer", TFS_NATIVE_NUMBER },
	[FUNCTION] = { "function", TFS_NATIVE_NUMBER },
	[NOW] = { "now", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

/* "name/0x0": the number is the distance from the address to the start of the function. */
static char *put_function(char *p, const char *name, size_t len, uint64_t addr, uint64_t start)
{
	p = tfs_native_put(p, " function=");
	if (!name) {
		p = tfs_native_put(p, "0x");
		return tfs_digits_hex(p, addr, 8);
	}
	p = tfs_native_puts(p, name, len);
	p = tfs_native_put(p, "/0x");
	return tfs_digits_hex(p, start - addr, 0);
}

static int run_hrtimer(const struct tfs_native *n, const struct tfs_native_rec *rec,
		       struct tfs_strbuf *out)
{
	bool expire = n->row->fields == expire_fields;
	uint64_t addr = tfs_native_number(n, FUNCTION, rec->data), start = 0;
	const char *name = tfs_native_symbol(n, addr, &start);
	size_t len = name ? strlen(name) : 0;
	char *p = tfs_native_begin(out, len + 160);

	if (!p)
		return -ENOMEM;
	p = tfs_native_put(p, "hrtimer=0x");
	p = tfs_digits_hex(p, tfs_native_number(n, HRTIMER, rec->data), 0);
	if (expire) {
		p = tfs_native_put(p, " now=");
		p = tfs_digits_dec(p, tfs_native_number(n, NOW, rec->data));
	}
	p = put_function(p, name, len, addr, start);
	if (!expire) {
		p = tfs_native_put(p, " expires=");
		p = tfs_digits_dec(p, tfs_native_number(n, EXPIRES, rec->data));
		p = tfs_native_put(p, " softexpires=");
		p = tfs_digits_dec(p, tfs_native_number(n, SOFTEXPIRES, rec->data));
	}
	tfs_native_end(out, p);
	return TFS_NATIVE_DONE;
}

/* --- futex */

#define FUTEX_PRIVATE 128u
#define FUTEX_REALTIME 256u

enum { OP, UADDR, VAL, UTIME, UADDR2, VAL3 };

static const struct tfs_native_field futex_fields[] = {
	[OP] = { "op", TFS_NATIVE_NUMBER },
	[UADDR] = { "uaddr", TFS_NATIVE_NUMBER },
	[VAL] = { "val", TFS_NATIVE_NUMBER },
	[UTIME] = { "utime", TFS_NATIVE_NUMBER },
	[UADDR2] = { "uaddr2", TFS_NATIVE_NUMBER },
	[VAL3] = { "val3", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

/* The operations by number: their names, and which arguments follow "uaddr=". */
static const struct {
	const char *name;
	bool val, val_hex, utime, val2, uaddr2, val3;
} futexes[] = {
	{ .name = "FUTEX_WAIT", .val_hex = true, .utime = true },
	{ .name = "FUTEX_WAKE", .val = true },
	{ .name = "FUTEX_FD", .val = true },
	{ .name = "FUTEX_REQUEUE", .val = true, .val2 = true, .uaddr2 = true },
	{ .name = "FUTEX_CMP_REQUEUE", .val = true, .val2 = true, .uaddr2 = true, .val3 = true },
	{ .name = "FUTEX_WAKE_OP", .val = true, .val2 = true, .uaddr2 = true, .val3 = true },
	{ .name = "FUTEX_LOCK_PI", .utime = true },
	{ .name = "FUTEX_UNLOCK_PI" },
	{ .name = "FUTEX_TRYLOCK_PI" },
	{ .name = "FUTEX_WAIT_BITSET", .val_hex = true, .utime = true, .val3 = true },
	{ .name = "FUTEX_WAKE_BITSET", .val = true, .val3 = true },
	{ .name = "FUTEX_WAIT_REQUEUE_PI",
	  .val_hex = true,
	  .utime = true,
	  .uaddr2 = true,
	  .val3 = true },
	{ .name = "FUTEX_CMP_REQUEUE_PI", .val = true, .val2 = true, .uaddr2 = true, .val3 = true },
};

static char *put_hex(const struct tfs_native *n, const struct tfs_native_rec *rec, char *p,
		     const char *label, unsigned int i)
{
	p = tfs_native_puts(p, label, strlen(label));
	p = tfs_native_put(p, "=0x");
	return tfs_digits_hex(p, tfs_native_number(n, i, rec->data), 8);
}

static char *put_dec(const struct tfs_native *n, const struct tfs_native_rec *rec, char *p,
		     const char *label, unsigned int i)
{
	p = tfs_native_puts(p, label, strlen(label));
	*p++ = '=';
	return tfs_digits_dec(p, tfs_native_number(n, i, rec->data));
}

static char *put_futex(const struct tfs_native *n, const struct tfs_native_rec *rec, size_t cmd,
		       char *p)
{
	p = put_hex(n, rec, p, " uaddr", UADDR);
	if (futexes[cmd].val)
		p = put_dec(n, rec, p, " val", VAL);
	if (futexes[cmd].val_hex)
		p = put_hex(n, rec, p, " val", VAL);
	if (futexes[cmd].utime)
		p = put_hex(n, rec, p, " utime", UTIME);
	if (futexes[cmd].val2)
		p = put_dec(n, rec, p, " val2", UTIME);
	if (futexes[cmd].uaddr2)
		p = put_hex(n, rec, p, " uaddr2", UADDR2);
	if (futexes[cmd].val3)
		p = put_hex(n, rec, p, " val3", VAL3);
	return p;
}

static int run_futex(const struct tfs_native *n, const struct tfs_native_rec *rec,
		     struct tfs_strbuf *out)
{
	uint64_t op = tfs_native_number(n, OP, rec->data);
	uint64_t cmd = op & ~(uint64_t)(FUTEX_PRIVATE | FUTEX_REALTIME);
	char *p;

	if (cmd >= ARRAY_SIZE(futexes))
		return TFS_NATIVE_FORMAT;
	p = tfs_native_begin(out, 256);
	if (!p)
		return -ENOMEM;
	p = tfs_native_put(p, "op=");
	p = tfs_native_puts(p, futexes[cmd].name, strlen(futexes[cmd].name));
	if (op & FUTEX_PRIVATE)
		p = tfs_native_put(p, "|FUTEX_PRIVATE_FLAG");
	if (op & FUTEX_REALTIME)
		p = tfs_native_put(p, "|FUTEX_CLOCK_REALTIME");
	tfs_native_end(out, put_futex(n, rec, cmd, p));
	return TFS_NATIVE_DONE;
}

/* --- tlb */

enum { PAGES, REASON };

static const struct tfs_native_field flush_fields[] = {
	[PAGES] = { "pages", TFS_NATIVE_NUMBER },
	[REASON] = { "reason", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

static int run_flush(const struct tfs_native *n, const struct tfs_native_rec *rec,
		     struct tfs_strbuf *out)
{
	static const char *const reasons[] = {
		"flush on task switch",
		"remote shootdown",
		"local shootdown",
		"local mm shootdown",
	};
	uint64_t reason = tfs_native_number(n, REASON, rec->data);
	char *p = tfs_native_begin(out, 128);

	if (!p)
		return -ENOMEM;
	p = tfs_native_put(p, "pages=");
	p = tfs_digits_sdec(p, (int64_t)tfs_native_number(n, PAGES, rec->data));
	p = tfs_native_put(p, " reason=");
	if (reason < ARRAY_SIZE(reasons))
		p = tfs_native_puts(p, reasons[reason], strlen(reasons[reason]));
	p = tfs_native_put(p, " (");
	p = tfs_digits_sdec(p, (int64_t)reason);
	*p++ = ')';
	tfs_native_end(out, p);
	return TFS_NATIVE_DONE;
}

#define KMEM(name)                                                             \
	{                                                                      \
		"kmem", name, "plugin_kmem.so", call_site, run_call_site, NULL \
	}
#define TIMER "plugin_hrtimer.so"

const struct tfs_native_row tfs_native_kernel[] = {
	KMEM("kmalloc"),
	KMEM("kmalloc_node"),
	KMEM("kfree"),
	KMEM("kmem_cache_alloc"),
	KMEM("kmem_cache_alloc_node"),
	KMEM("kmem_cache_free"),
	{ "timer", "hrtimer_start", TIMER, start_fields, run_hrtimer, NULL },
	{ "timer", "hrtimer_expire_entry", TIMER, expire_fields, run_hrtimer, NULL },
	{ "syscalls", "sys_enter_futex", "plugin_futex.so", futex_fields, run_futex, NULL },
	{ "tlb", "tlb_flush", "plugin_tlb.so", flush_fields, run_flush, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

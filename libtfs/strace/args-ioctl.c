/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/args-ioctl.h"

#include <stdlib.h>
#include <string.h>

#include "strace/call.h"
#include "strace/put.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

/* asm-generic/ioctl.h; the same for every ABI, but for the directions of ppc */
#define SIZE_SHIFT 16
#define SIZE_MASK 0x3fffu
#define DIR_SHIFT 30

static int compare(const void *key, const void *row)
{
	const uint64_t cmd = *(const uint32_t *)key, value = ((const struct sys_val *)row)->value;

	return (cmd > value) - (cmd < value);
}

static const char *find(uint32_t cmd)
{
	const struct sys_val *row =
		bsearch(&cmd, sys_ioctls, sys_n_ioctls, sizeof(*sys_ioctls), compare);

	return row ? row->name : NULL;
}

/* A size that the caller chooses is part of the number: EVIOCGNAME(256) */
static bool put_sized(struct put *p, uint32_t cmd)
{
	const char *name = find(cmd & ~(SIZE_MASK << SIZE_SHIFT));

	if (!name || name[strlen(name) - 1] != '(')
		return false;
	put_text(p, name);
	put_udec(p, cmd >> SIZE_SHIFT & SIZE_MASK);
	put_mem(p, ")", 1);
	return true;
}

static bool put_name(struct put *p, uint32_t cmd)
{
	const bool is_ppc = p->call->abi == SYS_ABI_PPC64LE;
	const char *name = is_ppc == sys_ioctls_of_ppc ? find(cmd) : NULL;

	if (put_set_name(p, &sys_set_ioctl, cmd))
		return true;
	if (!name || name[strlen(name) - 1] == '(')
		return is_ppc == sys_ioctls_of_ppc && put_sized(p, cmd);
	put_text(p, name);
	return true;
}

static bool is_known(const struct put *p, uint32_t cmd)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct put none = { .opts = p->opts, .call = p->call, .out = &text };
	const bool known = put_name(&none, cmd);

	tfs_strbuf_release(&text);
	return known;
}

static void put_parts(struct put *p, uint32_t cmd)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						  "_IOC_READ|_IOC_WRITE" };

	put_text(p, "_IOC(");
	put_text(p, directions[cmd >> DIR_SHIFT]);
	put_mem(p, ", ", 2);
	put_hex(p, cmd >> 8 & 0xff);
	put_mem(p, ", ", 2);
	put_hex(p, cmd & 0xff);
	put_mem(p, ", ", 2);
	put_hex(p, cmd >> SIZE_SHIFT & SIZE_MASK);
	put_mem(p, ")", 1);
}

void args_put_ioctl_cmd(struct put *p, uint32_t cmd)
{
	const bool both = p->opts->names == TFS_ARGS_VERBOSE;

	if (p->opts->names != TFS_ARGS_ABBREV)
		put_hex(p, cmd);
	if (p->opts->names == TFS_ARGS_RAW)
		return;
	if (both)
		put_text(p, " /* ");
	if (!put_name(p, cmd))
		put_parts(p, cmd);
	if (both)
		put_text(p, " */");
}

static bool is_one_of(uint32_t cmd, const uint32_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == cmd)
			return true;
	return false;
}

bool args_ioctl_has_arg(uint32_t cmd)
{
	static const uint32_t without[] = {
		0x125f,     0x1261,     0x1274,     0x1275,     0x1276, /* BLK* */
		0x2202,                                                 /* SG_GET_TIMEOUT */
		0x3e01,     0x3e02,                                     /* COUNTER_* */
		0x4b36,     0x4b37,     0x4b3c,     0x4b3d,     0x4b6d, /* KD*, PIO_FONTRESET */
		0x4c01,     0x4c07,     0x4c82,     0x4f08, /* LOOP_*, UBI_IOCVOLRMBLK */
		0x5204,     0x5206,     0x5207,             /* RND* */
		0x540c,     0x540d,     0x541d,     0x5422, /* TIOC*, FIO* */
		0x5427,     0x5428,     0x5437,     0x5450,     0x5451, 0x7001, 0x7002,
		0x7003,     0x7004,     0x7005,     0x7006,     0x700f, 0x7010, 0x7014, /* RTC_* */
		0x9406,     0x9407,     0x9408,     0x941c,     0x942e, /* BTRFS_* */
		0xab03,     0xab04,     0xab05,     0xab06,     0xab08, /* NBD_* */
		0xb701,     0xb702,     0xb703,                         /* NS_GET_* */
		0x40804f07, 0x50009402, 0x5000940c, 0x80045705, /* UBI, BTRFS, WDIOC_KEEPALIVE */
		0xc0045877, 0xc0045878,                         /* FIFREEZE, FITHAW */
	};

	return !is_one_of(cmd, without, sizeof(without) / sizeof(without[0]));
}

/* Sockets, SCSI devices and disks have commands that are older than the directions. */
static bool is_address(uint32_t cmd)
{
	return cmd >> DIR_SHIFT || cmd >> 8 == 0x89 || cmd >> 8 == 0x22 || cmd >> 8 == 0x12;
}

void args_put_ioctl_arg(struct put *p, uint32_t cmd, uint64_t value)
{
	static const uint32_t ints[] = {
		0x5409,     0x540e,     0x5425,                 /* TCSBRK, TIOCSCTTY, TCSBRKP */
		0x2402,     0x2405,     0x40042408, 0x40042409, /* PERF_EVENT_IOC_* */
		0x4c00,     0x4c06,     0x4c80,     0x4c81,     /* LOOP_* */
		0xae41,     0x40044581, 0x40044590, 0x40044591, /* KVM_CREATE_VCPU, EVIOC* */
		0x40044900, 0x40049409,                         /* INOTIFY_*, FICLONE */
	};
	static const uint32_t longs[] = {
		0x1262,     0x1264,     0x4c08, 0x4c09,         /* BLK*, LOOP_* */
		0xab00,     0xab01,     0xab02, 0xab07, 0xab09, /* NBD_* */
		0x4008700c, 0x4008700e,                         /* RTC_IRQP_SET, RTC_EPOCH_SET */
	};

	if (is_one_of(cmd, ints, sizeof(ints) / sizeof(ints[0])))
		put_dec(p, (int32_t)value);
	else if (is_one_of(cmd, longs, sizeof(longs) / sizeof(longs[0])))
		put_udec(p, value);
	else if (!value && is_address(cmd) && is_known(p, cmd))
		put_addr(p, value);
	else
		put_hex(p, value);
}

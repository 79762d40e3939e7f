/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/args-kinds.h"

#include <string.h>

#include "strace/args-ioctl.h"
#include "strace/args-options.h"
#include "strace/call.h"
#include "strace/put.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

#define AT_FDCWD_VALUE -100
#define O_CREAT_BIT 0x40
/* Without O_DIRECTORY, whose bit differs */
#define O_TMPFILE_BIT 0x400000
#define MEMBARRIER_CPU_BIT 1
#define MREMAP_FIXED_BIT 2
#define MREMAP_DONTUNMAP_BIT 4
/* linux/prctl.h */
#define AMBIENT_FIRST 1
#define AMBIENT_LAST 3
#define MCE_KILL_SET 1
#define GET_DUMPABLE 3
#define GET_SECUREBITS 27
#define MCE_KILL_GET 34

/* linux/fcntl.h; the same on every ABI there is a table for */
enum fcntl_cmd {
	CMD_DUPFD = 0,
	CMD_GETFD = 1,
	CMD_SETFD = 2,
	CMD_GETFL = 3,
	CMD_SETFL = 4,
	CMD_SETOWN = 8,
	CMD_GETOWN = 9,
	CMD_SETSIG = 10,
	CMD_GETSIG = 11,
	CMD_SETLEASE = 1024,
	CMD_GETLEASE = 1025,
	CMD_NOTIFY = 1026,
	CMD_DUPFD_QUERY = 1027,
	CMD_DUPFD_CLOEXEC = 1030,
	CMD_SETPIPE_SZ = 1031,
	CMD_GETPIPE_SZ = 1032,
	CMD_ADD_SEALS = 1033,
	CMD_GET_SEALS = 1034,
};

/* linux/futex.h */
enum futex_cmd {
	CMD_WAIT = 0,
	CMD_WAKE = 1,
	CMD_FD = 2,
	CMD_REQUEUE = 3,
	CMD_CMP_REQUEUE = 4,
	CMD_WAKE_OP = 5,
	CMD_LOCK_PI = 6,
	CMD_UNLOCK_PI = 7,
	CMD_TRYLOCK_PI = 8,
	CMD_WAIT_BITSET = 9,
	CMD_WAKE_BITSET = 10,
	CMD_WAIT_REQUEUE_PI = 11,
	CMD_CMP_REQUEUE_PI = 12,
	CMD_LOCK_PI2 = 13,
	FUTEX_CMD_BITS = 0x7f,
};

static unsigned int count_fcntl(uint32_t cmd)
{
	switch (cmd) {
	case CMD_GETFD:
	case CMD_GETFL:
	case CMD_GETOWN:
	case CMD_GETSIG:
	case CMD_GETLEASE:
	case CMD_GETPIPE_SZ:
	case CMD_GET_SEALS:
		return 2;
	default:
		return 3;
	}
}

/* Is this mode that of a device? */
static bool has_device(uint64_t mode)
{
	return (mode & 0170000) == 0020000 || (mode & 0170000) == 0060000;
}

unsigned int args_count(const struct tfs_call *call, const struct sys_proto *proto)
{
	const struct sys_arg *args = proto->args;
	const unsigned int n = proto->n_args;

	for (unsigned int i = 1; i < n; i++)
		if (args[i].kind == SYS_OPENMODE)
			return call->args[i - 1] & (O_CREAT_BIT | O_TMPFILE_BIT) ? n : i;
	if (n == 3 && args[1].set == &sys_set_fcntl)
		return count_fcntl((uint32_t)call->args[1]);
	if (n == 3 && args[1].set == &sys_set_ioctl)
		return args_ioctl_has_arg((uint32_t)call->args[1]) ? 3 : 2;
	if (n == 5 && args[3].set == &sys_set_mremap)
		return call->args[3] & (MREMAP_FIXED_BIT | MREMAP_DONTUNMAP_BIT) ? n : 4;
	if (n == 3 && args[0].set == &sys_set_membarrier)
		return call->args[1] & MEMBARRIER_CPU_BIT ? n : 2;
	if (n >= 3 && args[n - 1].kind == SYS_DEV && !has_device(call->args[n - 2]))
		return n - 1;
	return args_option_count(call, proto);
}

static void put_fcntl_arg(struct put *p, uint64_t value)
{
	switch ((uint32_t)p->call->args[1]) {
	case CMD_SETFD:
		put_set(p, &sys_set_fdflags, value);
		break;
	case CMD_SETFL:
		put_set(p, &sys_set_open, value);
		break;
	case CMD_SETSIG:
		put_set(p, &sys_set_signal, value);
		break;
	case CMD_ADD_SEALS:
		put_set(p, &sys_set_seals, value);
		break;
	case CMD_SETLEASE:
		put_set(p, &sys_set_lease, value);
		break;
	case CMD_NOTIFY:
		put_set(p, &sys_set_notify, value);
		break;
	case CMD_DUPFD:
	case CMD_DUPFD_CLOEXEC:
	case CMD_DUPFD_QUERY:
	case CMD_SETOWN:
	case CMD_SETPIPE_SZ:
		put_dec(p, (int32_t)value);
		break;
	default:
		put_addr(p, value);
		break;
	}
}

static void put_sockopt(struct put *p, uint64_t value)
{
	switch ((uint32_t)p->call->args[1]) {
	case 0:
		put_set(p, &sys_set_ipopt, value);
		break;
	case 1:
		put_set(p, &sys_set_sockopt, value);
		break;
	case 6:
		put_set(p, &sys_set_tcpopt, value);
		break;
	case 41:
		put_set(p, &sys_set_ipv6opt, value);
		break;
	case 270:
		put_set(p, &sys_set_netlinkopt, value);
		break;
	default:
		put_dec(p, (int32_t)value);
		break;
	}
}

static void put_protocol(struct put *p, uint64_t value)
{
	switch ((uint32_t)p->call->args[0]) {
	case 2:
	case 10:
		put_set(p, &sys_set_ipproto, value);
		break;
	case 16:
		put_set(p, &sys_set_netlink, value);
		break;
	default:
		put_udec(p, (uint32_t)value);
		break;
	}
}

/* @kind: SYS_AT: the current directory has a number, too */
static void put_fd(struct put *p, enum sys_kind kind, int fd)
{
	const bool cwd = kind == SYS_AT && fd == AT_FDCWD_VALUE;
	/* fanotify_mark(2) takes it beside a whole path. */
	const bool none = kind == SYS_AT && fd == -1 &&
			  p->call->entry->proto->args[1].set == &sys_set_fanotify_mark;
	const bool named = (cwd || none) && p->opts->names != TFS_ARGS_RAW;
	const bool both = named && p->opts->names == TFS_ARGS_VERBOSE;

	if (!named || both)
		put_dec(p, fd);
	if (both)
		put_text(p, " /* ");
	if (named)
		put_text(p, cwd ? "AT_FDCWD" : "FAN_NOFD");
	if (both)
		put_text(p, " */");
	if (p->opts->fd && !p->rc && (fd >= 0 || cwd))
		p->rc = p->opts->fd(p->opts->ctx, p->call, fd, p->out);
}

/* new_encode_dev() in include/linux/kdev_t.h: minor 7..0, major 19..8, minor 31..20 */
static void put_dev(struct put *p, uint32_t dev)
{
	put_text(p, "makedev(");
	put_hex(p, dev >> 8 & 0xfff);
	put_mem(p, ", ", 2);
	put_hex(p, (dev & 0xff) | (dev >> 12 & 0xfff00));
	put_mem(p, ")", 1);
}

static void put_file_mode(struct put *p, uint16_t mode)
{
	static const char *const bits[] = { "S_ISUID|", "S_ISGID|", "S_ISVTX|" };
	const uint16_t type = mode & 0170000;

	if (p->opts->names == TFS_ARGS_RAW || (type && !put_set_name(p, &sys_set_ifmt, type))) {
		put_mode(p, mode);
		return;
	}
	if (type)
		put_mem(p, "|", 1);
	for (unsigned int i = 0; type && i < 3; i++)
		if (mode & 04000 >> i)
			put_text(p, bits[i]);
	put_mode(p, mode & (type ? 0777 : 07777));
}

/* A uid or gid, -1 for none */
static void put_id(struct put *p, uint32_t id)
{
	if (id == UINT32_MAX)
		put_mem(p, "-1", 2);
	else
		put_udec(p, id);
}

/* The number, and its name as a comment */
static void put_commented(struct put *p, const struct sys_set *set, uint32_t value)
{
	put_hex(p, value);
	if (p->opts->names == TFS_ARGS_RAW)
		return;
	put_text(p, " /* ");
	if (!put_set_name(p, set, value))
		put_text(p, set->unknown);
	put_text(p, " */");
}

/* The text that a pointer points to, if some event said it */
static void put_pointer(struct put *p, unsigned int i, enum sys_kind kind, uint64_t value)
{
	const struct tfs_call_text *text = &p->call->text[i];

	if (text->guess && text->s && value && args_is_text(kind))
		put_mem(p, "~", 1);
	if (text->s && value && args_is_text(kind))
		put_string(p, text->s, text->len, kind == SYS_PATH ? SIZE_MAX : p->opts->max_string,
			   text->cut);
	else
		put_addr(p, value);
}

static void put_word(struct put *p, enum sys_kind kind, uint64_t value, bool is_32bit)
{
	const uint64_t word = is_32bit ? (uint32_t)value : value;

	switch (kind) {
	case SYS_INT:
		put_dec(p, (int32_t)value);
		break;
	case SYS_UINT:
		put_udec(p, (uint32_t)value);
		break;
	case SYS_LONG:
		put_dec(p, is_32bit ? (int32_t)value : (int64_t)value);
		break;
	case SYS_ULONG:
		put_udec(p, word);
		break;
	case SYS_XINT:
		put_hex(p, (uint32_t)value);
		break;
	case SYS_X64:
	case SYS_XPAIR:
		put_hex(p, value);
		break;
	case SYS_S64:
	case SYS_PAIR:
		put_dec(p, (int64_t)value);
		break;
	case SYS_ADDR:
		put_addr(p, word);
		break;
	default:
		put_hex(p, word);
		break;
	}
}

/* From this bit on: the size of huge pages, a power of two */
#define MAP_HUGE_SHIFT_BITS 26

/* @shift: what is shown after the size */
static void put_huge_flags(struct put *p, const struct sys_set *set, uint32_t value,
			   const char *shift)
{
	const uint32_t huge = value >> MAP_HUGE_SHIFT_BITS;
	const uint32_t flags = value & ((1u << MAP_HUGE_SHIFT_BITS) - 1);

	if (!huge || p->opts->names != TFS_ARGS_ABBREV) {
		put_set(p, set, value);
		return;
	}
	if (flags || set == &sys_set_map) {
		put_set(p, set, flags);
		put_mem(p, "|", 1);
	}
	put_udec(p, huge);
	put_text(p, shift);
}

/* linux/ioprio.h */
#define IOPRIO_CLASS_SHIFT 13

static void put_ioprio(struct put *p, uint32_t value)
{
	put_text(p, "IOPRIO_PRIO_VALUE(");
	put_set(p, &sys_set_ioprio_class, value >> IOPRIO_CLASS_SHIFT);
	put_mem(p, ", ", 2);
	put_udec(p, value & ((1u << IOPRIO_CLASS_SHIFT) - 1));
	put_mem(p, ")", 1);
}

/* QCMD() of linux/quota.h */
static void put_quota_cmd(struct put *p, uint32_t value)
{
	put_text(p, "QCMD(");
	put_set(p, &sys_set_quota_cmd, value >> 8);
	put_mem(p, ", ", 2);
	put_set(p, &sys_set_quota_type, value & 0xff);
	put_mem(p, ")", 1);
}

/* A number that strace shows, too */
static void put_syslog(struct put *p, uint32_t value)
{
	put_dec(p, (int32_t)value);
	if (p->opts->names == TFS_ARGS_RAW)
		return;
	put_text(p, " /* ");
	if (!put_set_name(p, &sys_set_syslog, value))
		put_text(p, "SYSLOG_ACTION_???");
	put_text(p, " */");
}

/* Sets that need more than their names; false: nothing was appended */
static bool put_special_set(struct put *p, const struct sys_set *set, uint64_t value)
{
	if (set == &sys_set_map)
		put_huge_flags(p, set, (uint32_t)value, "<<MAP_HUGE_SHIFT");
	else if (set == &sys_set_memfd)
		put_huge_flags(p, set, (uint32_t)value, "<<MFD_HUGE_SHIFT");
	else if (set == &sys_set_syslog)
		put_syslog(p, (uint32_t)value);
	else if (set == &sys_set_personality && (uint32_t)value == UINT32_MAX) /* only asks */
		put_hex(p, (uint32_t)value);
	else
		return false;
	return true;
}

/* Does the option before it take a capability? */
static bool is_capability(const struct tfs_call *call, unsigned int i)
{
	return i == 1 || (call->args[1] >= AMBIENT_FIRST && call->args[1] <= AMBIENT_LAST);
}

static void put_kind(struct put *p, char kind, unsigned int i, uint64_t word)
{
	const struct sys_set *set = args_option_set(kind);
	/* PR_MCE_KILL_CLEAR has no policy. */
	const bool no_policy = kind == 'l' && p->call->args[1] != MCE_KILL_SET;

	if (set && !no_policy)
		put_set(p, set, word);
	else if (kind == 'g' && word <= UINT32_MAX) /* the kernel looks at the whole register */
		put_set(p, &sys_set_signal, word);
	else if (kind == 'c' && is_capability(p->call, i))
		put_set(p, &sys_set_capability, word);
	else if (kind == 'P' && (int64_t)word == -1)
		put_text(p, "PR_SET_PTRACER_ANY");
	else if (kind == 'd' || kind == 'f' || kind == 'P')
		put_dec(p, (int32_t)word);
	else if (kind == 'I')
		put_id(p, (uint32_t)word);
	else if (kind == 'v')
		put_udec(p, (uint32_t)word);
	else if (kind == 't')
		put_commented(p, &sys_set_pidtype, (uint32_t)word);
	else if (kind == 'u' || kind == 'g')
		put_udec(p, word);
	else if (kind == 'a')
		put_addr(p, word);
	else
		put_hex(p, word);
}

static bool put_option_arg(struct put *p, unsigned int i, uint64_t value)
{
	const char kind = args_option_kind(p->call, p->call->entry->proto, i);
	const bool is_32bit = sys_abi_is_32bit((enum sys_abi)p->call->abi);

	if (!kind || kind == '*')
		return false;
	put_kind(p, kind, i, is_32bit ? (uint32_t)value : value);
	return true;
}

void args_put_value(struct put *p, unsigned int i, uint64_t value)
{
	const struct sys_arg *arg = &p->call->entry->proto->args[i];
	const bool is_32bit = sys_abi_is_32bit((enum sys_abi)p->call->abi);

	if (put_option_arg(p, i, value))
		return;
	switch (arg->kind) {
	case SYS_FD:
	case SYS_AT:
		put_fd(p, arg->kind, (int32_t)value);
		break;
	case SYS_PTR:
	case SYS_OUT:
	case SYS_PATH:
	case SYS_STR:
	case SYS_BUF:
		put_pointer(p, i, arg->kind, is_32bit ? (uint32_t)value : value);
		break;
	case SYS_ID:
		put_id(p, (uint32_t)value);
		break;
	case SYS_MODE:
	case SYS_OPENMODE:
		put_mode(p, (uint16_t)value);
		break;
	case SYS_MODEFMT:
		put_file_mode(p, (uint16_t)value);
		break;
	case SYS_DEV:
		put_dev(p, (uint32_t)value);
		break;
	case SYS_FCNTLARG:
		put_fcntl_arg(p, is_32bit ? (uint32_t)value : value);
		break;
	case SYS_SOCKOPTNAME:
		put_sockopt(p, value);
		break;
	case SYS_SOCKPROTO:
		put_protocol(p, value);
		break;
	case SYS_IPCKEY:
		if (!(uint32_t)value)
			put_text(p, "IPC_PRIVATE");
		else
			put_hex(p, (uint32_t)value);
		break;
	case SYS_SECCOMPFLAGS: /* SECCOMP_SET_MODE_FILTER alone has flags */
		if ((uint32_t)p->call->args[0] == 1)
			put_set(p, &sys_set_seccomp_filter, value);
		else
			put_hex(p, (uint32_t)value);
		break;
	case SYS_IOPRIOVAL:
		put_ioprio(p, (uint32_t)value);
		break;
	case SYS_QCMD:
		put_quota_cmd(p, (uint32_t)value);
		break;
	case SYS_POSLOW:
		put_dec(p, is_32bit ? (int64_t)((uint32_t)value | p->call->args[i + 1] << 32) :
				      (int64_t)value);
		break;
	case SYS_POSHIGH:
		break;
	case SYS_SET:
		if (!put_special_set(p, arg->set, value))
			put_set(p, arg->set, sys_set_word(arg, value, is_32bit));
		break;
	default:
		put_word(p, arg->kind, value, is_32bit);
		break;
	}
}

static void comma(struct put *p)
{
	put_mem(p, ", ", 2);
}

static void put_bitset(struct put *p, uint32_t set)
{
	if (set == UINT32_MAX)
		put_text(p, "FUTEX_BITSET_MATCH_ANY");
	else
		put_hex(p, set);
}

/* One of the two operations in it, and where it is: "FUTEX_OP_ADD<<28|" */
static void put_wake_part(struct put *p, const struct sys_set *set, uint32_t value,
			  const char *shift)
{
	const bool known = put_set_name(p, set, value);

	if (!known)
		put_hex(p, value);
	put_text(p, shift);
	if (!known) {
		put_text(p, " /* ");
		put_text(p, set->unknown);
		put_text(p, " */");
	}
	put_mem(p, "|", 1);
}

/* linux/futex.h, FUTEX_OP(): what is done to the second futex, and what it is compared with */
static void put_wake_op(struct put *p, uint32_t value)
{
	if (p->opts->names != TFS_ARGS_ABBREV) {
		put_hex(p, value);
		return;
	}
	if (value >> 31)
		put_text(p, "FUTEX_OP_OPARG_SHIFT<<28|");
	put_wake_part(p, &sys_set_futex_wake, value >> 28 & 7, "<<28");
	put_hex(p, value >> 12 & 0xfff);
	put_text(p, "<<12|");
	put_wake_part(p, &sys_set_futex_cmp, value >> 24 & 0xf, "<<24");
	put_hex(p, value & 0xfff);
}

static void put_futex_op(struct put *p, uint64_t op)
{
	static const uint32_t clock = 0x100;
	const uint32_t cmd = (uint32_t)op & ~clock;
	const bool known = !(op & clock) || (cmd & FUTEX_CMD_BITS) == CMD_WAIT ||
			   (cmd & FUTEX_CMD_BITS) == CMD_WAIT_BITSET ||
			   (cmd & FUTEX_CMD_BITS) == CMD_WAIT_REQUEUE_PI;

	if (known || p->opts->names != TFS_ARGS_ABBREV) {
		put_set(p, &sys_set_futex, op);
		return;
	}
	put_hex(p, op);
	put_text(p, " /* FUTEX_??? */");
}

/* Each operation looks at other arguments: futex(2) */
static void put_futex(struct put *p)
{
	const uint64_t *a = p->call->args;

	put_addr(p, a[0]);
	comma(p);
	put_futex_op(p, (uint32_t)a[1]);
	switch (a[1] & FUTEX_CMD_BITS) {
	case CMD_UNLOCK_PI:
	case CMD_TRYLOCK_PI:
		return;
	case CMD_LOCK_PI:
	case CMD_LOCK_PI2:
		comma(p);
		put_addr(p, a[3]);
		return;
	default:
		comma(p);
		put_udec(p, (uint32_t)a[2]);
	}
	switch (a[1] & FUTEX_CMD_BITS) {
	case CMD_WAKE:
	case CMD_FD:
		break;
	case CMD_WAIT:
		comma(p);
		put_addr(p, a[3]);
		break;
	case CMD_WAIT_BITSET:
		comma(p);
		put_addr(p, a[3]);
		comma(p);
		put_bitset(p, (uint32_t)a[5]);
		break;
	case CMD_WAKE_BITSET:
		comma(p);
		put_bitset(p, (uint32_t)a[5]);
		break;
	case CMD_WAIT_REQUEUE_PI:
		comma(p);
		put_addr(p, a[3]);
		comma(p);
		put_addr(p, a[4]);
		break;
	case CMD_REQUEUE:
	case CMD_CMP_REQUEUE:
	case CMD_CMP_REQUEUE_PI:
	case CMD_WAKE_OP:
		comma(p);
		put_udec(p, (uint32_t)a[3]);
		comma(p);
		put_addr(p, a[4]);
		if ((a[1] & FUTEX_CMD_BITS) == CMD_REQUEUE)
			break;
		comma(p);
		if ((a[1] & FUTEX_CMD_BITS) == CMD_WAKE_OP)
			put_wake_op(p, (uint32_t)a[5]);
		else
			put_udec(p, (uint32_t)a[5]);
		break;
	default:
		comma(p);
		put_addr(p, a[3]);
		comma(p);
		put_addr(p, a[4]);
		comma(p);
		put_hex(p, (uint32_t)a[5]);
	}
}

/* linux/sched.h */
enum clone_bits {
	BIT_SETTLS = 0x80000,
	BIT_PARENT_SETTID = 0x100000,
	BIT_CHILD_CLEARTID = 0x200000,
	BIT_CHILD_SETTID = 0x1000000,
	BIT_PIDFD = 0x1000,
};

/* The register of a parameter of clone, whose order differs between architectures */
static uint64_t clone_arg(const struct put *p, const char *name)
{
	const struct sys_proto *proto = p->call->entry->proto;

	for (unsigned int i = 0; i < proto->n_args; i++)
		if (!strcmp(proto->args[i].name, name))
			return p->call->args[i];
	return 0;
}

static void put_clone(struct put *p, enum args_phase phase)
{
	const uint64_t flags = clone_arg(p, "clone_flags");

	if (phase == ARGS_ENTER) {
		put_text(p, "child_stack=");
		put_addr(p, clone_arg(p, "newsp"));
		put_text(p, ", flags=");
		put_set(p, &sys_set_clone, flags);
		return;
	}
	if (flags & (BIT_PARENT_SETTID | BIT_PIDFD)) {
		put_text(p, flags & BIT_PIDFD ? ", pidfd=" : ", parent_tid=");
		put_addr(p, clone_arg(p, "parent_tidptr"));
	}
	if (flags & BIT_SETTLS) {
		put_text(p, ", tls=");
		put_hex(p, clone_arg(p, "tls"));
	}
	if (flags & (BIT_CHILD_SETTID | BIT_CHILD_CLEARTID)) {
		put_text(p, ", child_tidptr=");
		put_addr(p, clone_arg(p, "child_tidptr"));
	}
}

static void put_ioctl(struct put *p, enum args_phase phase)
{
	const uint64_t *a = p->call->args;

	if (phase == ARGS_ENTER) {
		put_fd(p, SYS_FD, (int32_t)a[0]);
		comma(p);
		args_put_ioctl_cmd(p, (uint32_t)a[1]);
	} else if (args_count(p->call, p->call->entry->proto) > 2) {
		comma(p);
		args_put_ioctl_arg(p, (uint32_t)a[1], a[2]);
	}
}

static bool is_named(const struct put *p, const char *name)
{
	return !strcmp(p->call->entry->name, name);
}

/* A call that a stop interrupted, and that goes on */
static void put_restarted(struct put *p)
{
	put_text(p, "<... resuming interrupted ");
	put_text(p, p->call->before ? p->call->before->name : "system call");
	put_text(p, " ...>");
}

bool args_put_special(struct put *p, enum args_phase phase)
{
	const struct sys_proto *proto = p->call->entry->proto;
	const struct sys_arg *args = proto->args;

	if (is_named(p, "restart_syscall")) {
		if (phase == ARGS_ENTER)
			put_restarted(p);
		return true;
	}
	if (p->opts->parameters || proto->n_args < 3)
		return false;
	if (args[1].set == &sys_set_futex) {
		if (phase == ARGS_ENTER)
			put_futex(p);
	} else if (args[1].set == &sys_set_ioctl) {
		put_ioctl(p, phase);
	} else if (proto->n_args == 5 &&
		   (args[0].set == &sys_set_clone || args[1].set == &sys_set_clone)) {
		put_clone(p, phase);
	} else {
		return false;
	}
	return true;
}

static void put_result_flags(struct put *p, const char *what, const struct sys_set *set,
			     uint64_t value)
{
	put_hex(p, value);
	if (!value)
		return;
	put_text(p, " (");
	put_text(p, what);
	put_set(p, set, value);
	put_mem(p, ")", 1);
}

/* "1 (SUID_DUMP_USER)" */
static bool put_meaning(struct put *p, const struct sys_set *set, int64_t ret)
{
	put_dec(p, ret);
	put_text(p, " (");
	put_set(p, set, (uint64_t)ret);
	put_mem(p, ")", 1);
	return true;
}

static bool put_prctl_result(struct put *p, int64_t ret)
{
	switch ((uint32_t)p->call->args[0]) {
	case GET_DUMPABLE:
		return put_meaning(p, &sys_set_suid_dump, ret);
	case GET_SECUREBITS:
		put_result_flags(p, "", &sys_set_securebits, (uint64_t)ret);
		return true;
	case MCE_KILL_GET:
		return put_meaning(p, &sys_set_mce_kill_policy, ret);
	default:
		return false;
	}
}

static bool put_fcntl_result(struct put *p, int64_t ret)
{
	switch ((uint32_t)p->call->args[1]) {
	case CMD_GETFD:
		put_result_flags(p, "flags ", &sys_set_fdflags, (uint64_t)ret);
		return true;
	case CMD_GETFL:
		put_hex(p, (uint64_t)ret);
		put_text(p, " (flags ");
		put_set(p, &sys_set_open, (uint64_t)ret);
		put_mem(p, ")", 1);
		return true;
	case CMD_GETLEASE:
		put_hex(p, (uint64_t)ret);
		put_text(p, " (");
		put_set(p, &sys_set_lease, (uint64_t)ret);
		put_mem(p, ")", 1);
		return true;
	case CMD_GET_SEALS:
		put_result_flags(p, "seals ", &sys_set_seals, (uint64_t)ret);
		return true;
	case CMD_GETSIG:
		return ret && put_meaning(p, &sys_set_signal, ret);
	case CMD_DUPFD:
	case CMD_DUPFD_CLOEXEC:
		put_dec(p, ret);
		if (p->opts->fd && !p->rc)
			p->rc = p->opts->fd(p->opts->ctx, p->call, (int)ret, p->out);
		return true;
	default:
		return false;
	}
}

/* A number, and its name after it */
static bool put_named_result(struct put *p, int64_t ret)
{
	const bool persona = strstr(p->call->entry->name, "personality");
	const bool ioprio = is_named(p, "ioprio_get");

	if (!persona && !ioprio && !is_named(p, "sched_getscheduler"))
		return false;
	put_hex(p, (uint64_t)ret);
	put_text(p, " (");
	if (ioprio)
		put_ioprio(p, (uint32_t)ret);
	else
		put_set(p, persona ? &sys_set_personality : &sys_set_sched, (uint64_t)ret);
	put_mem(p, ")", 1);
	return true;
}

bool args_put_result(struct put *p, const struct sys_proto *proto, int64_t ret)
{
	if (p->call->flags & TFS_CALL_NO_ENTRY)
		return false;
	if (proto->n_args == 3 && proto->args[1].set == &sys_set_fcntl)
		return put_fcntl_result(p, ret);
	if (proto->n_args == 5 && proto->args[0].set == &sys_set_prctl)
		return put_prctl_result(p, ret);
	if (put_named_result(p, ret))
		return true;
	if (ret && is_named(p, "rt_sigtimedwait"))
		return put_meaning(p, &sys_set_signal, ret);
	if (!ret && (is_named(p, "poll") || is_named(p, "ppoll") || is_named(p, "select") ||
		     is_named(p, "pselect6") || is_named(p, "_newselect"))) {
		put_text(p, "0 (Timeout)");
		return true;
	}
	return false;
}

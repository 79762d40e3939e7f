/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "syscalls/decode.h"

#include <inttypes.h>
#include <trace-seq.h>

#define AT_FDCWD_VALUE (-100)
#define MAX_ERRNO 4095 /* include/linux/err.h */
/* The same on every ABI there is a table for. */
#define O_CREAT_BIT 0100
#define O_TMPFILE_BIT 020000000 /* __O_TMPFILE; O_TMPFILE itself has O_DIRECTORY in it */

static bool val_is_for(const struct sys_val *val, enum sys_abi abi)
{
	return !val->abis || (abi < SYS_N_ABIS && (val->abis & (1u << abi)));
}

static const char *find_one(const struct sys_set *set, uint64_t key, enum sys_abi abi)
{
	uint64_t mask = set->is_int ? UINT32_MAX : UINT64_MAX;
	size_t i;

	for (i = 0; i < set->n_one; i++)
		if ((set->one[i].value & mask) == key && val_is_for(&set->one[i], abi))
			return set->one[i].name;
	return NULL;
}

static void put_part(struct trace_seq *s, const char *name, unsigned int *n_parts)
{
	if ((*n_parts)++)
		trace_seq_putc(s, '|');
	trace_seq_puts(s, name);
}

static void put_rest(struct trace_seq *s, const struct sys_set *set, uint64_t rest,
		     unsigned int *n_parts)
{
	if (!rest && *n_parts)
		return;
	if ((*n_parts)++)
		trace_seq_putc(s, '|');
	if (!rest)
		trace_seq_putc(s, '0');
	else if (set->rest == SYS_REST_OCTAL)
		trace_seq_printf(s, "0%" PRIo64, rest);
	else if (set->rest == SYS_REST_DECIMAL && set->is_int)
		trace_seq_printf(s, "%" PRId32, (int32_t)rest);
	else if (set->rest == SYS_REST_DECIMAL)
		trace_seq_printf(s, "%" PRId64, (int64_t)rest);
	else
		trace_seq_printf(s, "0x%" PRIx64, rest);
}

/* By its names: "O_RDWR|O_CREAT|0x80000000" */
static void print_set(struct trace_seq *s, const struct sys_set *set, uint64_t value,
		      enum sys_abi abi)
{
	unsigned int n_parts = 0;
	const char *one = NULL;
	uint64_t rest;
	size_t i;

	if (set->is_int)
		value = (uint32_t)value;
	if (!value && set->zero) {
		trace_seq_puts(s, set->zero);
		return;
	}
	rest = value;
	if (set->n_one)
		one = find_one(set, value & set->one_mask & (set->is_int ? UINT32_MAX : UINT64_MAX),
			       abi);
	if (one) {
		rest &= ~set->one_mask;
		if (!set->one_last)
			put_part(s, one, &n_parts);
	}
	for (i = 0; i < set->n_bits; i++) {
		const struct sys_val *bit = &set->bits[i];

		if (bit->value && (rest & bit->value) == bit->value && val_is_for(bit, abi)) {
			put_part(s, bit->name, &n_parts);
			rest &= ~bit->value;
		}
	}
	if (one && set->one_last)
		put_part(s, one, &n_parts);
	put_rest(s, set, rest, &n_parts);
}

static void put_hex(struct trace_seq *s, uint64_t value)
{
	if (value)
		trace_seq_printf(s, "0x%" PRIx64, value);
	else
		trace_seq_putc(s, '0');
}

static void put_octal(struct trace_seq *s, uint64_t value)
{
	trace_seq_printf(s, value ? "0%03" PRIo64 : "%" PRIo64, value);
}

/* new_encode_dev() in include/linux/kdev_t.h: minor 7..0, major 19..8, minor 31..20 */
static void put_dev(struct trace_seq *s, uint32_t dev)
{
	trace_seq_printf(s, "%u:%u", (dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00));
}

static void put_modefmt(struct trace_seq *s, uint16_t mode, enum sys_abi abi)
{
	uint16_t type = mode & 0170000;

	if (type) {
		print_set(s, &sys_set_ifmt, type, abi);
		trace_seq_putc(s, '|');
	}
	put_octal(s, mode & 07777);
}

/* Values of fcntl's cmd, the same on every ABI there is a table for. */
enum fcntl_cmd {
	CMD_DUPFD = 0,
	CMD_SETFD = 2,
	CMD_SETFL = 4,
	CMD_SETOWN = 8,
	CMD_SETSIG = 10,
	CMD_DUPFD_QUERY = 1027,
	CMD_DUPFD_CLOEXEC = 1030,
	CMD_SETPIPE_SZ = 1031,
	CMD_ADD_SEALS = 1033,
};

static void put_fcntlarg(struct trace_seq *s, enum sys_abi abi, uint64_t value, uint32_t cmd)
{
	switch (cmd) {
	case CMD_SETFD:
		print_set(s, &sys_set_fdflags, value, abi);
		break;
	case CMD_SETFL:
		print_set(s, &sys_set_open, value, abi);
		break;
	case CMD_SETSIG:
		print_set(s, &sys_set_signal, value, abi);
		break;
	case CMD_ADD_SEALS:
		print_set(s, &sys_set_seals, value, abi);
		break;
	case CMD_DUPFD:
	case CMD_DUPFD_CLOEXEC:
	case CMD_DUPFD_QUERY:
	case CMD_SETOWN:
	case CMD_SETPIPE_SZ:
		trace_seq_printf(s, "%" PRId32, (int32_t)value);
		break;
	default:
		put_hex(s, value);
		break;
	}
}

/* Protocol levels of setsockopt: include/linux/socket.h, the same everywhere. */
enum sol_level {
	LEVEL_IP = 0,
	LEVEL_SOCKET = 1,
	LEVEL_TCP = 6,
	LEVEL_IPV6 = 41,
};

static void put_sockoptname(struct trace_seq *s, enum sys_abi abi, uint64_t value, uint32_t level)
{
	switch (level) {
	case LEVEL_IP:
		print_set(s, &sys_set_ipopt, value, abi);
		break;
	case LEVEL_SOCKET:
		print_set(s, &sys_set_sockopt, value, abi);
		break;
	case LEVEL_TCP:
		print_set(s, &sys_set_tcpopt, value, abi);
		break;
	case LEVEL_IPV6:
		print_set(s, &sys_set_ipv6opt, value, abi);
		break;
	default:
		put_hex(s, (uint32_t)value);
		break;
	}
}

/* The kinds that need no more than the value; false for the others. */
static bool put_number(struct trace_seq *s, enum sys_kind kind, uint64_t value, bool is_32bit)
{
	const uint64_t word = is_32bit ? (uint32_t)value : value;

	switch (kind) {
	case SYS_INT:
	case SYS_FD:
	case SYS_SOCKPROTO:
		trace_seq_printf(s, "%" PRId32, (int32_t)value);
		return true;
	case SYS_UINT:
		trace_seq_printf(s, "%" PRIu32, (uint32_t)value);
		return true;
	case SYS_LONG:
		trace_seq_printf(s, "%" PRId64, is_32bit ? (int32_t)value : (int64_t)value);
		return true;
	case SYS_ULONG:
	case SYS_POSLOW:
	case SYS_POSHIGH:
		trace_seq_printf(s, "%" PRIu64, word);
		return true;
	case SYS_XINT:
	case SYS_IPCKEY:
	case SYS_IOPRIOVAL:
	case SYS_QCMD:
		put_hex(s, (uint32_t)value);
		return true;
	case SYS_XLONG:
	case SYS_ADDR:
	case SYS_PRCTLARG:
		put_hex(s, word);
		return true;
	case SYS_X64:
	case SYS_XPAIR:
		put_hex(s, value);
		return true;
	case SYS_S64:
	case SYS_PAIR:
		trace_seq_printf(s, "%" PRId64, (int64_t)value);
		return true;
	default:
		return false;
	}
}

/* The other kinds. */
static void put_named(struct trace_seq *s, enum sys_abi abi, const struct sys_arg *arg,
		      uint64_t value, uint64_t before)
{
	const uint64_t word = sys_abi_is_32bit(abi) ? (uint32_t)value : value;

	switch (arg->kind) {
	case SYS_PTR:
	case SYS_OUT:
	case SYS_PATH:
	case SYS_STR:
	case SYS_BUF:
		trace_seq_printf(s, word ? "0x%" PRIx64 : "NULL", word);
		break;
	case SYS_AT:
		if ((int32_t)value == AT_FDCWD_VALUE)
			trace_seq_puts(s, "AT_FDCWD");
		else
			trace_seq_printf(s, "%" PRId32, (int32_t)value);
		break;
	case SYS_ID:
		trace_seq_printf(s, "%" PRId64,
				 (uint32_t)value == UINT32_MAX ? -1 : (int64_t)(uint32_t)value);
		break;
	case SYS_MODE:
	case SYS_OPENMODE:
		put_octal(s, (uint16_t)value);
		break;
	case SYS_MODEFMT:
		put_modefmt(s, (uint16_t)value, abi);
		break;
	case SYS_DEV:
		put_dev(s, (uint32_t)value);
		break;
	case SYS_FCNTLARG:
		put_fcntlarg(s, abi, word, (uint32_t)before);
		break;
	case SYS_SOCKOPTNAME:
		put_sockoptname(s, abi, value, (uint32_t)before);
		break;
	case SYS_SECCOMPFLAGS: /* SECCOMP_SET_MODE_FILTER alone has flags */
		if ((uint32_t)before == 1)
			print_set(s, &sys_set_seccomp_filter, value, abi);
		else
			put_hex(s, (uint32_t)value);
		break;
	default:
		if (arg->set)
			print_set(s, arg->set, sys_set_word(arg, value, sys_abi_is_32bit(abi)),
				  abi);
		else
			put_hex(s, word);
		break;
	}
}

void sys_print_arg(struct trace_seq *s, enum sys_abi abi, const struct sys_arg *arg, uint64_t value,
		   uint64_t before)
{
	if (!put_number(s, arg->kind, value, sys_abi_is_32bit(abi)))
		put_named(s, abi, arg, value, before);
}

bool sys_arg_is_unused(const struct sys_arg *arg, uint64_t before)
{
	return arg->kind == SYS_PAD ||
	       (arg->kind == SYS_OPENMODE && !(before & (O_CREAT_BIT | O_TMPFILE_BIT)));
}

static void print_raw(struct trace_seq *s, const uint64_t *regs, size_t n_regs)
{
	size_t i;

	for (i = 0; i < n_regs; i++)
		trace_seq_printf(s, "%s%" PRIx64, i ? ", " : "", regs[i]);
}

void sys_print_args(struct trace_seq *s, enum sys_abi abi, const struct sys_proto *proto,
		    const uint64_t *regs, size_t n_regs)
{
	uint64_t value, before = 0;
	const char *comma = "";
	size_t i, reg = 0;

	if (proto->raw) {
		print_raw(s, regs, n_regs);
		return;
	}
	for (i = 0; i < proto->n_args; i++) {
		const struct sys_arg *arg = &proto->args[i];
		const size_t width = arg->kind == SYS_PAIR || arg->kind == SYS_XPAIR ? 2 : 1;

		if (reg + width > n_regs) {
			trace_seq_printf(s, "%s...", comma);
			return;
		}
		value = regs[reg];
		if (width == 2)
			value = (uint32_t)value | regs[reg + 1] << 32;
		reg += width;
		if (!sys_arg_is_unused(arg, before)) {
			trace_seq_printf(s, "%s%s: ", comma, arg->name);
			sys_print_arg(s, abi, arg, value, before);
			comma = ", ";
		}
		before = value;
	}
}

void sys_print_ret(struct trace_seq *s, enum sys_abi abi, const struct sys_proto *proto,
		   int64_t ret)
{
	const struct sys_arg arg = { .name = "ret", .kind = proto ? proto->ret : SYS_LONG };
	/* A 32-bit task's return value is not sign-extended by every kernel. */
	const int64_t word = sys_abi_is_32bit(abi) ? (int32_t)ret : ret;

	if (word < 0 && word >= -MAX_ERRNO) {
		trace_seq_putc(s, '-');
		print_set(s, &sys_set_errno, (uint64_t)-word, abi);
	} else {
		sys_print_arg(s, abi, &arg, (uint64_t)ret, 0);
	}
}

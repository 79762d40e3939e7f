/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/args.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "strace/args-kinds.h"
#include "strace/args-options.h"
#include "strace/call.h"
#include "strace/put.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"
#include "view/export-value.h"

int tfs_args_name(const struct tfs_call *call, struct tfs_strbuf *out)
{
	return call->entry ? tfs_strbuf_adds(out, call->entry->name) :
			     tfs_strbuf_addf(out, "syscall_%#" PRIx64, (uint64_t)call->nr);
}

static const struct sys_proto *proto_of(const struct tfs_call *call)
{
	return call->entry && !call->entry->proto->raw ? call->entry->proto : NULL;
}

/* Arguments that are known at entry: those before the first one that the kernel writes */
static unsigned int n_at_entry(const struct sys_proto *proto, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (proto->args[i].kind == SYS_OUT)
			return i;
	return n;
}

uint64_t args_value(const struct tfs_call *call, const struct sys_proto *proto, unsigned int i)
{
	unsigned int reg = 0;
	bool pair;

	for (unsigned int k = 0; k < i; k++)
		reg += proto->args[k].kind == SYS_PAIR || proto->args[k].kind == SYS_XPAIR ? 2 : 1;
	pair = proto->args[i].kind == SYS_PAIR || proto->args[i].kind == SYS_XPAIR;
	if (reg + pair >= TFS_CALL_ARGS)
		return 0;
	return pair ? (uint32_t)call->args[reg] | call->args[reg + 1] << 32 : call->args[reg];
}

static void put_args(struct put *p, const struct sys_proto *proto, unsigned int from,
		     unsigned int to)
{
	bool more = from > 0;

	for (unsigned int i = from; i < to; i++) {
		const struct sys_arg *arg = &proto->args[i];

		if (arg->kind == SYS_PAD || arg->kind == SYS_POSHIGH ||
		    args_option_skips(p->call, proto, i))
			continue;
		/* At the call's entry what follows was announced by a comma. */
		if (more && i != from)
			put_mem(p, ", ", 2);
		more = true;
		if (p->opts->parameters) {
			put_text(p, arg->name);
			put_mem(p, "=", 1);
		}
		args_put_value(p, i, args_value(p->call, proto, i));
	}
}

static void put_raw_args(struct put *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (i)
			put_mem(p, ", ", 2);
		put_hex(p, p->call->args[i]);
	}
}

int tfs_args_enter(const struct tfs_args_opts *opts, struct tfs_call *call, struct tfs_strbuf *out)
{
	const struct sys_proto *proto = proto_of(call);
	struct put p = { .opts = opts, .call = call, .out = out };
	unsigned int n;

	if (!proto || call->flags & TFS_CALL_NUMBERS) {
		put_raw_args(&p, proto ? proto->n_args : TFS_CALL_ARGS);
		return p.rc;
	}
	if (args_put_special(&p, ARGS_ENTER))
		return p.rc;
	n = args_count(call, proto);
	call->shown = n_at_entry(proto, n);
	put_args(&p, proto, 0, call->shown);
	if (call->shown && call->shown < n)
		put_mem(&p, ", ", 2);
	return p.rc;
}

int tfs_args_exit(const struct tfs_args_opts *opts, const struct tfs_call *call,
		  struct tfs_strbuf *out)
{
	const struct sys_proto *proto = proto_of(call);
	struct put p = { .opts = opts, .call = call, .out = out };

	if (!proto || call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_NUMBERS))
		return 0;
	if (!args_put_special(&p, ARGS_EXIT))
		put_args(&p, proto, call->shown, args_count(call, proto));
	return p.rc;
}

/* The codes by which the kernel asks itself to restart a call: include/linux/errno.h */
static const char *restart_text(int64_t error)
{
	switch (error) {
	case 512:
		return "ERESTARTSYS (To be restarted if SA_RESTART is set)";
	case 513:
		return "ERESTARTNOINTR (To be restarted)";
	case 514:
		return "ERESTARTNOHAND (To be restarted if no handler)";
	case 516:
		return "ERESTART_RESTARTBLOCK (Interrupted by signal)";
	default:
		return NULL;
	}
}

static void put_error(struct put *p, int64_t error)
{
	const char *text = restart_text(error);

	if (text) {
		put_text(p, "? ");
		put_text(p, text);
		return;
	}
	put_text(p, "-1 ");
	if (p->call->flags & TFS_CALL_NUMBERS ||
	    !put_set_name(p, &sys_set_errno, (uint64_t)error)) {
		put_text(p, "(errno ");
		put_dec(p, error);
		put_mem(p, ")", 1);
		return;
	}
	text = strerrordesc_np((int)error);
	if (text) {
		put_text(p, " (");
		put_text(p, text);
		put_mem(p, ")", 1);
	}
}

bool tfs_args_result_is_fd(const struct tfs_call *call)
{
	const struct sys_proto *proto = call->entry ? call->entry->proto : NULL;
	const unsigned int cmd = (unsigned int)call->args[1];

	if (!proto || proto->n_args != 3 || proto->args[1].set != &sys_set_fcntl)
		return proto && proto->ret == SYS_FD;
	return !(call->flags & TFS_CALL_NO_ENTRY) && (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC);
}

static void put_fd_result(struct put *p, int64_t ret)
{
	put_dec(p, ret);
	if (p->opts->fd && !p->rc)
		p->rc = p->opts->fd(p->opts->ctx, p->call, (int)ret, p->out);
}

int tfs_args_result(const struct tfs_args_opts *opts, const struct tfs_call *call,
		    struct tfs_strbuf *out)
{
	const struct sys_proto *proto = call->entry ? call->entry->proto : NULL;
	struct put p = { .opts = opts, .call = call, .out = out };
	const bool word = sys_abi_is_32bit((enum sys_abi)call->abi);
	int64_t ret = word ? (int32_t)call->ret : call->ret;

	if (call->flags & TFS_CALL_NO_EXIT) {
		put_mem(&p, "?", 1);
		return p.rc;
	}
	if (ret < 0 && ret >= -TFS_CALL_ERRNO_MAX) {
		put_error(&p, -ret);
		return p.rc;
	}
	if (call->flags & TFS_CALL_NUMBERS) {
		put_hex(&p, word ? (uint32_t)ret : (uint64_t)ret);
		return p.rc;
	}
	if (proto && args_put_result(&p, proto, ret))
		return p.rc;
	if (tfs_args_result_is_fd(call)) {
		put_fd_result(&p, ret);
		return p.rc;
	}
	switch (proto ? proto->ret : SYS_LONG) {
	case SYS_ADDR:
		put_hex(&p, word ? (uint32_t)ret : (uint64_t)ret);
		break;
	case SYS_MODE:
		put_mode(&p, (uint64_t)ret);
		break;
	case SYS_ID:
		put_udec(&p, (uint32_t)ret);
		break;
	default:
		put_dec(&p, ret);
		break;
	}
	return p.rc;
}

/* @arg: NULL: not known */
static int add_json_number(const struct sys_arg *arg, uint64_t value, struct tfs_strbuf *out)
{
	switch (arg ? arg->kind : SYS_ULONG) {
	case SYS_INT:
	case SYS_FD:
	case SYS_AT:
		return tfs_strbuf_addf(out, "%d", (int32_t)value);
	case SYS_UINT:
	case SYS_XINT:
	case SYS_ID:
	case SYS_MODE:
	case SYS_OPENMODE:
	case SYS_MODEFMT:
	case SYS_DEV:
	case SYS_IPCKEY:
	case SYS_SOCKOPTNAME:
	case SYS_SOCKPROTO:
	case SYS_SECCOMPFLAGS:
		return tfs_strbuf_addf(out, "%" PRIu32, (uint32_t)value);
	case SYS_LONG:
	case SYS_S64:
		return tfs_json_signed(out, (int64_t)value);
	case SYS_SET:
		return tfs_json_unsigned(out, sys_set_word(arg, value, arg->set->is_int));
	default:
		return tfs_json_unsigned(out, value);
	}
}

int tfs_args_json(const struct tfs_call *call, struct tfs_strbuf *out)
{
	const struct sys_proto *proto = proto_of(call);
	const unsigned int n = proto ? args_count(call, proto) : TFS_CALL_ARGS;
	bool more = false;
	int rc = 0;

	for (unsigned int i = 0; i < n && !rc; i++) {
		const struct sys_arg *arg = proto ? &proto->args[i] : NULL;

		if (arg && (arg->kind == SYS_PAD || arg->kind == SYS_POSHIGH))
			continue;
		if (more)
			rc = tfs_strbuf_addc(out, ',');
		more = true;
		if (!rc)
			rc = arg ? tfs_strbuf_addf(out, "\"%s\":", arg->name) :
				   tfs_strbuf_addf(out, "\"arg%u\":", i);
		if (!rc)
			rc = add_json_number(arg, arg ? args_value(call, proto, i) : call->args[i],
					     out);
	}
	return rc;
}

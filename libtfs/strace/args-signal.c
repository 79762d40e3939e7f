/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/args-signal.h"

#include "base/macros.h"
#include "strace/call.h"
#include "strace/calls.h"
#include "strace/put.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

/* siginfo has more for these codes than a code, but signal_deliver does not. */
#define CODE_KERNEL 0x80

/* asm-generic/siginfo.h: codes above zero are those of a signal. */
static const struct sys_set *codes_of(int sig, int code)
{
	static const struct {
		int sig;
		const struct sys_set *set;
	} sets[] = {
		{ 4, &sys_set_sicode_ill },   { 5, &sys_set_sicode_trap },
		{ 7, &sys_set_sicode_bus },   { 8, &sys_set_sicode_fpe },
		{ 11, &sys_set_sicode_segv }, { 17, &sys_set_sicode_cld },
		{ 29, &sys_set_sicode_poll }, { 31, &sys_set_sicode_sys },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (sets[i].sig == sig && code > 0 && code < CODE_KERNEL)
			return sets[i].set;
	return &sys_set_sicode_si;
}

static void put_signal(struct put *p, int sig)
{
	if (p->opts->names != TFS_ARGS_ABBREV || !put_set_name(p, &sys_set_signal, (uint32_t)sig))
		put_dec(p, sig);
}

int tfs_args_signal_name(int sig, struct tfs_strbuf *out)
{
	static const struct tfs_args_opts opts = { .names = TFS_ARGS_ABBREV };
	static const struct tfs_call call = { .abi = SYS_ABI_NONE };
	struct put p = { .opts = &opts, .call = &call, .out = out };

	put_signal(&p, sig);
	return p.rc;
}

int tfs_args_signal(const struct tfs_args_opts *opts, const struct tfs_call_signal *sig,
		    struct tfs_strbuf *out)
{
	static const struct tfs_call call = { .abi = SYS_ABI_NONE };
	struct put p = { .opts = opts, .call = &call, .out = out };

	put_signal(&p, sig->sig);
	put_text(&p, " {si_signo=");
	put_signal(&p, sig->sig);
	put_text(&p, ", si_code=");
	if (opts->names != TFS_ARGS_ABBREV ||
	    !put_set_name(&p, codes_of(sig->sig, sig->code), (uint32_t)sig->code))
		put_dec(&p, sig->code);
	if (sig->error) {
		put_text(&p, ", si_errno=");
		if (!put_set_name(&p, &sys_set_errno, (uint32_t)sig->error))
			put_dec(&p, sig->error);
	}
	if (sig->code != CODE_KERNEL)
		put_text(&p, ", ...");
	put_mem(&p, "}", 1);
	return p.rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/args-options.h"

#include <string.h>

#include "base/macros.h"
#include "strace/call.h"
#include "syscalls/tables.h"

/* linux/prctl.h */
#define SET_SECCOMP 22
#define SECCOMP_STRICT 1
#define SECCOMP_FILTER 2

/*
 * @kinds: a letter for each argument after the option:
 *	* as the prototype says   - left out          d int       u unsigned long
 *	x hexadecimal             a address           f descriptor, a number
 *	I uid or gid              g signal            E errno     k key
 *	c capability, for some options                P thread, -1 for all
 *	t kind of pid, with its name                  v unsigned int
 * and those of args_option_set() below
 */
struct option {
	uint32_t value;
	const char *kinds;
};

static const struct option prctl_options[] = {
	{ 1, "g" },          { 2, "a" },     { 3, "" },
	{ 4, "D" },          { 5, "a" },     { 6, "n" },
	{ 7, "" },           { 8, "u" },     { 9, "a" },
	{ 10, "u" },         { 11, "a" },    { 12, "u" },
	{ 13, "" },          { 14, "u" },    { 15, "a" },
	{ 16, "a" },         { 19, "a" },    { 20, "u" },
	{ 21, "" },          { 23, "c" },    { 24, "c" },
	{ 25, "a" },         { 26, "T" },    { 27, "" },
	{ 28, "s" },         { 29, "u" },    { 30, "" },
	{ 31, "" },          { 32, "" },     { 33, "Klxx" },
	{ 35, "mxxx" },      { 36, "u" },    { 37, "a" },
	{ 38, "uxxx" },      { 40, "a" },    { 41, "uxxx" },
	{ 45, "x" },         { 46, "" },     { 47, "Acxx" },
	{ 50, "x" },         { 51, "" },     { 52, "i" },
	{ 53, "ie" },        { 54, "yxxx" }, { 57, "uxxx" },
	{ 59, "Uxxa" },      { 60, "yyxx" }, { 62, "Cdta" },
	{ 63, "x" },         { 64, "" },     { 0x53564d41, "Vaua" }, /* PR_SET_VMA */
	{ 0x59616d61, "P" },                                         /* PR_SET_PTRACER */
};

/* PR_SET_SECCOMP, by its mode */
static const struct option seccomp_modes[] = {
	{ SECCOMP_STRICT, "M" },
	{ SECCOMP_FILTER, "Mx" },
};

static const struct option arch_prctl_options[] = {
	{ 0x1003, "a" }, { 0x1004, "a" }, { 0x1011, "" },
	{ 0x1021, "a" }, { 0x1022, "a" }, { 0x1024, "a" },
};

static const struct option ptrace_options[] = {
	{ 0, "---" },      { 7, "*ag" },      { 8, "*--" },      { 9, "*ag" },
	{ 12, "*-a" },     { 13, "*-a" },     { 14, "*-a" },     { 15, "*-a" },
	{ 16, "*--" },     { 17, "*ag" },     { 24, "*ag" },     { 31, "*ag" },
	{ 32, "*ag" },     { 33, "*ag" },     { 0x4200, "*ao" }, { 0x4204, "*Ra" },
	{ 0x4205, "*Ra" }, { 0x4206, "*ao" }, { 0x4207, "*--" }, { 0x4208, "*--" },
	{ 0x420a, "*ua" }, { 0x420b, "*ua" }, { 0x420c, "*ua" }, { 0x420d, "*ua" },
	{ 0x420e, "*ua" },
};

static const struct option keyctl_options[] = {
	{ 0, "kd--" },  { 1, "a---" },  { 2, "kau-" },  { 3, "k---" },  { 4, "kII-" },
	{ 5, "kw--" },  { 6, "kau-" },  { 7, "k---" },  { 8, "kk--" },  { 9, "kk--" },
	{ 10, "kaak" }, { 11, "kau-" }, { 12, "kauk" }, { 13, "kvk-" }, { 14, "d---" },
	{ 15, "kv--" }, { 16, "k---" }, { 17, "kau-" }, { 18, "----" }, { 19, "kvEk" },
	{ 20, "kauk" }, { 21, "k---" }, { 22, "Ik--" }, { 23, "aaua" }, { 24, "kaaa" },
	{ 29, "kaa-" }, { 30, "kkkx" }, { 31, "au--" },
};

static const struct option kcmp_options[] = {
	{ 0, "ff" }, { 1, "--" }, { 2, "--" }, { 3, "--" },
	{ 4, "--" }, { 5, "--" }, { 6, "--" }, { 7, "fa" },
};

/* The only one with an argument */
static const struct option reboot_options[] = { { 0xa1b2c3d4, "*" } };

static const struct option syslog_options[] = {
	{ 0, "--" }, { 1, "--" }, { 5, "--" }, { 6, "--" }, { 7, "--" }, { 9, "--" }, { 10, "--" },
};

/* The command, without the kind of quota; after a path */
static const struct option quota_options[] = {
	{ 0x800001, "*--" }, { 0x800002, "*Fa" }, { 0x800003, "*--" }, { 0x800004, "*-a" },
	{ 0x800005, "*-a" }, { 0x800006, "*-a" }, { 0x800007, "*Ia" }, { 0x800008, "*Ia" },
	{ 0x800009, "*Ia" }, { 0x5801, "*-a" },   { 0x5802, "*-a" },   { 0x5803, "*Ia" },
	{ 0x5804, "*Ia" },   { 0x5805, "*-a" },   { 0x5806, "*-a" },   { 0x5807, "*--" },
	{ 0x5808, "*-a" },   { 0x5809, "*Ia" },
};

/* @arg: the parameter that is the option, of @n; @set: its names */
static const struct chooser {
	const struct sys_set *set;
	uint8_t arg, n;
	const struct option *options;
	size_t n_options;
} choosers[] = {
	{ &sys_set_prctl, 0, 5, prctl_options, ARRAY_SIZE(prctl_options) },
	{ &sys_set_arch_prctl, 0, 2, arch_prctl_options, ARRAY_SIZE(arch_prctl_options) },
	{ &sys_set_ptrace, 0, 4, ptrace_options, ARRAY_SIZE(ptrace_options) },
	{ &sys_set_keyctl, 0, 5, keyctl_options, ARRAY_SIZE(keyctl_options) },
	{ &sys_set_kcmp, 2, 5, kcmp_options, ARRAY_SIZE(kcmp_options) },
	{ &sys_set_reboot, 2, 4, reboot_options, ARRAY_SIZE(reboot_options) },
	{ &sys_set_syslog, 0, 3, syslog_options, ARRAY_SIZE(syslog_options) },
};

const struct sys_set *args_option_set(char letter)
{
	static const struct {
		char letter;
		const struct sys_set *set;
	} sets[] = {
		{ 'A', &sys_set_prctl_ambient },
		{ 'C', &sys_set_sched_core },
		{ 'D', &sys_set_suid_dump },
		{ 'E', &sys_set_errno },
		{ 'F', &sys_set_quota_format },
		{ 'K', &sys_set_mce_kill },
		{ 'M', &sys_set_seccomp_mode },
		{ 'R', &sys_set_regset },
		{ 'T', &sys_set_prctl_tsc },
		{ 'U', &sys_set_sys_dispatch },
		{ 'V', &sys_set_prctl_vma },
		{ 'e', &sys_set_spec_ctrl },
		{ 'i', &sys_set_spec },
		{ 'k', &sys_set_key },
		{ 'l', &sys_set_mce_kill_policy },
		{ 'm', &sys_set_prctl_mm },
		{ 'o', &sys_set_ptrace_options },
		{ 'n', &sys_set_unalign },
		{ 's', &sys_set_securebits },
		{ 'w', &sys_set_key_perm },
		{ 'y', &sys_set_pac_key },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (sets[i].letter == letter)
			return sets[i].set;
	return NULL;
}

static const char *find(const struct option *options, size_t n, uint32_t value)
{
	for (size_t i = 0; i < n; i++)
		if (options[i].value == value)
			return options[i].kinds;
	return NULL;
}

static const char *find_mode(uint32_t mode)
{
	const char *kinds = find(seccomp_modes, ARRAY_SIZE(seccomp_modes), mode);

	return kinds ? kinds : "Mxxx";
}

/* The kinds of what follows parameter *@arg; NULL: the prototype says all */
static const char *kinds_of(const struct tfs_call *call, const struct sys_proto *proto,
			    unsigned int *arg)
{
	const struct sys_arg *args = proto->args;

	for (size_t i = 0; i < ARRAY_SIZE(choosers); i++) {
		const struct chooser *c = &choosers[i];
		const char *kinds;

		if (proto->n_args != c->n || args[c->arg].set != c->set)
			continue;
		*arg = c->arg;
		if (c->set == &sys_set_prctl && (uint32_t)call->args[0] == SET_SECCOMP)
			return find_mode((uint32_t)call->args[1]);
		kinds = find(c->options, c->n_options, (uint32_t)call->args[c->arg]);
		return kinds || c->set != &sys_set_reboot ? kinds : "-";
	}
	for (*arg = 0; proto->n_args == 4 && *arg < 2; ++*arg)
		if (args[*arg].kind == SYS_QCMD) {
			const char *kinds = find(quota_options, ARRAY_SIZE(quota_options),
						 (uint32_t)call->args[*arg] >> 8);

			return kinds ? kinds + *arg : NULL;
		}
	return NULL;
}

char args_option_kind(const struct tfs_call *call, const struct sys_proto *proto, unsigned int i)
{
	unsigned int arg;
	const char *kinds = kinds_of(call, proto, &arg);

	if (!kinds || i <= arg)
		return 0;
	i -= arg + 1;
	return i < strlen(kinds) ? kinds[i] : '-';
}

bool args_option_skips(const struct tfs_call *call, const struct sys_proto *proto, unsigned int i)
{
	return args_option_kind(call, proto, i) == '-';
}

unsigned int args_option_count(const struct tfs_call *call, const struct sys_proto *proto)
{
	unsigned int n = proto->n_args;

	while (n && args_option_skips(call, proto, n - 1))
		n--;
	return n;
}

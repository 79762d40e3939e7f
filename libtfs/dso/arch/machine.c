/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/macros.h"
#include "dso/arch/machine-internal.h"

static const struct tfs_machine *const machines[] = {
	&tfs_machine_x86_64,  &tfs_machine_i386,  &tfs_machine_aarch64, &tfs_machine_arm,
	&tfs_machine_riscv64, &tfs_machine_s390x, &tfs_machine_ppc64le,
};

const struct tfs_machine *tfs_machine_find(unsigned int elf, unsigned int bits, bool big)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct tfs_machine *m = machines[i];

		if (m->elf == elf && m->bits == bits && m->big == big)
			return m;
	}
	return NULL;
}

const char *tfs_machine_reg(const struct tfs_machine *machine, unsigned int number)
{
	return number < machine->n_reg ? machine->reg[number] : NULL;
}

const char *tfs_machine_arg(const struct tfs_machine *machine, unsigned int n)
{
	return n < TFS_MACHINE_ARGS_MAX ? machine->arg[n] : NULL;
}

bool tfs_machine_has(const struct tfs_machine *machine, const char *name)
{
	char word[32];
	int n = snprintf(word, sizeof(word), " %s ", name);

	for (size_t i = 0; i < machine->n_reg; i++)
		if (machine->reg[i] && !strcmp(machine->reg[i], name))
			return true;
	return n > 2 && (size_t)n < sizeof(word) && !strchr(name, ' ') &&
	       strstr(machine->more, word);
}

bool tfs_machine_runs_on(const struct tfs_machine *machine, const char *uname)
{
	if (!strcmp(machine->name, uname))
		return true;
	/* i486, i686; programs of 32 bits run on the kernel of 64 */
	if (machine == &tfs_machine_i386)
		return !strcmp(uname, "x86_64") ||
		       (uname[0] == 'i' && uname[1] && !strcmp(uname + 2, "86"));
	/* armv7l and the like; the kernel of 64 bits puts no probes in what is not */
	return machine == &tfs_machine_arm && !strncmp(uname, "armv", 4);
}

const struct tfs_machine *tfs_machine_running(void)
{
	struct utsname uts;

	if (uname(&uts))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (tfs_machine_runs_on(machines[i], uts.machine))
			return machines[i];
	return NULL;
}

bool tfs_machine_is_fp(const struct tfs_machine *machine, unsigned int number)
{
	return machine->fp_last && number >= machine->fp_first && number <= machine->fp_last;
}

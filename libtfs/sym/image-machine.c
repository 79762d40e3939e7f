/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/image-machine.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/err.h"
#include "sym/arch/machine.h"
#include "sym/image-internal.h"

/* What kallsyms is of. */
static const struct tfs_machine *running_machine(void)
{
	static const unsigned int elf[] = { EM_X86_64, EM_386,  EM_AARCH64, EM_ARM,
					    EM_RISCV,  EM_S390, EM_PPC64 };
	const struct tfs_machine *m;
	struct utsname uts;

	if (uname(&uts))
		return NULL;
	for (size_t i = 0; i < sizeof(elf) / sizeof(elf[0]); i++)
		for (unsigned int form = 0; form < 4; form++) {
			m = tfs_machine_find(elf[i], form & 1 ? 32 : 64, form & 2);
			if (m && tfs_machine_runs_on(m, uts.machine))
				return m;
		}
	return NULL;
}

const struct tfs_machine *tfs_image_machine(struct tfs_image *img)
{
	GElf_Ehdr ehdr;

	if (!img->elf)
		return running_machine();
	if (!gelf_getehdr(img->elf, &ehdr))
		return NULL;
	return tfs_machine_find(ehdr.e_machine, ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32,
				ehdr.e_ident[EI_DATA] == ELFDATA2MSB);
}

int tfs_image_check_native(struct tfs_image *img, struct tfs_err *err)
{
	const struct tfs_machine *m = tfs_image_machine(img);
	struct utsname uts;

	if (!m || uname(&uts) || tfs_machine_runs_on(m, uts.machine))
		return 0;
	tfs_err_say(err, -ENOEXEC, "cannot put probes in '%s': it is for %s, this machine is %s",
		    img->path, m->name, uts.machine);
	tfs_err_hint(err, "-D prints the definitions for the machine it is for");
	return -ENOEXEC;
}

bool tfs_image_is_narrow(struct tfs_image *img)
{
	const struct tfs_machine *m = tfs_image_machine(img);
	struct utsname uts;

	return m && m->bits == 32 && img->kind == TFS_IMAGE_PROGRAM && !uname(&uts) &&
	       strstr(uts.machine, "64") && tfs_machine_runs_on(m, uts.machine);
}

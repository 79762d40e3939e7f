/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "sym/code-start.h"
#include "sym/image.h"
#include "sym/insn.h"
#include "sym/symbol.h"

/* The longest instruction that enters the kernel, with prefixes. */
#define CODE_MAX 15

bool tfs_probe_kernel_steps(struct tfs_image *img, uint64_t addr)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t at;

	return tfs_insn_walk(img, addr, UINT64_MAX, &walk) ||
	       tfs_insn_next(&walk, &at, &insn) <= 0 || !insn.no_uprobe;
}

static bool is_syscall(struct tfs_image *img, uint64_t addr)
{
	const struct tfs_machine *machine = tfs_image_machine(img);
	const struct tfs_symbol *sym = tfs_symbol_at(img, addr);
	uint8_t code[CODE_MAX];
	size_t n = sizeof(code);

	while (n && tfs_image_read(img, addr, code, n))
		n--;
	/* arm's short instructions: svc is 0xdfNN */
	if (sym && sym->thumb)
		return n >= 2 && code[1] == 0xdf;
	return machine && tfs_insn_is_syscall(machine, code, n);
}

/* NAME+N, or the address where no name is known */
static void name_place(char *to, size_t size, const char *name, uint64_t entry, uint64_t addr)
{
	if (name && addr == entry)
		snprintf(to, size, "%s", name);
	else if (name && addr > entry)
		snprintf(to, size, "%s+%" PRIu64, name, addr - entry);
	else
		snprintf(to, size, "0x%" PRIx64, addr);
}

static void hint_before(struct tfs_image *img, uint64_t addr, const char *name, uint64_t entry,
			struct tfs_err *err)
{
	const struct tfs_symbol *own = tfs_symbol_at(img, addr);
	uint64_t start, before;
	char place[160];

	if ((own && own->addr == addr) || tfs_code_start(img, addr - 1, &start) ||
	    tfs_insn_before(img, start, addr, &before)) {
		tfs_err_hint(err, "probe a place before it, or the function that calls it; -f does "
				  "not change this");
		return;
	}
	/* an inlined copy may begin with it */
	if (name && before < entry) {
		name = own ? own->name : NULL;
		entry = own ? own->addr : 0;
	}
	name_place(place, sizeof(place), name, entry, before);
	tfs_err_hint(err,
		     "probe the instruction before it, '%s'; a register that this one sets has its "
		     "old value there (-f does not change this)",
		     place);
}

int tfs_probe_check_syscall(struct tfs_image *img, uint64_t addr, const char *name, uint64_t entry,
			    struct tfs_err *err)
{
	char place[160];

	if (tfs_image_kind(img) != TFS_IMAGE_PROGRAM || !is_syscall(img, addr))
		return 0;
	name_place(place, sizeof(place), name, entry, addr);
	tfs_err_say(err, -EOPNOTSUPP,
		    "no probe can be put at '%s': it is a system call instruction, and a probe on "
		    "one can hang all tracing of the machine until it is rebooted",
		    place);
	hint_before(img, addr, name, entry, err);
	return -EOPNOTSUPP;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/syscall-sites.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dso/section.h"
#include "dso/symbol.h"
#include "insn/insn.h"

#define RAX_BIT 1u
/* mov $NUMBER,%eax */
#define MOV_EAX 0xb8
#define MOV_EAX_LEN 5
/* Larger than that of any C library */
#define TEXT_MAX (UINT64_C(1) << 28)

/*
 * struct sweep - .text, decoded from @from to @to
 * @entered: a bit for each byte: a jump or branch goes there
 * @number: what %eax was set to, if @has_number; @before: the instruction before, if @has_before
 * @kept: sites before this one are between symbols that begin instructions
 */
struct sweep {
	struct tfs_dso *dso;
	uint32_t (*registers)(void *ctx, uint32_t number);
	void *ctx;
	uint64_t from, to;
	uint8_t *entered;
	const struct tfs_symbol *syms;
	size_t n_syms, sym;
	bool has_number, has_before, lost;
	uint32_t number;
	uint64_t before_addr;
	struct tfs_insn before;
	struct tfs_syscall_site *sites;
	size_t n, kept;
};

static bool is_entered(const struct sweep *s, uint64_t addr)
{
	const uint64_t i = addr - s->from;

	return s->entered[i / 8] >> i % 8 & 1;
}

static int find_text(struct sweep *s)
{
	struct tfs_section_walk walk;
	Elf *elf = tfs_dso_elf(s->dso);

	if (!elf || !tfs_section_walk(&walk, elf))
		return -ENOENT;
	while (tfs_section_next(&walk)) {
		if (strcmp(walk.name, ".text") != 0 || walk.header.sh_type != SHT_PROGBITS ||
		    !walk.header.sh_size || walk.header.sh_size > TEXT_MAX)
			continue;
		s->from = walk.header.sh_addr;
		s->to = s->from + walk.header.sh_size;
		return s->to > s->from ? 0 : -ENOENT;
	}
	return -ENOENT;
}

/*
 * The instruction at @addr, or, where there is none that is known, the next symbol's: what is
 * between is not understood. Return: 1, 0 at the end.
 */
static int next_insn(struct sweep *s, struct tfs_insn_walk *walk, uint64_t *addr,
		     struct tfs_insn *insn)
{
	int rc = tfs_insn_next(walk, addr, insn);

	while (rc < 0) {
		const uint64_t at = walk->addr;

		s->lost = true;
		while (s->sym < s->n_syms && s->syms[s->sym].addr <= at)
			s->sym++;
		if (s->sym >= s->n_syms || s->syms[s->sym].addr >= s->to)
			return 0;
		walk->addr = s->syms[s->sym].addr;
		rc = tfs_insn_next(walk, addr, insn);
	}
	return rc;
}

static int note_targets(struct sweep *s)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	int rc = tfs_insn_walk(s->dso, s->from, s->to, &walk);

	s->sym = 0;
	while (!rc && next_insn(s, &walk, &addr, &insn) > 0)
		if (insn.has_target && insn.kind != TFS_INSN_CALL && insn.target >= s->from &&
		    insn.target < s->to)
			s->entered[(insn.target - s->from) / 8] |=
				(uint8_t)(1u << (insn.target - s->from) % 8);
	return rc;
}

/* Code up to here was decoded as it is meant, if symbols begin instructions. */
static void check_symbols(struct sweep *s, uint64_t addr, unsigned int len)
{
	bool agrees = false;

	for (; s->sym < s->n_syms && s->syms[s->sym].addr < addr + len; s->sym++) {
		const struct tfs_symbol *sym = &s->syms[s->sym];

		if (sym->addr < addr || sym->type != TFS_SYMBOL_FUNC)
			continue;
		if (sym->addr == addr)
			agrees = true;
		else
			s->lost = true;
	}
	if (!agrees)
		return;
	if (s->lost)
		s->n = s->kept;
	s->kept = s->n;
	s->lost = false;
}

static int add_site(struct sweep *s)
{
	const uint32_t wanted = s->has_number ? s->registers(s->ctx, s->number) : 0;

	if (!wanted || !s->has_before || s->before.no_uprobe || s->before.syscall ||
	    !s->before.effects || s->before.changes & wanted)
		return 0;
	if (tfs_grow_one(&s->sites, s->n))
		return -ENOMEM;
	s->sites[s->n++] = (struct tfs_syscall_site){ .addr = s->before_addr, .number = s->number };
	return 0;
}

/* Follow %eax, and the instruction before, along straight code. */
static void follow(struct sweep *s, uint64_t addr, const struct tfs_insn *insn)
{
	uint8_t code[MOV_EAX_LEN];

	if (insn->kind != TFS_INSN_OTHER || insn->syscall) {
		s->has_number = s->has_before = false;
		return;
	}
	if (insn->len == MOV_EAX_LEN && !tfs_dso_read(s->dso, addr, code, sizeof(code)) &&
	    code[0] == MOV_EAX) {
		s->number = tfs_load_u32(code + 1, false);
		s->has_number = true;
	} else if (!insn->effects || insn->changes & RAX_BIT) {
		s->has_number = false;
	}
	s->before = *insn;
	s->before_addr = addr;
	s->has_before = true;
}

static int find_sites(struct sweep *s)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr, expected = s->from;
	int rc = tfs_insn_walk(s->dso, s->from, s->to, &walk);

	s->sym = 0;
	s->lost = false;
	while (!rc && next_insn(s, &walk, &addr, &insn) > 0) {
		check_symbols(s, addr, insn.len);
		if (addr != expected || is_entered(s, addr))
			s->has_number = s->has_before = false;
		expected = addr + insn.len;
		if (insn.syscall)
			rc = add_site(s);
		follow(s, addr, &insn);
	}
	/* After the last symbol nothing says that it is right, but nothing says that it is not. */
	if (s->lost)
		s->n = s->kept;
	return rc;
}

int tfs_syscall_sites(struct tfs_dso *dso, uint32_t (*registers)(void *ctx, uint32_t number),
		      void *ctx, struct tfs_syscall_site **sites, size_t *n, struct tfs_err *err)
{
	struct sweep s = { .dso = dso, .registers = registers, .ctx = ctx };
	int rc;

	if (tfs_dso_arch(dso) != TFS_ARCH_X86_64)
		return tfs_err_say(err, -EOPNOTSUPP,
				   "system calls in programs are found on x86-64 only");
	rc = find_text(&s);
	if (rc)
		return tfs_err_say(err, rc, "'%s' has no section .text", tfs_dso_path(dso));
	s.entered = calloc((s.to - s.from) / 8 + 1, 1);
	rc = s.entered ? tfs_symbols(dso, &s.syms, &s.n_syms, err) : -ENOMEM;
	if (!rc)
		rc = note_targets(&s);
	if (!rc)
		rc = find_sites(&s);
	free(s.entered);
	if (rc) {
		free(s.sites);
		return err && err->code ?
			       rc :
			       tfs_err_set(err, rc, "cannot read '%s'", tfs_dso_path(dso));
	}
	*sites = s.sites;
	*n = s.n;
	return 0;
}

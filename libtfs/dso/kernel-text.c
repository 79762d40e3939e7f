/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables that the kernel itself goes by are in its image, between symbols that its linker
 * script (include/asm-generic/vmlinux.lds.h) sets; a module has them in sections of the same names.
 * The kernel's checks are check_kprobe_address_safe() in kernel/kprobes.c and, for code without a
 * place for the function tracer, in kernel/trace/trace_kprobe.c (CONFIG_KPROBE_EVENTS_ON_NOTRACE,
 * which is off by default). tests/vm/t-probe-verdict.sh asks the kernel.
 */
#include "dso/kernel-text.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/macros.h"
#include "dso/dso-internal.h"
#include "dso/dso.h"
#include "dso/section.h"
#include "dso/symbol.h"

/* More than any kernel has; a count in a file may be anything. */
#define ENTRIES_MAX (1 << 24)

struct addrs {
	uint64_t *v;
	size_t n, cap;
};

struct range {
	uint64_t from, to;
};

/*
 * @traced: places of the function tracer, one in each function that can be traced
 * @patched: instructions that the kernel replaces when it runs
 * @no_probe: beginnings of functions marked with NOKPROBE_SYMBOL()
 * @forbidden: code between two symbols; @why for each
 * @core: what stays after boot; all of it if empty
 */
struct tfs_kernel_text {
	struct addrs traced, patched, no_probe;
	struct range forbidden[8];
	const char *why[8];
	size_t n_forbidden;
	struct range core;
};

static const struct {
	const char *from, *to, *why;
} areas[] = {
	{ "__kprobes_text_start", "__kprobes_text_end", "the kernel runs this code for probes" },
	{ "__noinstr_text_start", "__noinstr_text_end", "this code must not be instrumented" },
	{ "__entry_text_start", "__entry_text_end", "this is where the kernel is entered" },
	{ "__idmap_text_start", "__idmap_text_end", "this code runs without the usual mapping" },
	{ "__hyp_text_start", "__hyp_text_end", "this is code of the hypervisor" },
	{ "__hyp_idmap_text_start", "__hyp_idmap_text_end", "this is code of the hypervisor" },
};

/* Sections of a module that are the same to it. */
static const struct {
	const char *name, *why;
} sections[] = {
	{ ".kprobes.text", "the kernel runs this code for probes" },
	{ ".noinstr.text", "this code must not be instrumented" },
	{ ".init.text", "this code is freed once the module has started" },
};

static bool add(struct addrs *a, uint64_t addr)
{
	if (a->n == ENTRIES_MAX || tfs_grow(&a->v, &a->cap, a->n + 1))
		return false;
	a->v[a->n++] = addr;
	return true;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct addrs *a)
{
	if (a->n > 1)
		qsort(a->v, a->n, sizeof(*a->v), by_value);
}

/* Index of the first that is not before @addr. */
static size_t first_from(const struct addrs *a, uint64_t addr)
{
	return tfs_bisect(i, a->n, a->v[i] < addr);
}

static bool any_in(const struct addrs *a, uint64_t from, uint64_t to)
{
	size_t i = first_from(a, from);

	return i < a->n && a->v[i] < to;
}

static bool symbol_addr(struct tfs_dso *dso, const char *name, uint64_t *addr)
{
	const struct tfs_symbol *const *found;

	if (tfs_symbol_named(dso, name, &found) < 1)
		return false;
	*addr = found[0]->addr;
	return true;
}

static int64_t number(const struct tfs_dso *dso, const unsigned char *b, unsigned int size)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < size; i++)
		n |= (uint64_t)b[dso->big ? size - 1 - i : i] << (8 * i);
	return size == 4 ? (int32_t)n : (int64_t)n;
}

static bool is_text(const struct tfs_dso *dso, const struct tfs_kernel_text *text, uint64_t addr)
{
	return text->core.to ? addr >= text->core.from && addr < text->core.to :
			       tfs_dso_is_code(dso, addr);
}

/*
 * A table between two symbols: addresses (@relative false) or, as in struct jump_entry and struct
 * static_call_site, offsets from the entry itself. Values outside the code are skipped: on some
 * architectures the file has no values yet.
 */
static void read_table(struct tfs_dso *dso, const struct tfs_kernel_text *text,
		       const char *const ends[2], unsigned int stride, bool relative,
		       struct addrs *out)
{
	unsigned int size = relative ? 4 : dso->addr_size;
	unsigned char *bytes;
	uint64_t start, end;

	if (!symbol_addr(dso, ends[0], &start) || !symbol_addr(dso, ends[1], &end) ||
	    end <= start || (end - start) / stride > ENTRIES_MAX)
		return;
	bytes = malloc(end - start);
	if (bytes && !tfs_dso_read(dso, start, bytes, end - start)) {
		for (uint64_t at = 0; at + stride <= end - start; at += stride) {
			uint64_t addr = (uint64_t)number(dso, bytes + at, size);

			addr += relative ? start + at : 0;
			if (is_text(dso, text, addr) && !add(out, addr))
				break;
		}
	}
	free(bytes);
}

static void forbid(struct tfs_kernel_text *text, uint64_t from, uint64_t to, const char *why)
{
	size_t max = ARRAY_SIZE(text->forbidden);

	if (from >= to || text->n_forbidden == max)
		return;
	text->why[text->n_forbidden] = why;
	text->forbidden[text->n_forbidden++] = (struct range){ from, to };
}

static void read_kernel(struct tfs_dso *dso, struct tfs_kernel_text *text)
{
	static const char *const mcount[] = { "__start_mcount_loc", "__stop_mcount_loc" };
	static const char *const blacklist[] = { "__start_kprobe_blacklist",
						 "__stop_kprobe_blacklist" };
	static const char *const jumps[] = { "__start___jump_table", "__stop___jump_table" };
	static const char *const calls[] = { "__start_static_call_sites",
					     "__stop_static_call_sites" };
	uint64_t from, to;

	for (size_t i = 0; i < ARRAY_SIZE(areas); i++) {
		if (symbol_addr(dso, areas[i].from, &from) && symbol_addr(dso, areas[i].to, &to))
			forbid(text, from, to, areas[i].why);
	}
	if (symbol_addr(dso, "_stext", &from) && symbol_addr(dso, "_etext", &to) && from < to)
		text->core = (struct range){ from, to };
	if (dso->kind == TFS_DSO_SYMBOLS)
		return;
	read_table(dso, text, mcount, dso->addr_size, false, &text->traced);
	read_table(dso, text, blacklist, dso->addr_size, false, &text->no_probe);
	/* code, target, key; 32-bit machines have other tables, and few keys */
	if (dso->addr_size == 8)
		read_table(dso, text, jumps, 16, true, &text->patched);
	if (dso->arch == TFS_ARCH_X86_64)
		read_table(dso, text, calls, 8, true, &text->patched);
}

/* Where a relocation points, as the dso lays a module out; false for what is not in the file. */
static bool reloc_target(struct tfs_dso *dso, Elf_Data *syms, const GElf_Rela *rela, uint64_t *addr)
{
	GElf_Sym sym;
	GElf_Shdr sh;

	if (!gelf_getsym(syms, (int)GELF_R_SYM(rela->r_info), &sym) || !sym.st_shndx ||
	    sym.st_shndx >= SHN_LORESERVE || !gelf_getshdr(elf_getscn(dso->elf, sym.st_shndx), &sh))
		return false;
	*addr = sh.sh_addr + sym.st_value + (uint64_t)rela->r_addend;
	return true;
}

/* The targets of a table that is still to be relocated: the first word of each @stride bytes. */
static void read_relocs(struct tfs_dso *dso, Elf_Scn *scn, const GElf_Shdr *sh, unsigned int stride,
			struct addrs *out)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *sym_scn = elf_getscn(dso->elf, sh->sh_link);
	Elf_Data *syms = sym_scn ? elf_getdata(sym_scn, NULL) : NULL;
	size_t n = data && syms && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n && i < ENTRIES_MAX; i++) {
		GElf_Rela rela;
		uint64_t addr;

		if (!gelf_getrela(data, (int)i, &rela) || rela.r_offset % stride ||
		    !reloc_target(dso, syms, &rela, &addr))
			continue;
		if (tfs_dso_is_code(dso, addr) && !add(out, addr))
			return;
	}
}

static void read_section(struct tfs_dso *dso, struct tfs_kernel_text *text, Elf_Scn *scn,
			 const GElf_Shdr *sh, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		if (!strcmp(name, sections[i].name))
			forbid(text, sh->sh_addr, sh->sh_addr + sh->sh_size, sections[i].why);
	}
	if (sh->sh_type != SHT_RELA)
		return;
	if (!strcmp(name, ".rela__mcount_loc"))
		read_relocs(dso, scn, sh, dso->addr_size, &text->traced);
	else if (!strcmp(name, ".rela_kprobe_blacklist"))
		read_relocs(dso, scn, sh, dso->addr_size, &text->no_probe);
	else if (!strcmp(name, ".rela__jump_table"))
		read_relocs(dso, scn, sh, 2 * dso->addr_size, &text->patched);
	else if (!strcmp(name, ".rela.static_call_sites"))
		read_relocs(dso, scn, sh, 8, &text->patched);
}

static void read_module(struct tfs_dso *dso, struct tfs_kernel_text *text)
{
	struct tfs_section_walk walk;

	if (!tfs_section_walk(&walk, dso->elf))
		return;
	while (tfs_section_next(&walk))
		read_section(dso, text, walk.scn, &walk.header, walk.name);
}

static void release(struct tfs_dso *dso)
{
	struct tfs_kernel_text *text = dso->kernel_text;

	dso->kernel_text = NULL;
	free(text->traced.v);
	free(text->patched.v);
	free(text->no_probe.v);
	free(text);
}

static struct tfs_kernel_text *text_of(struct tfs_dso *dso)
{
	struct tfs_kernel_text *text = dso->kernel_text;

	if (text)
		return text;
	text = calloc(1, sizeof(*text));
	if (!text)
		return NULL;
	if (dso->kind == TFS_DSO_MODULE)
		read_module(dso, text);
	else
		read_kernel(dso, text);
	sort(&text->traced);
	sort(&text->patched);
	sort(&text->no_probe);
	dso->kernel_text = text;
	tfs_dso_on_free(dso, release);
	return text;
}

/*
 * The symbol an address belongs to as kallsyms sees it: the last one before it, up to the next of
 * another address. False if there is none.
 */
static bool bounds(struct tfs_dso *dso, uint64_t addr, struct range *out, const char **name)
{
	const struct tfs_symbol *syms;
	size_t n, low;

	if (tfs_symbols(dso, &syms, &n, NULL))
		return false;
	low = tfs_bisect(i, n, syms[i].addr <= addr);
	if (!low)
		return false;
	out->from = syms[low - 1].addr;
	out->to = low < n ? syms[low].addr : UINT64_MAX;
	*name = syms[low - 1].name;
	return true;
}

/* A function's part (f.cold) may be probed if the function can be traced. */
static bool base_is_traced(struct tfs_dso *dso, const struct tfs_kernel_text *text,
			   const char *name)
{
	const char *dot = strchr(name, '.');
	char *base = dot ? strndup(name, (size_t)(dot - name)) : NULL;
	struct range range;
	const char *other;
	uint64_t addr;
	bool is;

	is = base && symbol_addr(dso, base, &addr) && bounds(dso, addr, &range, &other) &&
	     any_in(&text->traced, range.from, range.to);
	free(base);
	return is;
}

/* The instruction that BUG() and WARN() are. */
static bool is_bug(const struct tfs_dso *dso, uint64_t addr)
{
	unsigned char b[2];

	return dso->arch == TFS_ARCH_X86_64 && !tfs_dso_read(dso, addr, b, sizeof(b)) &&
	       b[0] == 0x0f && b[1] == 0x0b;
}

/* kallsyms has the modules' symbols as well. */
static bool is_in_module(struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_symbol *s = dso->kind == TFS_DSO_SYMBOLS ? tfs_symbol_at(dso, addr) : NULL;

	return s && s->module;
}

const char *tfs_kernel_text_refuses(struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_kernel_text *text = text_of(dso);
	struct range range;
	const char *name;

	if (!text)
		return NULL;
	if (text->core.to && (addr < text->core.from || addr >= text->core.to) &&
	    !is_in_module(dso, addr))
		return "this code is freed after boot";
	for (size_t i = 0; i < text->n_forbidden; i++) {
		if (addr >= text->forbidden[i].from && addr < text->forbidden[i].to)
			return text->why[i];
	}
	if (any_in(&text->patched, addr, addr + 1))
		return "the kernel replaces this instruction when it runs";
	if (is_bug(dso, addr))
		return "this instruction is a BUG or WARN";
	if (!bounds(dso, addr, &range, &name))
		return NULL;
	if (any_in(&text->no_probe, range.from, range.to))
		return "the function is marked as one that takes no probe";
	if (text->traced.n && !any_in(&text->traced, range.from, range.to) &&
	    !base_is_traced(dso, text, name))
		return "the function is one that is not traced";
	return NULL;
}

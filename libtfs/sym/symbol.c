/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/symbol.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "sym/image-internal.h"

#define NONE UINT32_MAX
/* More than this no file has; a table's size is not to be believed. */
#define SYMBOLS_MAX 20000000

void tfs_symbols_release(struct tfs_image *img)
{
	struct tfs_symbol_table *t = &img->symbols;

	free(t->v);
	free(t->bucket);
	free(t->next);
	free(t->found);
	tfs_strvec_release(&t->names);
	*t = (struct tfs_symbol_table){ 0 };
}

/* The linker writes NAME@@VERSION and NAME@VERSION into .symtab, two words here. */
static int split_version(struct tfs_symbol_table *t, struct tfs_symbol *s)
{
	const char *at = strchr(s->name, '@');

	if (!at || at == s->name || s->type == TFS_SYMBOL_PLT)
		return 0;
	s->hidden = at[1] != '@';
	s->version = at + (s->hidden ? 1 : 2);
	if (tfs_strvec_pushn(&t->names, s->name, (size_t)(at - s->name)))
		return -ENOMEM;
	s->name = t->names.v[t->names.n - 1];
	return 0;
}

int tfs_symbol_add(struct tfs_image *img, const struct tfs_symbol *symbol)
{
	struct tfs_symbol_table *t = &img->symbols;

	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 1024;
		struct tfs_symbol *v;

		if (cap > SYMBOLS_MAX)
			return -E2BIG;
		v = reallocarray(t->v, cap, sizeof(*v));
		if (!v)
			return -ENOMEM;
		t->v = v;
		t->cap = cap;
	}
	t->v[t->n] = *symbol;
	if (!symbol->version && split_version(t, &t->v[t->n]))
		return -ENOMEM;
	t->n++;
	return 0;
}

static enum tfs_symbol_type type_of(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		return TFS_SYMBOL_FUNC;
	case STT_GNU_IFUNC:
		return TFS_SYMBOL_IFUNC;
	case STT_OBJECT:
	case STT_COMMON:
		return TFS_SYMBOL_DATA;
	case STT_TLS:
		return TFS_SYMBOL_TLS;
	default:
		return TFS_SYMBOL_OTHER;
	}
}

/* Names of mapping symbols and of the compiler's labels say nothing to anybody. */
static bool is_noise(const char *name, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return !*name || type == STT_SECTION || type == STT_FILE || *name == '$' ||
	       !strncmp(name, ".L", 2);
}

/* What distinguishes a symbol of some machine. */
static void adapt(const struct tfs_image *img, const GElf_Sym *sym, struct tfs_symbol *s)
{
	/* The low bit tells Thumb code; it is no part of the address. */
	if (img->arch == TFS_ARCH_ARM && s->type == TFS_SYMBOL_FUNC) {
		s->thumb = s->addr & 1;
		s->addr &= ~(uint64_t)1;
	}
	if (img->arch == TFS_ARCH_PPC64LE && s->type == TFS_SYMBOL_FUNC)
		s->skip = (unsigned int)PPC64_LOCAL_ENTRY_OFFSET(sym->st_other);
}

static bool is_code_section(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, section) : NULL;
	GElf_Shdr sh;

	return !scn || !gelf_getshdr(scn, &sh) || (sh.sh_flags & SHF_EXECINSTR);
}

static int add_elf_symbol(struct tfs_image *img, const char *name, const GElf_Sym *sym,
			  uint64_t addr, bool in_code)
{
	struct tfs_symbol s = {
		.name = name,
		.addr = addr,
		.size = sym->st_size,
		.type = type_of(sym),
		.local = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
	};

	/* A kernel has data among its code that only the section tells from it. */
	if (s.type == TFS_SYMBOL_OTHER && !in_code)
		s.type = TFS_SYMBOL_DATA;
	adapt(img, sym, &s);
	return tfs_symbol_add(img, &s);
}

/* .symtab of the file or of its debug file, with .gnu_debugdata; libdwfl knows where. */
static int load_symtab(struct tfs_image *img)
{
	int n = dwfl_module_getsymtab(img->mod);

	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word section;
		const char *name;
		Elf *elf = NULL;
		int rc;

		name = dwfl_module_getsym_info(img->mod, i, &sym, &addr, &section, &elf, NULL);
		if (!name || section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON ||
		    is_noise(name, &sym))
			continue;
		rc = add_elf_symbol(img, name, &sym, addr, is_code_section(elf, section));
		if (rc)
			return rc;
	}
	return 0;
}

/* Index of a version -> its name, from .gnu.version_d. */
static const char *version_name(Elf *elf, Elf_Data *verdef, size_t strings, unsigned int index)
{
	int at = 0;

	for (unsigned int guard = 0; verdef && guard < 4096; guard++) {
		GElf_Verdef def;
		GElf_Verdaux aux;

		if (!gelf_getverdef(verdef, at, &def))
			return NULL;
		if (def.vd_ndx == index && !(def.vd_flags & VER_FLG_BASE)) {
			if (!gelf_getverdaux(verdef, at + (int)def.vd_aux, &aux))
				return NULL;
			return elf_strptr(elf, strings, aux.vda_name);
		}
		if (!def.vd_next || def.vd_next > (unsigned int)(INT32_MAX - at))
			return NULL;
		at += (int)def.vd_next;
	}
	return NULL;
}

struct dynamic {
	Elf_Data *symbols;
	Elf_Data *versions;
	Elf_Data *defined;
	size_t n;
	size_t strings;
	size_t version_strings;
};

static void find_dynamic(Elf *elf, struct dynamic *d)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !sh.sh_entsize)
			continue;
		if (sh.sh_type == SHT_DYNSYM) {
			d->symbols = elf_getdata(scn, NULL);
			d->n = sh.sh_size / sh.sh_entsize;
			d->strings = sh.sh_link;
		} else if (sh.sh_type == SHT_GNU_versym) {
			d->versions = elf_getdata(scn, NULL);
		}
	}
	scn = NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_GNU_verdef) {
			d->defined = elf_getdata(scn, NULL);
			d->version_strings = sh.sh_link;
		}
	}
}

static int load_dynsym(struct tfs_image *img)
{
	struct dynamic d = { 0 };
	int rc = 0;

	find_dynamic(img->elf, &d);
	for (size_t i = 1; d.symbols && i < d.n && !rc; i++) {
		struct tfs_symbol s = { 0 };
		GElf_Sym sym;
		GElf_Versym version;

		if (!gelf_getsym(d.symbols, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    sym.st_shndx == SHN_ABS)
			continue;
		s.name = elf_strptr(img->elf, d.strings, sym.st_name);
		if (!s.name || is_noise(s.name, &sym))
			continue;
		s.addr = sym.st_value;
		s.size = sym.st_size;
		s.type = type_of(&sym);
		adapt(img, &sym, &s);
		if (d.versions && gelf_getversym(d.versions, (int)i, &version)) {
			s.hidden = version & 0x8000;
			s.version = version_name(img->elf, d.defined, d.version_strings,
						 version & 0x7fff);
		}
		rc = tfs_symbol_add(img, &s);
	}
	return rc;
}

/* Stable, a byte at a time; bytes that all addresses share cost nothing. */
static int sort_by_address(struct tfs_symbol_table *t)
{
	struct tfs_symbol *from = t->v, *to = malloc((t->n + 1) * sizeof(*to));
	struct tfs_symbol *spare;

	if (!to)
		return -ENOMEM;
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		size_t count[257] = { 0 };

		for (size_t i = 0; i < t->n; i++)
			count[((from[i].addr >> shift) & 255) + 1]++;
		if (t->n && count[((from[0].addr >> shift) & 255) + 1] == t->n)
			continue;
		for (unsigned int b = 1; b < 257; b++)
			count[b] += count[b - 1];
		for (size_t i = 0; i < t->n; i++)
			to[count[(from[i].addr >> shift) & 255]++] = from[i];
		spare = from;
		from = to;
		to = spare;
	}
	free(to);
	t->v = from;
	t->cap = t->n + 1;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct tfs_symbol *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (!x->version || !y->version)
		return (y->version != NULL) - (x->version != NULL);
	return strcmp(x->version, y->version);
}

/* One of .symtab that .dynsym has with its version, or that both have, is said once. */
static void drop_twins(struct tfs_symbol_table *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n;) {
		size_t end = i + 1;

		while (end < t->n && t->v[end].addr == t->v[i].addr)
			end++;
		qsort(t->v + i, end - i, sizeof(*t->v), by_name);
		for (size_t first = kept; i < end; i++) {
			struct tfs_symbol *last = kept > first ? &t->v[kept - 1] : NULL;

			if (last && !strcmp(last->name, t->v[i].name) &&
			    (!t->v[i].version ||
			     (last->version && !strcmp(last->version, t->v[i].version)))) {
				if (!last->size)
					last->size = t->v[i].size;
				continue;
			}
			t->v[kept++] = t->v[i];
		}
	}
	t->n = kept;
}

static int build_hash(struct tfs_symbol_table *t)
{
	t->n_buckets = 64;
	while (t->n_buckets < t->n)
		t->n_buckets *= 2;
	t->bucket = malloc(t->n_buckets * sizeof(*t->bucket));
	t->next = malloc((t->n + 1) * sizeof(*t->next));
	if (!t->bucket || !t->next)
		return -ENOMEM;
	memset(t->bucket, 0xff, t->n_buckets * sizeof(*t->bucket));
	/* Backwards, so that a chain is in the order of addresses. */
	for (size_t i = t->n; i-- > 0;) {
		uint32_t h = tfs_hash32(t->v[i].name, strlen(t->v[i].name));
		uint32_t *b = &t->bucket[h & (t->n_buckets - 1)];

		t->next[i] = *b;
		*b = (uint32_t)i;
	}
	return 0;
}

static int load(struct tfs_image *img, struct tfs_err *err)
{
	struct tfs_symbol_table *t = &img->symbols;
	int rc = 0;

	if (t->loaded)
		return 0;
	if (img->kind == TFS_IMAGE_SYMBOLS) {
		rc = tfs_image_load_kallsyms(img, err);
		if (rc)
			return rc;
	} else {
		rc = load_symtab(img);
		if (!rc && !img->rel)
			rc = load_dynsym(img);
		if (!rc && img->kind == TFS_IMAGE_PROGRAM)
			rc = tfs_image_load_plt(img);
		if (!rc && img->go)
			rc = tfs_image_load_go(img);
	}
	if (!rc)
		rc = sort_by_address(t);
	if (!rc) {
		drop_twins(t);
		rc = build_hash(t);
	}
	if (rc) {
		tfs_symbols_release(img);
		return tfs_err_set(err, rc, "cannot read the symbols of '%s'", tfs_image_path(img));
	}
	t->loaded = true;
	return 0;
}

int tfs_symbols(struct tfs_image *img, const struct tfs_symbol **syms, size_t *n,
		struct tfs_err *err)
{
	int rc = load(img, err);

	*syms = rc ? NULL : img->symbols.v;
	*n = rc ? 0 : img->symbols.n;
	return rc;
}

/* What follows the name: "", "@V" (that version), "@@V" (that version, and the default one). */
static bool version_fits(const struct tfs_symbol *s, const char *version)
{
	if (!*version)
		return true;
	if (!s->version)
		return false;
	if (version[1] == '@')
		return !s->hidden && !strcmp(s->version, version + 2);
	return !strcmp(s->version, version + 1);
}

long tfs_symbol_named(struct tfs_image *img, const char *name, const struct tfs_symbol *const **out)
{
	struct tfs_symbol_table *t = &img->symbols;
	const char *at = strchr(name, '@');
	size_t len, n = 0;
	int rc;

	if (at && (at == name || !strcmp(at, "@plt")))
		at = NULL;
	*out = NULL;
	rc = load(img, NULL);
	if (rc || !t->bucket)
		return rc;
	len = at ? (size_t)(at - name) : strlen(name);
	for (uint32_t i = t->bucket[tfs_hash32(name, len) & (t->n_buckets - 1)]; i != NONE;
	     i = t->next[i]) {
		const struct tfs_symbol *s = &t->v[i];

		if (strncmp(s->name, name, len) != 0 || s->name[len] ||
		    !version_fits(s, at ? at : ""))
			continue;
		if (n == t->found_cap) {
			size_t cap = t->found_cap ? 2 * t->found_cap : 16;
			const struct tfs_symbol **v =
				realloc(t->found, cap * sizeof(const struct tfs_symbol *));

			if (!v)
				return -ENOMEM;
			t->found = v;
			t->found_cap = cap;
		}
		t->found[n++] = s;
	}
	*out = t->found;
	return (long)n;
}

/* Index of the last symbol that begins at or before an address, t->n if there is none. */
static size_t last_before(const struct tfs_symbol_table *t, uint64_t addr)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : t->n;
}

static int rank(const struct tfs_symbol *s)
{
	int r = s->local ? 0 : 4;

	if (s->type == TFS_SYMBOL_FUNC || s->type == TFS_SYMBOL_DATA || s->type == TFS_SYMBOL_IFUNC)
		r += 8;
	else if (s->type == TFS_SYMBOL_PLT)
		r += 6;
	if (s->size)
		r += 2;
	if (s->name[0] != '_')
		r += 1;
	return r;
}

static bool holds(const struct tfs_symbol *s, uint64_t addr)
{
	return s->type != TFS_SYMBOL_TLS && (s->size ? addr - s->addr < s->size : s->addr == addr);
}

const struct tfs_symbol *tfs_symbol_at(struct tfs_image *img, uint64_t addr)
{
	const struct tfs_symbol_table *t = &img->symbols;
	const struct tfs_symbol *best = NULL;
	size_t last;

	if (load(img, NULL) || !t->v || (last = last_before(t, addr)) == t->n)
		return NULL;
	/* A big symbol may begin far before small ones inside of it; that is rare. */
	for (size_t i = last + 1; i-- > 0 && last - i < 256;) {
		const struct tfs_symbol *s = &t->v[i];

		if (best && s->addr != best->addr)
			break;
		if (holds(s, addr) && (!best || rank(s) > rank(best)))
			best = s;
	}
	if (best)
		return best;
	/* Without sizes (kallsyms, assembler) the one before is what there is to say. */
	for (size_t i = last + 1; i-- > 0 && t->v[i].addr == t->v[last].addr;)
		if (!t->v[i].size && t->v[i].type != TFS_SYMBOL_TLS &&
		    (!best || rank(&t->v[i]) > rank(best)))
			best = &t->v[i];
	return best;
}

/* The kernel looks a name up in all of kallsyms, and takes only one that is there once. */
static bool is_unique(struct tfs_image *img, const char *name)
{
	const struct tfs_symbol *const *found;

	return tfs_symbol_named(img, name, &found) == 1;
}

int tfs_symbol_place(struct tfs_image *img, uint64_t addr, char **out, struct tfs_err *err)
{
	const struct tfs_symbol_table *t = &img->symbols;
	const struct tfs_symbol *base = tfs_symbol_at(img, addr);
	const struct tfs_symbol *const *found;
	const char *module = img->module;

	if (base && !is_unique(img, base->name)) {
		const struct tfs_symbol *alias = NULL;

		/* Another name of the same place does as well. */
		for (size_t i = last_before(t, base->addr) + 1; i-- > 0;) {
			if (t->v[i].addr != base->addr)
				break;
			if (is_unique(img, t->v[i].name) && t->v[i].type != TFS_SYMBOL_TLS)
				alias = &t->v[i];
		}
		base = alias;
	}
	if (!base && !module && tfs_symbol_named(img, "_text", &found) == 1 && found &&
	    found[0]->addr <= addr)
		base = found[0];
	if (!base)
		return tfs_err_say(err, -ENOENT,
				   "no symbol with a name of its own can say where 0x%" PRIx64
				   " is",
				   addr);
	if (base->module)
		module = base->module;
	if (asprintf(out, "%s%s%s+%" PRIu64, module ? module : "", module ? ":" : "", base->name,
		     addr - base->addr) < 0)
		return tfs_err_set(err, -ENOMEM, "cannot say where 0x%" PRIx64 " is", addr);
	return 0;
}

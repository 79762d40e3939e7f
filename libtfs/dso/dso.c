/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/open-in.h"
#include "dso/arch/machine.h"
#include "dso/debugdata.h"
#include "dso/dso-elf.h"
#include "dso/dso-internal.h"
#include "dso/dso-relocate.h"
#include "dso/section.h"

/* A compressed module or kernel becomes some five times as large. */
#define EXPANDED_MAX 32
#define EXPANDED_MIN (64u << 20)

/* One row an architecture whose registers are known. */
static const struct {
	unsigned int machine;
	unsigned char class;
	unsigned char data;
	enum tfs_arch arch;
} machines[] = {
	{ EM_X86_64, ELFCLASS64, ELFDATA2LSB, TFS_ARCH_X86_64 },
	{ EM_386, ELFCLASS32, ELFDATA2LSB, TFS_ARCH_I386 },
	{ EM_AARCH64, ELFCLASS64, ELFDATA2LSB, TFS_ARCH_ARM64 },
	{ EM_ARM, ELFCLASS32, ELFDATA2LSB, TFS_ARCH_ARM },
	{ EM_RISCV, ELFCLASS64, ELFDATA2LSB, TFS_ARCH_RISCV64 },
	{ EM_S390, ELFCLASS64, ELFDATA2MSB, TFS_ARCH_S390X },
	{ EM_PPC64, ELFCLASS64, ELFDATA2LSB, TFS_ARCH_PPC64LE },
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = tfs_dso_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct tfs_dso *tfs_dso_new(void)
{
	struct tfs_dso *dso = calloc(1, sizeof(*dso));

	if (!dso)
		return NULL;
	dso->debug_fd = -1;
	dso->root = TFS_NO_ROOT;
	return dso;
}

void tfs_dso_on_free(struct tfs_dso *dso, void (*release)(struct tfs_dso *))
{
	for (size_t i = 0; i < dso->n_releases; i++)
		if (dso->release[i] == release)
			return;
	if (dso->n_releases < TFS_DSO_RELEASES_MAX)
		dso->release[dso->n_releases++] = release;
}

void tfs_dso_free(struct tfs_dso *dso)
{
	if (!dso)
		return;
	for (size_t i = 0; i < dso->n_attached; i++)
		dso->attached[i].free_data(dso->attached[i].data);
	for (size_t i = 0; i < dso->n_releases; i++)
		dso->release[i](dso);
	tfs_got_release(&dso->got);
	free(dso->go_table);
	tfs_strvec_release(&dso->tried);
	free(dso->supplier);
	free(dso->seg);
	free(dso->debug_found);
	tfs_close(&dso->debug_fd);
	if (dso->dwfl)
		dwfl_end(dso->dwfl);
	free(dso->build_id);
	free(dso->module);
	free(dso->debug);
	free(dso->symfs);
	free(dso->inner);
	tfs_close(&dso->root);
	free(dso->file);
	free(dso->path);
	free(dso);
}

char *tfs_dso_hex(const unsigned char *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	char *hex = malloc(2 * n + 1);

	if (!hex)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digit[bytes[i] >> 4];
		hex[2 * i + 1] = digit[bytes[i] & 15];
	}
	hex[2 * n] = '\0';
	return hex;
}

static int not_elf(const struct tfs_dso *dso, const char *what, struct tfs_err *err)
{
	return tfs_err_say(err, -ENOEXEC, "cannot use '%s': %s", dso->path, what);
}

static bool has_symbols(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/*
 * The file's e_type: ET_EXEC and so on; ET_NONE if it is not a plain ELF file
 * @symbols: whether it has a symbol table, if it is relocatable
 */
static int elf_type(int fd, bool *symbols)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Ehdr ehdr;
	int type = ET_NONE;

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &ehdr))
		type = ehdr.e_type;
	*symbols = type == ET_REL && has_symbols(elf);
	elf_end(elf);
	return type;
}

static bool is_compressed(int fd)
{
	static const char magic[][4] = { "\xfd\x37zX", "\x1f\x8b", "BZh", "\x28\xb5\x2f\xfd" };
	char head[4];

	if (tfs_pread_all(fd, head, sizeof(head), 0))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(magic); i++)
		if (!memcmp(head, magic[i], strnlen(magic[i], sizeof(magic[i]))))
			return true;
	return false;
}

/*
 * A file that is not plain ELF may be compressed: libdwfl expands all of it.
 */
static Dwfl_Module *report_any(struct tfs_dso *dso, int fd, bool plain)
{
	struct tfs_memory_limit limit = { 0 };
	Dwfl_Module *mod;
	struct stat st;
	uint64_t more;

	if (plain || fstat(fd, &st))
		return dwfl_report_offline(dso->dwfl, "", dso->file, fd);
	more = (uint64_t)st.st_size * EXPANDED_MAX;
	tfs_memory_limit_begin(&limit, more < EXPANDED_MIN ? EXPANDED_MIN : more);
	mod = dwfl_report_offline(dso->dwfl, "", dso->file, fd);
	tfs_memory_limit_end(&limit);
	return mod;
}

/*
 * A linked file is reported where it was linked to, so that no address needs correcting; sections
 * of a relocatable one are laid out by libdwfl, which also inflates compressed modules.
 */
static int report(struct tfs_dso *dso, int fd, struct tfs_err *err)
{
	void **userdata;
	GElf_Addr bias;
	bool symbols;
	int type, rc = 0;

	type = elf_type(fd, &symbols);
	dso->dwfl = dwfl_begin(&callbacks);
	if (!dso->dwfl) {
		rc = tfs_err_set(err, -ENOMEM, "cannot open '%s'", dso->path);
		goto out;
	}
	if (type == ET_EXEC || type == ET_DYN)
		dso->mod = dwfl_report_elf(dso->dwfl, "", dso->file, fd, 0, true);
	else
		dso->mod = report_any(dso, fd, type != ET_NONE);
	if (!dso->mod) {
		rc = not_elf(dso,
			     is_compressed(fd) ?
				     "it is compressed, and damaged or out of all proportion" :
				     "it is not an ELF file, or damaged",
			     err);
		goto out;
	}
	fd = -1;
	dwfl_report_end(dso->dwfl, NULL, NULL);
	/* without them it would look for the debug file, of a build that is not known yet */
	if (symbols)
		tfs_relocate_module(dso->mod);
	dwfl_module_info(dso->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = dso;
	dso->elf = dwfl_module_getelf(dso->mod, &bias);
	if (!dso->elf)
		rc = not_elf(dso, "it is not an ELF file, or damaged", err);
	else if (bias && type != ET_NONE && type != ET_REL)
		rc = not_elf(dso, "its program headers are damaged", err);
out:
	tfs_close(&fd);
	return rc;
}

static int add_segment(struct tfs_dso *dso, const struct tfs_segment *seg)
{
	int rc = tfs_grow_one(&dso->seg, dso->n_seg);

	if (!rc)
		dso->seg[dso->n_seg++] = *seg;
	return rc;
}

static int load_segments(struct tfs_dso *dso)
{
	size_t n = 0;

	if (elf_getphdrnum(dso->elf, &n))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		struct tfs_segment seg;

		if (!gelf_getphdr(dso->elf, (int)i, &ph))
			return -ENOEXEC;
		if (ph.p_type != PT_LOAD)
			continue;
		seg = (struct tfs_segment){ ph.p_vaddr, ph.p_offset, ph.p_filesz, ph.p_memsz,
					    ph.p_flags };
		if (add_segment(dso, &seg))
			return -ENOMEM;
	}
	return 0;
}

/* Sections of a relocatable file, at the addresses they were given. */
static int load_sections(struct tfs_dso *dso)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(dso->elf, scn))) {
		GElf_Shdr sh;
		GElf_Addr bias = 0, addr;
		struct tfs_segment seg;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		addr = sh.sh_addr;
		if (dso->rel && !dwfl_module_getelf(dso->mod, &bias))
			return -ENOEXEC;
		addr += dso->rel ? bias : 0;
		seg = (struct tfs_segment){ addr, sh.sh_offset,
					    sh.sh_type == SHT_NOBITS ? 0 : sh.sh_size, sh.sh_size,
					    (sh.sh_flags & SHF_EXECINSTR ? PF_X : 0) |
						    (sh.sh_flags & SHF_WRITE ? PF_W : 0) };
		if (add_segment(dso, &seg))
			return -ENOMEM;
	}
	return 0;
}

/* The name of a module is a member of the struct module in its file, or that of the file. */
static int name_module(struct tfs_dso *dso)
{
	const char *base = strrchr(dso->path, '/');
	size_t len;

	base = base ? base + 1 : dso->path;
	len = strcspn(base, ".");
	dso->module = strndup(base, len);
	if (!dso->module)
		return -ENOMEM;
	for (char *c = dso->module; *c; c++)
		if (*c == '-')
			*c = '_';
	return 0;
}

/* .modinfo is strings KEY=VALUE, each with its NUL. */
static int modinfo_name(struct tfs_dso *dso, Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *s = data ? data->d_buf : NULL;
	size_t left = s ? data->d_size : 0;

	while (left) {
		size_t len = strnlen(s, left);

		if (len == left)
			break;
		if (!strncmp(s, "name=", 5)) {
			dso->module = strdup(s + 5);
			return dso->module ? 0 : -ENOMEM;
		}
		s += len + 1;
		left -= len + 1;
	}
	return 0;
}

/* By its sections: a kernel exports symbols, Go has a line table of its own. */
static int look_at_sections(struct tfs_dso *dso, bool kernel)
{
	bool is_kernel = kernel, is_module = false;
	struct tfs_section_walk walk;
	int rc = 0;

	if (!tfs_section_walk(&walk, dso->elf))
		return 0;
	while (!rc && tfs_section_next(&walk)) {
		const char *name = walk.name;

		if (!strcmp(name, "__ksymtab_strings") || !strcmp(name, "__ksymtab"))
			is_kernel = true;
		else if (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab"))
			dso->go = true;
		else if (!strcmp(name, ".gnu.linkonce.this_module"))
			is_module = true;
		else if (!strcmp(name, ".modinfo") && dso->rel)
			rc = modinfo_name(dso, walk.scn);
	}
	if (dso->rel && is_module)
		dso->kind = TFS_DSO_MODULE;
	else if (is_kernel && !dso->rel)
		dso->kind = TFS_DSO_VMLINUX;
	if (!rc && dso->kind == TFS_DSO_MODULE && !dso->module)
		rc = name_module(dso);
	return rc;
}

/* The code of a kernel and its constants are in one segment: its sections distinguish them. */
static int load_map(struct tfs_dso *dso)
{
	int rc = 0;

	if (dso->rel || dso->kind == TFS_DSO_VMLINUX)
		rc = load_sections(dso);
	return rc || dso->rel || dso->n_seg ? rc : load_segments(dso);
}

/* Section headers are the last that is written into a file. */
static bool is_cut_short(const struct tfs_dso *dso, const GElf_Ehdr *ehdr)
{
	size_t size = 0;

	return elf_rawfile(dso->elf, &size) && ehdr->e_shoff &&
	       (ehdr->e_shoff > size ||
		(uint64_t)ehdr->e_shnum * ehdr->e_shentsize > size - ehdr->e_shoff);
}

static int identify(struct tfs_dso *dso, bool kernel, struct tfs_err *err)
{
	const unsigned char *bits;
	GElf_Addr where;
	GElf_Ehdr ehdr;
	int n, rc;

	if (!gelf_getehdr(dso->elf, &ehdr))
		return not_elf(dso, "its ELF header is damaged", err);
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == ehdr.e_machine &&
		    machines[i].class == ehdr.e_ident[EI_CLASS] &&
		    machines[i].data == ehdr.e_ident[EI_DATA])
			dso->arch = machines[i].arch;
	if (dso->arch == TFS_ARCH_NONE)
		return tfs_err_say(err, -ENOTSUP, "cannot use '%s': unsupported machine type %u",
				   dso->path, ehdr.e_machine);
	dso->big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	dso->addr_size = ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	dso->pie = ehdr.e_type == ET_DYN;
	dso->rel = ehdr.e_type == ET_REL;
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN && ehdr.e_type != ET_REL)
		return not_elf(dso, "it is neither program, library, kernel nor module", err);
	if (is_cut_short(dso, &ehdr))
		return not_elf(dso, "truncated: section headers missing", err);
	rc = look_at_sections(dso, kernel);
	if (!rc && dso->rel && dso->kind != TFS_DSO_MODULE)
		return not_elf(dso, "it is an object file that is still to be linked", err);
	if (!rc)
		rc = load_map(dso);
	if (rc == -ENOEXEC)
		return not_elf(dso, "its program headers are damaged", err);
	n = dwfl_module_build_id(dso->mod, &bits, &where);
	if (!rc && n > 0 && !(dso->build_id = tfs_dso_hex(bits, (size_t)n)))
		rc = -ENOMEM;
	return rc ? tfs_err_set(err, rc, "cannot open '%s'", dso->path) : 0;
}

int tfs_dso_open(const char *path, const struct tfs_dso_options *opt, struct tfs_dso **out,
		 struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_dso_new();
	int fd = -1, rc;

	if (!dso)
		return tfs_err_set(err, -ENOMEM, "cannot open '%s'", path);
	if (elf_version(EV_CURRENT) == EV_NONE) {
		rc = tfs_err_say(err, -ENOTSUP, "cannot open '%s': libelf is too old", path);
		goto out;
	}
	if (opt && opt->debug && !(dso->debug = strdup(opt->debug)))
		rc = tfs_err_set(err, -ENOMEM, "cannot open '%s'", path);
	else
		rc = tfs_dso_find_file(dso, path, opt ? opt->symfs : NULL, &fd, err);
	if (!rc)
		rc = report(dso, fd, err);
	if (!rc)
		rc = identify(dso, opt && opt->kernel, err);
	if (!rc) {
		*out = dso;
		dso = NULL;
	}
out:
	tfs_dso_free(dso);
	return rc;
}

int tfs_dso_open_fd(int fd, const char *name, struct tfs_dso **out, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_dso_new();
	int rc = -ENOMEM;

	if (dso) {
		dso->path = strdup(name);
		dso->file = strdup(name);
		dso->inner = strdup(name);
	}
	if (!dso || !dso->path || !dso->file || !dso->inner)
		tfs_err_set(err, rc, "cannot open '%s'", name);
	else if (elf_version(EV_CURRENT) == EV_NONE)
		rc = tfs_err_say(err, -ENOTSUP, "cannot open '%s': libelf is too old", name);
	else
		rc = 0;
	if (rc) {
		tfs_close(&fd);
	} else {
		rc = report(dso, fd, err);
		if (!rc)
			rc = identify(dso, false, err);
	}
	if (!rc) {
		*out = dso;
		dso = NULL;
	}
	tfs_dso_free(dso);
	return rc;
}

enum tfs_dso_kind tfs_dso_kind(const struct tfs_dso *dso)
{
	return dso->kind;
}

enum tfs_arch tfs_dso_arch(const struct tfs_dso *dso)
{
	return dso->arch;
}

bool tfs_dso_is_big_endian(const struct tfs_dso *dso)
{
	return dso->big;
}

unsigned int tfs_dso_addr_size(const struct tfs_dso *dso)
{
	return dso->addr_size;
}

bool tfs_dso_is_pie(const struct tfs_dso *dso)
{
	return dso->pie;
}

bool tfs_dso_is_go(const struct tfs_dso *dso)
{
	return dso->go;
}

const char *tfs_dso_path(const struct tfs_dso *dso)
{
	return dso->path ? dso->path : "";
}

const char *tfs_dso_title(const struct tfs_dso *dso)
{
	return dso->path ? dso->path : "the running kernel";
}

const char *tfs_dso_module(const struct tfs_dso *dso)
{
	return dso->module;
}

const char *tfs_dso_build_id(const struct tfs_dso *dso)
{
	return dso->build_id ? dso->build_id : "";
}

const struct tfs_machine *tfs_dso_machine(const struct tfs_dso *dso)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].arch == dso->arch)
			return tfs_machine_find(machines[i].machine, dso->addr_size * 8, dso->big);
	return dso->kind == TFS_DSO_SYMBOLS ? tfs_machine_running() : NULL;
}

static const struct tfs_segment *segment_of(const struct tfs_dso *dso, uint64_t addr)
{
	for (size_t i = 0; i < dso->n_seg; i++)
		if (addr >= dso->seg[i].addr && addr - dso->seg[i].addr < dso->seg[i].mem_size)
			return &dso->seg[i];
	return NULL;
}

int tfs_dso_file_offset(const struct tfs_dso *dso, uint64_t addr, uint64_t *off)
{
	const struct tfs_segment *seg = segment_of(dso, addr);

	if (!seg || addr - seg->addr >= seg->file_size)
		return -ENOENT;
	*off = addr - seg->addr + seg->off;
	return 0;
}

int tfs_dso_address(const struct tfs_dso *dso, uint64_t off, uint64_t *addr)
{
	for (size_t i = 0; i < dso->n_seg; i++) {
		const struct tfs_segment *seg = &dso->seg[i];

		if (off >= seg->off && off - seg->off < seg->file_size) {
			*addr = off - seg->off + seg->addr;
			return 0;
		}
	}
	return -ENOENT;
}

bool tfs_dso_is_code(const struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_segment *seg = segment_of(dso, addr);

	if (dso->kind == TFS_DSO_SYMBOLS)
		return true;
	return seg && (seg->flags & PF_X) && addr - seg->addr < seg->file_size;
}

int tfs_dso_read(const struct tfs_dso *dso, uint64_t addr, void *buf, size_t len)
{
	const struct tfs_segment *seg = segment_of(dso, addr);
	uint64_t in_seg, size = 0;
	const char *raw;
	size_t file_size;

	if (!seg || !dso->elf)
		return -ENOENT;
	in_seg = addr - seg->addr;
	if (in_seg >= seg->file_size || len > seg->file_size - in_seg)
		return -ENOENT;
	raw = elf_rawfile(dso->elf, &file_size);
	size = file_size;
	if (!raw || seg->off > size || in_seg > size - seg->off || len > size - seg->off - in_seg)
		return -ENOENT;
	memcpy(buf, raw + seg->off + in_seg, len);
	return 0;
}

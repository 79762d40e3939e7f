/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "dso/debug-copy.h"
#include "dso/dso-relocate.h"

enum { TEXT_NAME = 1, DATA_NAME = 7, INFO_NAME = 13, RELA_NAME = 25, SYMTAB_NAME = 42 };
static char names[] = "\0.text\0.data\0.debug_info\0.rela.debug_info\0.symtab";
enum { OF_TEXT = 1, OF_INFO, OF_DATA, OF_NOTHING, N_SYMBOLS };
enum { INFO_SIZE = 64, TEXT_SIZE = 40 };

static char code[TEXT_SIZE], data[24], info[INFO_SIZE];

/*
 * struct shape - a relocatable file that libelf writes
 * @shifted: sections that are not in memory come first, so that all have other numbers
 * @rela: relocations of .debug_info
 */
struct shape {
	unsigned int machine;
	int encoding;
	bool shifted;
	Elf64_Rela rela[4];
	size_t n;
};

struct section {
	size_t name;
	unsigned int type;
	uint64_t flags;
	Elf_Type data;
	void *bytes;
	size_t size;
};

static size_t add_section(Elf *elf, const struct section *s)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = elf_newdata(scn);
	GElf_Shdr sh;

	assert_non_null(gelf_getshdr(scn, &sh));
	sh.sh_name = (GElf_Word)s->name;
	sh.sh_type = s->type;
	sh.sh_flags = s->flags;
	sh.sh_addralign = 8;
	sh.sh_entsize = s->data == ELF_T_SYM  ? sizeof(Elf64_Sym) :
			s->data == ELF_T_RELA ? sizeof(Elf64_Rela) :
						0;
	assert_true(gelf_update_shdr(scn, &sh));
	d->d_buf = s->bytes;
	d->d_size = s->size;
	d->d_type = s->data;
	d->d_align = 8;
	return elf_ndxscn(scn);
}

static void refer(Elf *elf, size_t section, size_t link, size_t to)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr sh;

	assert_non_null(gelf_getshdr(scn, &sh));
	sh.sh_link = (GElf_Word)link;
	sh.sh_info = (GElf_Word)to;
	assert_true(gelf_update_shdr(scn, &sh));
}

static size_t add_info(Elf *elf)
{
	return add_section(elf, &(struct section){ INFO_NAME, SHT_PROGBITS, 0, ELF_T_BYTE, info,
						   sizeof(info) });
}

static int write_file(const struct shape *shape)
{
	Elf64_Sym syms[N_SYMBOLS] = { 0 };
	struct shape own = *shape;
	size_t text, bytes, debug = 0, rela, table, strings;
	int fd = memfd_create("test", MFD_CLOEXEC);
	GElf_Ehdr eh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(gelf_newehdr(elf, ELFCLASS64));
	assert_non_null(gelf_getehdr(elf, &eh));
	eh.e_ident[EI_DATA] = (unsigned char)shape->encoding;
	eh.e_type = ET_REL;
	eh.e_machine = (GElf_Half)shape->machine;
	eh.e_version = EV_CURRENT;
	assert_true(gelf_update_ehdr(elf, &eh));
	if (shape->shifted)
		debug = add_info(elf);
	text = add_section(elf,
			   &(struct section){ TEXT_NAME, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					      ELF_T_BYTE, code, sizeof(code) });
	bytes = add_section(elf, &(struct section){ DATA_NAME, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
						    ELF_T_BYTE, data, sizeof(data) });
	if (!shape->shifted)
		debug = add_info(elf);
	syms[OF_TEXT].st_shndx = (Elf64_Half)text;
	syms[OF_DATA].st_shndx = (Elf64_Half)bytes;
	syms[OF_DATA].st_value = 16;
	syms[OF_INFO].st_shndx = (Elf64_Half)debug;
	syms[OF_TEXT].st_info = syms[OF_INFO].st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
	rela = add_section(elf, &(struct section){ RELA_NAME, SHT_RELA, 0, ELF_T_RELA, own.rela,
						   own.n * sizeof(own.rela[0]) });
	table = add_section(elf, &(struct section){ SYMTAB_NAME, SHT_SYMTAB, 0, ELF_T_SYM, syms,
						    sizeof(syms) });
	strings = add_section(elf, &(struct section){ 0, SHT_STRTAB, 0, ELF_T_BYTE, names,
						      sizeof(names) });
	refer(elf, rela, table, debug);
	refer(elf, table, strings, 1);
	assert_non_null(gelf_getehdr(elf, &eh));
	eh.e_shstrndx = (GElf_Half)strings;
	assert_true(gelf_update_ehdr(elf, &eh));
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return fd;
}

static Elf_Scn *named(Elf *elf, const char *want, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	assert_int_equal(elf_getshdrstrndx(elf, &strings), 0);
	while ((scn = elf_nextscn(elf, scn))) {
		assert_non_null(gelf_getshdr(scn, sh));
		if (!strcmp(elf_strptr(elf, strings, sh->sh_name), want))
			return scn;
	}
	fail_msg("no %s", want);
	return NULL;
}

static const unsigned char *bytes_of(Elf *elf, const char *name)
{
	GElf_Shdr sh;
	Elf_Data *d = elf_rawdata(named(elf, name, &sh), NULL);

	assert_non_null(d);
	assert_int_equal(d->d_size, sh.sh_size);
	return d->d_buf;
}

static uint64_t address_of(Elf *elf, const char *name)
{
	GElf_Shdr sh;

	named(elf, name, &sh);
	return sh.sh_addr;
}

static uint64_t number(const unsigned char *at, size_t size, int encoding)
{
	uint64_t n = 0;

	for (size_t i = 0; i < size; i++)
		n = n << 8 | at[encoding == ELFDATA2MSB ? i : size - 1 - i];
	return n;
}

static int find_nothing(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **out)
{
	(void)mod, (void)userdata, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)out;
	return -1;
}

/* A file as libdwfl lays it out; @ours: after what is done here. */
static Dwfl *open_module(const struct shape *shape, bool ours, Elf **elf)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_nothing,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod = dwfl_report_offline(dwfl, "", "test", write_file(shape));
	GElf_Shdr sh;
	GElf_Addr addr;
	GElf_Sym sym;

	assert_non_null(mod);
	dwfl_report_end(dwfl, NULL, NULL);
	if (ours) {
		tfs_relocate_module(mod);
		assert_non_null(dwfl_module_getsym_info(mod, 1, &sym, &addr, NULL, elf, NULL));
		named(*elf, ".rela.debug_info", &sh);
		assert_int_equal(sh.sh_size, 0);
	}
	*elf = dwfl_module_getelf(mod, &addr);
	assert_non_null(*elf);
	assert_int_equal(addr, 0);
	return dwfl;
}

#define RELA(off, symbol, type, addend)                                   \
	{                                                                 \
		(off), ELF64_R_INFO((uint64_t)(symbol), (type)), (addend) \
	}
#define GOOD(four, eight)                                                   \
	{                                                                   \
		RELA(1, OF_TEXT, eight, 8), RELA(9, OF_INFO, four, 0x1234), \
			RELA(16, OF_DATA, eight, -4), RELA(60, 0, four, 77) \
	}

static void addresses_are_those_that_libdwfl_writes(void **state)
{
	static const struct shape shapes[] = {
		{ EM_X86_64, ELFDATA2LSB, false, GOOD(R_X86_64_32, R_X86_64_64), 4 },
		{ EM_AARCH64, ELFDATA2LSB, false, GOOD(R_AARCH64_ABS32, R_AARCH64_ABS64), 4 },
		{ EM_S390, ELFDATA2MSB, true, GOOD(R_390_32, R_390_64), 4 },
		{ EM_PPC64, ELFDATA2LSB, true, GOOD(R_PPC64_ADDR32, R_PPC64_ADDR64), 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		int order = shapes[i].encoding;
		const unsigned char *at;
		Elf *ours, *theirs;
		Dwfl *dwfl[2] = { open_module(&shapes[i], true, &ours),
				  open_module(&shapes[i], false, &theirs) };

		at = bytes_of(ours, ".debug_info");
		assert_memory_equal(at, bytes_of(theirs, ".debug_info"), INFO_SIZE);
		assert_true(address_of(ours, ".data") > address_of(ours, ".text"));
		assert_int_equal(number(at + 1, 8, order), address_of(ours, ".text") + 8);
		assert_int_equal(number(at + 9, 4, order), 0x1234);
		assert_int_equal(number(at + 16, 8, order), address_of(ours, ".data") + 16 - 4);
		assert_int_equal(number(at + 60, 4, order), 77);
		assert_int_equal(at[0], info[0]);
		assert_int_equal(at[59], info[59]);
		dwfl_end(dwfl[0]);
		dwfl_end(dwfl[1]);
	}
}

/* The file as it is mapped: can all relocations be applied? */
static bool applies(const struct shape *shape)
{
	int fd = write_file(shape);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	bool done = tfs_relocate_debug(elf, elf);
	GElf_Shdr sh;

	named(elf, ".rela.debug_info", &sh);
	assert_int_equal(sh.sh_size, done ? 0 : shape->n * sizeof(shape->rela[0]));
	elf_end(elf);
	close(fd);
	return done;
}

static void unknown_relocations_are_left_to_libdwfl(void **state)
{
	struct shape shape = { EM_X86_64, ELFDATA2LSB, false, GOOD(R_X86_64_32, R_X86_64_64), 4 };
	static const Elf64_Rela bad[] = {
		RELA(0, OF_TEXT, R_X86_64_PC32, 0),
		RELA(0, OF_NOTHING, R_X86_64_64, 0),
		RELA(0, N_SYMBOLS, R_X86_64_64, 0),
		RELA(0, UINT32_MAX, R_X86_64_64, 0),
		RELA(INFO_SIZE - 7, OF_TEXT, R_X86_64_64, 0),
		RELA(INFO_SIZE, OF_TEXT, R_X86_64_32, 0),
		RELA(INFO_SIZE + 1, OF_TEXT, R_X86_64_32, 0),
		RELA(UINT64_MAX - 3, OF_TEXT, R_X86_64_32, 0),
	};

	(void)state;
	assert_true(applies(&shape));
	shape.rela[2] = (Elf64_Rela)RELA(UINT64_MAX, UINT32_MAX, R_X86_64_NONE, 0);
	assert_true(applies(&shape));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		shape.rela[2] = bad[i];
		assert_false(applies(&shape));
	}
	shape.rela[2] = (Elf64_Rela)RELA(INFO_SIZE - 8, OF_TEXT, R_X86_64_64, 0);
	assert_true(applies(&shape));
	/* whose debug information has differences of addresses */
	shape.machine = EM_RISCV;
	assert_false(applies(&shape));
}

static void a_file_that_was_split_off_gets_the_addresses_of_the_other(void **state)
{
	struct shape shape = { EM_X86_64, ELFDATA2LSB, false, GOOD(R_X86_64_32, R_X86_64_64), 4 };
	struct tfs_debug_copy *copy;
	const unsigned char *at;
	Dwfl *dwfl;
	Elf *elf;
	int fd;

	(void)state;
	dwfl = open_module(&shape, true, &elf);
	shape.shifted = true;
	fd = write_file(&shape);
	copy = tfs_debug_copy_new(fd, elf);
	assert_non_null(copy);
	at = bytes_of(tfs_debug_copy_elf(copy), ".debug_info");
	assert_int_equal(number(at + 1, 8, ELFDATA2LSB), address_of(elf, ".text") + 8);
	assert_int_equal(number(at + 16, 8, ELFDATA2LSB), address_of(elf, ".data") + 16 - 4);
	assert_int_equal(number(at + 9, 4, ELFDATA2LSB), 0x1234);
	tfs_debug_copy_free(copy);
	close(fd);
	shape.rela[0] = (Elf64_Rela)RELA(0, OF_TEXT, R_X86_64_PC32, 0);
	fd = write_file(&shape);
	assert_null(tfs_debug_copy_new(fd, elf));
	close(fd);
	dwfl_end(dwfl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_those_that_libdwfl_writes),
		cmocka_unit_test(unknown_relocations_are_left_to_libdwfl),
		cmocka_unit_test(a_file_that_was_split_off_gets_the_addresses_of_the_other),
	};

	memset(info, 0x5a, sizeof(info));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

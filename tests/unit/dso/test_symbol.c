/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "dso/dso.h"
#include "dso/symbol.h"

/* The C library as this program has it loaded: the loader's own look-up is the second source. */
struct loaded {
	struct tfs_dso *dso;
	void *handle; /* a sanitizer's functions stand before libc's in the default scope */
	uintptr_t base;
};

static int open_libc(void **state)
{
	struct loaded *libc = calloc(1, sizeof(*libc));
	Dl_info info;

	if (!libc || !(libc->handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)) ||
	    !dladdr(dlsym(libc->handle, "fopen"), &info) ||
	    tfs_dso_open(info.dli_fname, NULL, &libc->dso, NULL)) {
		free(libc);
		return -1;
	}
	libc->base = (uintptr_t)info.dli_fbase;
	*state = libc;
	return 0;
}

static int close_libc(void **state)
{
	struct loaded *libc = *state;

	tfs_dso_free(libc->dso);
	dlclose(libc->handle);
	free(libc);
	return 0;
}

static void each_version_is_where_the_loader_finds_it(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *syms;
	size_t n, compared = 0;

	assert_int_equal(tfs_symbols(libc->dso, &syms, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const void *p;

		if (syms[i].type != TFS_SYMBOL_FUNC || !syms[i].version || syms[i].local)
			continue;
		p = dlvsym(libc->handle, syms[i].name, syms[i].version);
		/* Another library may have one of the name and version, too. */
		if (!p || (uintptr_t)p < libc->base || (uintptr_t)p - libc->base > syms[n - 1].addr)
			continue;
		assert_int_equal((uintptr_t)p - libc->base, syms[i].addr);
		compared++;
	}
	assert_true(compared > 1000);
}

static void names_lead_to_addresses_and_addresses_to_names(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *const *found;
	uint64_t addr = (uintptr_t)dlsym(libc->handle, "fopen") - libc->base;
	const struct tfs_symbol *at;
	char versioned[64];

	assert_true(tfs_symbol_named(libc->dso, "fopen", &found) >= 1);
	assert_int_equal(found[0]->addr, addr);
	at = tfs_symbol_at(libc->dso, addr + 1);
	assert_non_null(at);
	assert_int_equal(at->addr, addr);
	assert_true(addr + 1 < at->addr + at->size);
	assert_non_null(found[0]->version);
	snprintf(versioned, sizeof(versioned), "fopen@%s", found[0]->version);
	assert_int_equal(tfs_symbol_named(libc->dso, versioned, &found), 1);
	assert_int_equal(tfs_symbol_named(libc->dso, "fopen@NO_SUCH_1.0", &found), 0);
	assert_int_equal(tfs_symbol_named(libc->dso, "no_such_function_at_all", &found), 0);
}

static void symbols_are_sorted_and_listed_once(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *syms;
	size_t n;

	assert_int_equal(tfs_symbols(libc->dso, &syms, &n, NULL), 0);
	for (size_t i = 1; i < n; i++) {
		assert_true(syms[i - 1].addr <= syms[i].addr);
		assert_false(syms[i - 1].addr == syms[i].addr &&
			     !strcmp(syms[i - 1].name, syms[i].name) && !syms[i].version);
	}
}

static void a_location_is_printed_with_a_unique_name(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *const *found;
	uint64_t addr = (uintptr_t)dlsym(libc->handle, "fopen") - libc->base;
	char *place = NULL, *plus;

	assert_int_equal(tfs_symbol_format(libc->dso, addr + 4, &place, NULL), 0);
	plus = strchr(place, '+');
	assert_non_null(plus);
	*plus = '\0';
	assert_int_equal(tfs_symbol_named(libc->dso, place, &found), 1);
	assert_int_equal(found[0]->addr + strtoull(plus + 1, NULL, 10), addr + 4);
	free(place);
}

/* The .symtab entries of the file that is made, each with the symbol it becomes, if any. */
#define STRINGS "\0twice\0code\0data\0absent\0.Label\0low"
#define CODE_AT 0x10000
static const struct {
	GElf_Sym sym;
	const char *name;
	enum tfs_symbol_type type;
} made[] = {
	{ { .st_name = 0 }, NULL, 0 },
	{ { .st_name = 7,
	    .st_info = STT_FUNC,
	    .st_shndx = 1,
	    .st_value = CODE_AT + 16,
	    .st_size = 4 },
	  "code",
	  TFS_SYMBOL_FUNC },
	{ { .st_name = 12, .st_info = STT_NOTYPE, .st_shndx = 2, .st_value = CODE_AT + 64 },
	  "data",
	  TFS_SYMBOL_DATA },
	{ { .st_name = 17, .st_info = STT_FUNC, .st_shndx = SHN_UNDEF }, NULL, 0 },
	{ { .st_name = 17, .st_info = STT_OBJECT, .st_shndx = SHN_ABS, .st_value = 1 }, NULL, 0 },
	{ { .st_name = 24, .st_info = STT_NOTYPE, .st_shndx = 1, .st_value = CODE_AT }, NULL, 0 },
	{ { .st_name = 1000, .st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_AT }, NULL, 0 },
	{ { .st_name = 31, .st_info = STT_NOTYPE, .st_shndx = 1, .st_value = 0x20 },
	  "low",
	  TFS_SYMBOL_OTHER },
	{ { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_AT },
	  "twice",
	  TFS_SYMBOL_FUNC },
	{ { .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = CODE_AT, .st_size = 8 },
	  NULL,
	  0 },
};
#define N_MADE (sizeof(made) / sizeof(made[0]))

static Elf_Scn *add_section(Elf *elf, GElf_Word type, GElf_Xword flags, void *buf, size_t size)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh;

	assert_non_null(data);
	data->d_buf = buf;
	data->d_size = size;
	data->d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	data->d_align = 8;
	assert_non_null(gelf_getshdr(scn, &sh));
	sh.sh_type = type;
	sh.sh_flags = flags;
	sh.sh_addr = flags ? CODE_AT : 0;
	sh.sh_link = type == SHT_SYMTAB ? 4 : 0;
	sh.sh_entsize = type == SHT_SYMTAB ? gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	assert_true(gelf_update_shdr(scn, &sh));
	return scn;
}

/* An executable of that machine with the symbols of @made. */
static void make_file(int fd, GElf_Half machine, int class, unsigned char order)
{
	static char strings[] = STRINGS, code[128];
	char symbols[N_MADE * sizeof(Elf64_Sym)];
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL); /* open_libc() has set the version */
	GElf_Phdr ph = { .p_type = PT_LOAD, .p_vaddr = CODE_AT, .p_flags = PF_R | PF_X };
	Elf_Data *data;
	GElf_Ehdr eh;
	size_t size;

	assert_true(elf && gelf_newehdr(elf, class) && gelf_newphdr(elf, 1));
	assert_non_null(gelf_getehdr(elf, &eh));
	eh.e_ident[EI_DATA] = order;
	eh.e_machine = machine;
	eh.e_type = ET_EXEC;
	eh.e_version = EV_CURRENT;
	eh.e_shstrndx = 4;
	assert_true(gelf_update_ehdr(elf, &eh));
	size = N_MADE * gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	add_section(elf, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, sizeof(code));
	add_section(elf, SHT_PROGBITS, SHF_ALLOC, code, sizeof(code));
	data = elf_getdata(add_section(elf, SHT_SYMTAB, 0, symbols, size), NULL);
	add_section(elf, SHT_STRTAB, 0, strings, sizeof(strings));
	for (size_t i = 0; i < N_MADE; i++) {
		GElf_Sym sym = made[i].sym;

		assert_true(gelf_update_sym(data, (int)i, &sym));
	}
	ph.p_filesz = ph.p_memsz = sizeof(code);
	ph.p_offset = 0x1000;
	assert_true(gelf_update_phdr(elf, 0, &ph));
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
}

/* Also of arm, whose table libdwfl reads for us. */
static void a_table_is_read_in_any_class_and_byte_order(void **state)
{
	static const struct {
		GElf_Half machine;
		int class;
		unsigned char order;
	} files[] = {
		{ EM_X86_64, ELFCLASS64, ELFDATA2LSB },
		{ EM_S390, ELFCLASS64, ELFDATA2MSB },
		{ EM_386, ELFCLASS32, ELFDATA2LSB },
		{ EM_ARM, ELFCLASS32, ELFDATA2LSB },
	};

	(void)state;
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		char path[] = "/tmp/test_symbol.XXXXXX";
		const struct tfs_symbol *const *found;
		const struct tfs_symbol *syms;
		struct tfs_dso *dso = NULL;
		int fd = mkstemp(path), rc;
		size_t n, expected = 0;

		make_file(fd, files[f].machine, files[f].class, files[f].order);
		close(fd);
		rc = tfs_dso_open(path, NULL, &dso, NULL);
		unlink(path);
		assert_int_equal(rc, 0);
		for (size_t i = 0; i < N_MADE; i++) {
			if (!made[i].name)
				continue;
			expected++;
			assert_int_equal(tfs_symbol_named(dso, made[i].name, &found), 1);
			assert_int_equal(found[0]->addr, made[i].sym.st_value);
			assert_int_equal(found[0]->type, made[i].type);
		}
		assert_int_equal(tfs_symbol_named(dso, "twice", &found), 1);
		assert_int_equal(found[0]->size, 8);
		assert_int_equal(tfs_symbols(dso, &syms, &n, NULL), 0);
		assert_int_equal(n, expected);
		assert_string_equal(syms[0].name, "low");
		assert_string_equal(syms[n - 1].name, "data");
		tfs_dso_free(dso);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_is_where_the_loader_finds_it),
		cmocka_unit_test(names_lead_to_addresses_and_addresses_to_names),
		cmocka_unit_test(symbols_are_sorted_and_listed_once),
		cmocka_unit_test(a_location_is_printed_with_a_unique_name),
		cmocka_unit_test(a_table_is_read_in_any_class_and_byte_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_libc, close_libc);
}

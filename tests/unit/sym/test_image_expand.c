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
#include <gelf.h>
#include <libelf.h>

#include "sym/image-internal.h"

#define INFO_SIZE 40000

static unsigned char info[INFO_SIZE];
static char plain[] = "what was not compressed";
static char names[] = "\0.debug_info\0.plain\0.shstrtab";
enum { INFO_NAME = 1, PLAIN_NAME = 13, STRTAB_NAME = 20 };

static Elf_Scn *add_section(Elf *elf, size_t name, unsigned int type, void *bytes, size_t size)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr sh;

	assert_non_null(gelf_getshdr(scn, &sh));
	sh.sh_name = (GElf_Word)name;
	sh.sh_type = type;
	sh.sh_addralign = 1;
	assert_true(gelf_update_shdr(scn, &sh));
	data->d_buf = bytes;
	data->d_size = size;
	data->d_align = 1;
	return scn;
}

/* A file that libelf writes, its .debug_info compressed by libelf if @compress. */
static int write_file(int class, int encoding, bool compress)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	Elf_Scn *strings, *scn;
	GElf_Ehdr eh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(elf);
	assert_non_null(gelf_newehdr(elf, class));
	scn = add_section(elf, INFO_NAME, SHT_PROGBITS, info, sizeof(info));
	add_section(elf, PLAIN_NAME, SHT_PROGBITS, plain, sizeof(plain));
	strings = add_section(elf, STRTAB_NAME, SHT_STRTAB, names, sizeof(names));
	assert_non_null(gelf_getehdr(elf, &eh));
	eh.e_ident[EI_DATA] = (unsigned char)encoding;
	eh.e_type = ET_DYN;
	eh.e_machine = EM_NONE;
	eh.e_version = EV_CURRENT;
	eh.e_shstrndx = (GElf_Half)elf_ndxscn(strings);
	assert_true(gelf_update_ehdr(elf, &eh));
	assert_true(elf_update(elf, ELF_C_NULL) > 0);
	if (compress)
		assert_int_equal(elf_compress(scn, ELFCOMPRESS_ZLIB, 0), 1);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return fd;
}

static void has_section(Elf *elf, size_t index, const void *bytes, size_t size)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	Elf_Data *data = elf_rawdata(scn, NULL);
	GElf_Shdr sh;

	assert_non_null(gelf_getshdr(scn, &sh));
	assert_int_equal(sh.sh_flags & SHF_COMPRESSED, 0);
	assert_int_equal(sh.sh_size, size);
	assert_non_null(data);
	assert_int_equal(data->d_size, size);
	assert_memory_equal(data->d_buf, bytes, size);
}

static void expands(int class, int encoding)
{
	int fd = write_file(class, encoding, true);
	int copy = tfs_image_expand(fd);
	GElf_Ehdr eh;
	Elf *elf;

	assert_true(copy >= 0);
	assert_true(lseek(fd, 0, SEEK_END) < INFO_SIZE);
	elf = elf_begin(copy, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	assert_non_null(gelf_getehdr(elf, &eh));
	assert_int_equal(eh.e_ident[EI_CLASS], class);
	assert_int_equal(eh.e_ident[EI_DATA], encoding);
	has_section(elf, 1, info, sizeof(info));
	has_section(elf, 2, plain, sizeof(plain));
	has_section(elf, 3, names, sizeof(names));
	assert_string_equal(elf_strptr(elf, eh.e_shstrndx, INFO_NAME), ".debug_info");
	elf_end(elf);
	close(copy);
	close(fd);
}

static void sections_of_every_class_and_byte_order_are_expanded(void **state)
{
	(void)state;
	expands(ELFCLASS64, ELFDATA2LSB);
	expands(ELFCLASS64, ELFDATA2MSB);
	expands(ELFCLASS32, ELFDATA2LSB);
	expands(ELFCLASS32, ELFDATA2MSB);
}

static void what_is_not_compressed_stays_as_it_is(void **state)
{
	int fd = write_file(ELFCLASS64, ELFDATA2LSB, false);

	(void)state;
	assert_int_equal(tfs_image_expand(fd), -1);
	close(fd);
}

/* Where the bytes of .debug_info begin in the file, behind what tells of their compression. */
static off_t begin_of_info(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Shdr sh;
	off_t at;

	assert_non_null(gelf_getshdr(elf_getscn(elf, 1), &sh));
	at = (off_t)(sh.sh_offset + gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT));
	elf_end(elf);
	return at;
}

static void what_is_damaged_is_left_to_libdw(void **state)
{
	int fd = write_file(ELFCLASS64, ELFDATA2LSB, true);
	off_t at = begin_of_info(fd);

	(void)state;
	/* a stream of another length; then no stream; then a file that ends within it */
	assert_int_equal(pwrite(fd, &(uint64_t){ INFO_SIZE - 1 }, 8, at - 16), 8);
	assert_int_equal(tfs_image_expand(fd), -1);
	assert_int_equal(pwrite(fd, &(uint64_t){ INFO_SIZE }, 8, at - 16), 8);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, at), 4);
	assert_int_equal(tfs_image_expand(fd), -1);
	assert_int_equal(ftruncate(fd, at), 0);
	assert_int_equal(tfs_image_expand(fd), -1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_of_every_class_and_byte_order_are_expanded),
		cmocka_unit_test(what_is_not_compressed_stays_as_it_is),
		cmocka_unit_test(what_is_damaged_is_left_to_libdw),
	};

	/* not all of one byte, nor of noise */
	for (size_t i = 0; i < sizeof(info); i++)
		info[i] = (unsigned char)((i * i >> 7) % 97);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

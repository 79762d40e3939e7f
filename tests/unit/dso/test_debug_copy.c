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

#include "dso/debug-copy.h"

#define INFO_SIZE 40000

static unsigned char info[INFO_SIZE];
static char plain[] = "what was not compressed";
static unsigned char lines[] =
	"what is not read until it is asked for, and asked for, and asked for";
static char names[] = "\0.debug_info\0.plain\0.shstrtab\0.debug_line\0.debug_loclists";
enum { INFO_NAME = 1, PLAIN_NAME = 13, STRTAB_NAME = 20, LINE_NAME = 30, PLACES_NAME = 42 };
enum { INFO = 1, PLAIN, LINES, PLACES, STRINGS };

/* @lines_type: what the section of line tables says it is */
struct shape {
	int class;
	int encoding;
	unsigned int lines_type;
};

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

/* A file that libelf writes, and what its debug sections have compressed by it if @compress. */
static int write_file_of(const struct shape *shape, bool compress)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	Elf_Scn *strings, *scn[3];
	GElf_Ehdr eh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(elf);
	assert_non_null(gelf_newehdr(elf, shape->class));
	scn[0] = add_section(elf, INFO_NAME, SHT_PROGBITS, info, sizeof(info));
	add_section(elf, PLAIN_NAME, SHT_PROGBITS, plain, sizeof(plain));
	scn[1] = add_section(elf, LINE_NAME, shape->lines_type, lines, sizeof(lines));
	scn[2] = add_section(elf, PLACES_NAME, SHT_PROGBITS, info, sizeof(info) - 1);
	strings = add_section(elf, STRTAB_NAME, SHT_STRTAB, names, sizeof(names));
	assert_non_null(gelf_getehdr(elf, &eh));
	eh.e_ident[EI_DATA] = (unsigned char)shape->encoding;
	eh.e_type = ET_DYN;
	eh.e_machine = EM_NONE;
	eh.e_version = EV_CURRENT;
	eh.e_shstrndx = (GElf_Half)elf_ndxscn(strings);
	assert_true(gelf_update_ehdr(elf, &eh));
	assert_true(elf_update(elf, ELF_C_NULL) > 0);
	for (size_t i = 0; i < 3 && compress; i++)
		assert_int_equal(elf_compress(scn[i], ELFCOMPRESS_ZLIB, ELF_CHF_FORCE), 1);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	return fd;
}

static int write_file(int class, int encoding, bool compress)
{
	const struct shape shape = { class, encoding, SHT_PROGBITS };

	return write_file_of(&shape, compress);
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
	struct tfs_debug_copy *copy = tfs_debug_copy_new(fd, NULL);
	GElf_Ehdr eh;
	Elf *elf;

	assert_non_null(copy);
	elf = tfs_debug_copy_elf(copy);
	assert_non_null(gelf_getehdr(elf, &eh));
	assert_int_equal(eh.e_ident[EI_CLASS], class);
	assert_int_equal(eh.e_ident[EI_DATA], encoding);
	has_section(elf, INFO, info, sizeof(info));
	has_section(elf, PLAIN, plain, sizeof(plain));
	has_section(elf, STRINGS, names, sizeof(names));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_LINES));
	has_section(elf, LINES, lines, sizeof(lines));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_PLACES));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_LINES));
	has_section(elf, PLACES, info, sizeof(info) - 1);
	has_section(elf, LINES, lines, sizeof(lines));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_FRAMES));
	assert_string_equal(elf_strptr(elf, eh.e_shstrndx, INFO_NAME), ".debug_info");
	tfs_debug_copy_free(copy);
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

/* Can the first byte of a section be read? */
static bool is_there(struct tfs_debug_copy *copy, size_t index)
{
	Elf_Data *data = elf_rawdata(elf_getscn(tfs_debug_copy_elf(copy), index), NULL);
	int pipes[2];
	bool there;

	assert_non_null(data);
	assert_int_equal(pipe(pipes), 0);
	there = write(pipes[1], data->d_buf, 1) == 1;
	close(pipes[0]);
	close(pipes[1]);
	return there;
}

static void expands_a_part_when_asked(void **state)
{
	int fd = write_file(ELFCLASS64, ELFDATA2LSB, true);
	struct tfs_debug_copy *copy = tfs_debug_copy_new(fd, NULL);

	(void)state;
	assert_non_null(copy);
	assert_true(is_there(copy, INFO));
	assert_false(is_there(copy, LINES));
	assert_false(is_there(copy, PLACES));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_PLACES));
	assert_false(is_there(copy, LINES));
	assert_true(is_there(copy, PLACES));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_LINES));
	assert_true(is_there(copy, LINES));
	tfs_debug_copy_free(copy);
	close(fd);
}

/* libelf reads strings whenever a name is asked for. */
static void strings_are_there_whatever_their_name_is(void **state)
{
	const struct shape shape = { ELFCLASS64, ELFDATA2LSB, SHT_STRTAB };
	int fd = write_file_of(&shape, true);
	struct tfs_debug_copy *copy = tfs_debug_copy_new(fd, NULL);

	(void)state;
	assert_non_null(copy);
	assert_true(is_there(copy, LINES));
	tfs_debug_copy_free(copy);
	close(fd);
}

static void uncompressed_sections_are_unchanged(void **state)
{
	int fd = write_file(ELFCLASS64, ELFDATA2LSB, false);

	(void)state;
	assert_null(tfs_debug_copy_new(fd, NULL));
	close(fd);
}

/* The file offset of a section's data, after the compression header if there is one. */
static off_t begin_of(int fd, size_t index)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Shdr sh;
	off_t at;

	assert_non_null(gelf_getshdr(elf_getscn(elf, index), &sh));
	at = (off_t)(sh.sh_offset + gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT));
	elf_end(elf);
	return at;
}

static void damaged_sections_are_left_to_libdw(void **state)
{
	int fd = write_file(ELFCLASS64, ELFDATA2LSB, true);
	off_t at = begin_of(fd, INFO);

	(void)state;
	/* a stream of another length; then no stream; then a file that ends within it */
	assert_int_equal(pwrite(fd, &(uint64_t){ INFO_SIZE - 1 }, 8, at - 16), 8);
	assert_null(tfs_debug_copy_new(fd, NULL));
	assert_int_equal(pwrite(fd, &(uint64_t){ INFO_SIZE }, 8, at - 16), 8);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, at), 4);
	assert_null(tfs_debug_copy_new(fd, NULL));
	assert_int_equal(ftruncate(fd, at), 0);
	assert_null(tfs_debug_copy_new(fd, NULL));
	close(fd);
}

static void a_damaged_section_is_reported_each_time_and_is_empty(void **state)
{
	static const unsigned char nothing[sizeof(lines)];
	int fd = write_file(ELFCLASS64, ELFDATA2LSB, true);
	struct tfs_debug_copy *copy;

	(void)state;
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, begin_of(fd, LINES)), 4);
	copy = tfs_debug_copy_new(fd, NULL);
	assert_non_null(copy);
	assert_false(tfs_debug_copy_expand(copy, TFS_DEBUG_LINES));
	assert_false(tfs_debug_copy_expand(copy, TFS_DEBUG_LINES));
	has_section(tfs_debug_copy_elf(copy), LINES, nothing, sizeof(nothing));
	assert_true(tfs_debug_copy_expand(copy, TFS_DEBUG_PLACES));
	has_section(tfs_debug_copy_elf(copy), PLACES, info, sizeof(info) - 1);
	tfs_debug_copy_free(copy);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_of_every_class_and_byte_order_are_expanded),
		cmocka_unit_test(expands_a_part_when_asked),
		cmocka_unit_test(strings_are_there_whatever_their_name_is),
		cmocka_unit_test(uncompressed_sections_are_unchanged),
		cmocka_unit_test(damaged_sections_are_left_to_libdw),
		cmocka_unit_test(a_damaged_section_is_reported_each_time_and_is_empty),
	};

	/* not all of one byte, nor of noise */
	for (size_t i = 0; i < sizeof(info); i++)
		info[i] = (unsigned char)((i * i >> 7) % 97);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

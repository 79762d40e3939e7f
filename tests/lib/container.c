/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/container.h"

#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/io.h"
#include "lib/bytes.h"

#define PARTS_MAX 8
#define PART_MAX 64
#define SPARSE_BYTES ((off_t)30 << 30)
#define ID_MAX 20

/* --- the text --- */

static const struct {
	const char *name;
	enum container_kind kind;
} kinds[] = {
	{ "file", CONTAINER_FILE }, { "elf", CONTAINER_ELF },   { "link", CONTAINER_LINK },
	{ "dir", CONTAINER_DIR },   { "fifo", CONTAINER_FIFO }, { "sparse", CONTAINER_SPARSE },
	{ "maps", CONTAINER_MAPS },
};

/* The next word of a line, "" at its end; what is read has a NUL after it then. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " ");
	size_t len = strcspn(word, " ");

	*line = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

/* Ends the line with a NUL; what follows it, NULL after the last */
static char *end_line(char *line, const char *end)
{
	char *newline = memchr(line, '\n', (size_t)(end - line));

	if (!newline)
		return NULL;
	*newline = '\0';
	return newline + 1;
}

/* The beginning of the next section, or the end */
static char *next_section(char *text, char *end)
{
	while (text < end && *text != '@') {
		char *newline = memchr(text, '\n', (size_t)(end - text));

		text = newline ? newline + 1 : end;
	}
	return text;
}

static void add_member(struct container *c, char *line, char *text, const char *end)
{
	struct container_member *m = &c->v[c->n];
	const char *kind = next_word(&line);

	if (!strcmp(kind, "old"))
		c->is_old = true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, kind) != 0)
			continue;
		m->kind = kinds[i].kind;
		m->path = next_word(&line);
		m->target = m->kind == CONTAINER_LINK ? line : "";
		m->text = text;
		m->len = (size_t)(end - text);
		c->n++;
	}
}

int container_parse(const char *text, size_t size, struct container *c)
{
	char *at, *end, *next;

	*c = (struct container){ .copy = malloc(size + 1) };
	if (!c->copy)
		abort();
	if (size)
		memcpy(c->copy, text, size);
	end = c->copy + size;
	*end = '\0';
	c->name = c->copy;
	at = end_line(c->copy, end);
	if (!at) {
		container_release(c);
		return -1;
	}
	for (at = next_section(at, end); at < end && c->n < CONTAINER_MEMBERS_MAX; at = next) {
		char *body = end_line(at, end);

		if (!body)
			body = end;
		next = next_section(body, end);
		add_member(c, at + 1, body, next);
	}
	return 0;
}

void container_release(struct container *c)
{
	free(c->copy);
	*c = (struct container){ 0 };
}

/* --- programs --- */

struct section {
	const char *name;
	uint32_t type;
	struct bytes b;
};

enum {
	STRINGS,
	TEXT,
	LINK,
	ALT,
	ID,
	INFO,
	ABBREV,
	STR,
	N_SECTIONS,
};

struct program {
	struct section s[N_SECTIONS];
	bool is_split;
};

static void begin_program(struct program *p)
{
	static const struct section all[N_SECTIONS] = {
		[STRINGS] = { .name = ".shstrtab", .type = SHT_STRTAB },
		[TEXT] = { .name = ".text", .type = SHT_PROGBITS },
		[LINK] = { .name = ".gnu_debuglink", .type = SHT_PROGBITS },
		[ALT] = { .name = ".gnu_debugaltlink", .type = SHT_PROGBITS },
		[ID] = { .name = ".note.gnu.build-id", .type = SHT_NOTE },
		[INFO] = { .name = ".debug_info", .type = SHT_PROGBITS },
		[ABBREV] = { .name = ".debug_abbrev", .type = SHT_PROGBITS },
		[STR] = { .name = ".debug_str", .type = SHT_PROGBITS },
	};

	*p = (struct program){ 0 };
	for (size_t i = 0; i < N_SECTIONS; i++) {
		p->s[i] = all[i];
		bytes_init(&p->s[i].b, false);
	}
	bytes_zeros(&p->s[TEXT].b, 16);
}

static void add_link(struct program *p, const char *name, uint32_t crc)
{
	struct bytes *b = &p->s[LINK].b;

	bytes_strz(b, name);
	bytes_align(b, 4);
	bytes_u32(b, crc);
}

static void add_id(struct program *p, const char *id)
{
	struct bytes *b = &p->s[ID].b;
	size_t len = strnlen(id, ID_MAX);

	bytes_u32(b, sizeof(ELF_NOTE_GNU));
	bytes_u32(b, (uint32_t)len);
	bytes_u32(b, NT_GNU_BUILD_ID);
	bytes_strz(b, ELF_NOTE_GNU);
	bytes_add(b, id, len);
	bytes_align(b, 4);
}

static void abbreviate(struct bytes *b, uint8_t tag, uint8_t form)
{
	bytes_u8(b, 1);
	bytes_u8(b, tag);
	bytes_u8(b, DW_CHILDREN_no);
	if (form) {
		bytes_u8(b, DW_AT_dwo_name);
		bytes_u8(b, form);
		bytes_u8(b, DW_AT_comp_dir);
		bytes_u8(b, form);
	}
	bytes_zeros(b, 3);
}

static void begin_unit(struct bytes *b, uint8_t type, size_t more)
{
	bytes_u32(b, (uint32_t)(8 + (type == DW_UT_compile ? 0 : 8) + 1 + more));
	bytes_u16(b, 5);
	bytes_u8(b, type);
	bytes_u8(b, 8);
	bytes_u32(b, 0);
	if (type != DW_UT_compile)
		bytes_u64(b, 0x1d);
	bytes_u8(b, 1);
}

static void add_skeleton(struct program *p, const char *name, const char *dir, bool inside)
{
	struct bytes *b = &p->s[INFO].b, *str = &p->s[STR].b;

	abbreviate(&p->s[ABBREV].b, DW_TAG_skeleton_unit, inside ? DW_FORM_string : DW_FORM_strp);
	if (inside) {
		begin_unit(b, DW_UT_skeleton, strlen(name) + strlen(dir) + 2);
		bytes_strz(b, name);
		bytes_strz(b, dir);
		return;
	}
	begin_unit(b, DW_UT_skeleton, 8);
	bytes_u32(b, 0);
	bytes_u32(b, (uint32_t)strlen(name) + 1);
	bytes_strz(str, name);
	bytes_strz(str, dir);
}

static void add_unit(struct program *p, bool is_split)
{
	abbreviate(&p->s[ABBREV].b, DW_TAG_compile_unit, 0);
	begin_unit(&p->s[INFO].b, is_split ? DW_UT_split_compile : DW_UT_compile, 0);
	p->is_split = is_split;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void build(const struct container *c, size_t i, struct bytes *out);

/* The CRC of the file with that name among those before the @i-th */
static uint32_t crc_of(const struct container *c, size_t i, const char *name)
{
	while (i-- > 0) {
		const struct container_member *m = &c->v[i];
		struct bytes b;
		uint32_t crc;

		if (m->kind == CONTAINER_FILE && !strcmp(base_name(m->path), name))
			return tfs_crc32(0, m->text, m->len);
		if (m->kind != CONTAINER_ELF || strcmp(base_name(m->path), name) != 0)
			continue;
		build(c, i, &b);
		crc = tfs_crc32(0, b.sb.s, b.sb.len);
		bytes_release(&b);
		return crc;
	}
	return 0;
}

/* A section is what the first line that is about it says. */
static void add_line(struct program *p, const struct container *c, size_t i, char *line)
{
	const char *word = next_word(&line), *name = next_word(&line);
	const char *more = next_word(&line);
	bool inside = !strcmp(word, "dwoin"), is_split = !strcmp(word, "split");

	if (!strcmp(word, "link") && !p->s[LINK].b.sb.len) {
		add_link(p, name, crc_of(c, i, name));
	} else if (!strcmp(word, "alt") && !p->s[ALT].b.sb.len) {
		bytes_strz(&p->s[ALT].b, name);
		bytes_add(&p->s[ALT].b, more, strnlen(more, ID_MAX));
	} else if (!strcmp(word, "id") && !p->s[ID].b.sb.len) {
		add_id(p, name);
	} else if (!p->s[INFO].b.sb.len && (inside || !strcmp(word, "dwo"))) {
		add_skeleton(p, name, more, inside);
	} else if (!p->s[INFO].b.sb.len && (is_split || !strcmp(word, "info"))) {
		add_unit(p, is_split);
	}
}

static size_t name_section(struct program *p, size_t i)
{
	struct bytes *names = &p->s[STRINGS].b;
	size_t at = names->sb.len;

	bytes_text(names, p->s[i].name);
	if (p->is_split && !strncmp(p->s[i].name, ".debug_", 7))
		bytes_text(names, ".dwo");
	bytes_u8(names, 0);
	return at;
}

static void write_head(struct bytes *out, uint64_t table, uint16_t n)
{
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_shoff = table,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = n,
		.e_shstrndx = 1,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = sizeof(head) + sizeof(segment) + 16,
		.p_memsz = sizeof(head) + sizeof(segment) + 16,
		.p_align = 4096,
	};

	bytes_add(out, &head, sizeof(head));
	bytes_add(out, &segment, sizeof(segment));
}

/* Sections in their order, then the table of them; .text is first, where the segment has it. */
static void write_program(struct program *p, struct bytes *out)
{
	Elf64_Shdr table[N_SECTIONS + 1] = { 0 };
	uint64_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
	size_t n = 1;

	bytes_u8(&p->s[STRINGS].b, 0);
	for (size_t i = 0; i < N_SECTIONS; i++)
		if (i == STRINGS || p->s[i].b.sb.len)
			table[n++].sh_name = (Elf64_Word)name_section(p, i);
	n = 1;
	for (size_t i = 0; i < N_SECTIONS; i++) {
		Elf64_Shdr *sh = &table[n];

		if (i != STRINGS && !p->s[i].b.sb.len)
			continue;
		n++;
		sh->sh_type = p->s[i].type;
		sh->sh_size = p->s[i].b.sb.len;
		sh->sh_addralign = 1;
		sh->sh_flags = i == TEXT ? SHF_ALLOC | SHF_EXECINSTR : 0;
	}
	/* .text directly after the head */
	table[2].sh_offset = at;
	table[2].sh_addr = at;
	at += table[2].sh_size;
	for (size_t i = 1; i < n; i++) {
		if (i == 2)
			continue;
		table[i].sh_offset = at;
		at += table[i].sh_size;
	}
	bytes_init(out, false);
	write_head(out, at, (uint16_t)n);
	bytes_add(out, p->s[TEXT].b.sb.s, p->s[TEXT].b.sb.len);
	for (size_t i = 0; i < N_SECTIONS; i++)
		if (i != TEXT && p->s[i].b.sb.len)
			bytes_add(out, p->s[i].b.sb.s, p->s[i].b.sb.len);
	bytes_add(out, table, n * sizeof(table[0]));
}

static void build(const struct container *c, size_t i, struct bytes *out)
{
	const struct container_member *m = &c->v[i];
	char *text = strndup(m->text, m->len), *line = text, *next;
	struct program p;

	if (!text)
		abort();
	begin_program(&p);
	for (; line; line = next) {
		next = end_line(line, line + strlen(line));
		add_line(&p, c, i, line);
	}
	write_program(&p, out);
	for (size_t s = 0; s < N_SECTIONS; s++)
		bytes_release(&p.s[s].b);
	free(text);
}

/* --- the root --- */

/* One part of a path, "" at its end; false for one that is not used */
static bool take_part(const char **path, char part[PART_MAX])
{
	size_t len;

	*path += strspn(*path, "/");
	len = strcspn(*path, "/");
	if (len >= PART_MAX)
		return false;
	memcpy(part, *path, len);
	part[len] = '\0';
	*path += len;
	return true;
}

/* The directory that @path is in, made if need be, and its last part; -1 if there is none. */
static int enter(int root, const char *path, char last[PART_MAX])
{
	char part[PART_MAX];
	int dir = dup(root), parts = 0;

	*last = '\0';
	while (dir >= 0 && take_part(&path, part) && *part && parts < PARTS_MAX) {
		int inner;

		if (!strcmp(part, ".") || !strcmp(part, ".."))
			continue;
		parts++;
		if (*last) {
			mkdirat(dir, last, 0700);
			inner = openat(dir, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			close(dir);
			dir = inner;
		}
		memcpy(last, part, sizeof(part));
	}
	if (dir >= 0 && !*last)
		tfs_close(&dir);
	return dir;
}

static int make_file(int dir, const char *name)
{
	return openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void write_file(int dir, const char *name, const void *text, size_t len)
{
	int fd = make_file(dir, name);

	if (fd >= 0 && tfs_write_all(fd, text, len))
		abort();
	tfs_close(&fd);
}

static void make_sparse(int dir, const char *name)
{
	int fd = make_file(dir, name);

	/* a file system may not have such files */
	if (fd >= 0 && ftruncate(fd, SPARSE_BYTES))
		unlinkat(dir, name, 0);
	tfs_close(&fd);
}

/* A file that exists already stays, so failures do not matter. */
static void make(const struct container *c, size_t i, int dir, const char *name)
{
	const struct container_member *m = &c->v[i];
	struct bytes b;

	switch (m->kind) {
	case CONTAINER_FILE:
		write_file(dir, name, m->text, m->len);
		break;
	case CONTAINER_ELF:
		build(c, i, &b);
		write_file(dir, name, b.sb.s, b.sb.len);
		bytes_release(&b);
		break;
	case CONTAINER_LINK:
		(void)!symlinkat(m->target, dir, name);
		break;
	case CONTAINER_DIR:
		(void)!mkdirat(dir, name, 0700);
		break;
	case CONTAINER_FIFO:
		(void)!mkfifoat(dir, name, 0600);
		break;
	case CONTAINER_SPARSE:
		make_sparse(dir, name);
		break;
	case CONTAINER_MAPS:
		break;
	}
}

void container_make(const struct container *c, int root)
{
	char name[PART_MAX];

	for (size_t i = 0; i < c->n; i++) {
		int dir = enter(root, c->v[i].path, name);

		if (dir < 0)
			continue;
		make(c, i, dir, name);
		close(dir);
	}
}

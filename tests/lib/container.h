/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_CONTAINER_H
#define TESTS_LIB_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A root of a container, written down as text. The first line is a name; then a section for each
 * file, which begins with "@KIND PATH" and goes on to the next line with '@':
 *
 *	@file PATH		the lines that follow are in it
 *	@elf PATH		a program that is made of the lines that follow:
 *		link NAME	.gnu_debuglink, with the checksum of the last file with that name
 *		alt NAME ID	.gnu_debugaltlink
 *		id ID		build-id; the text's bytes
 *		dwo NAME DIR	a skeleton unit (DWARF 5); name and directory in .debug_str
 *		dwoin NAME DIR	the same, in the unit itself
 *		split		the unit that this refers to
 *		info		a whole unit
 *	@link PATH TARGET	a symbolic link
 *	@dir PATH, @fifo PATH, @sparse PATH (30 GiB of nothing)
 *	@maps			what follows is /proc/PID/maps
 *	@old			the kernel has no openat2(2)
 *
 * Whatever the text says, nothing is made outside of the root: ".." and the like are left out of
 * paths, and links in them are not followed.
 */

#define CONTAINER_MEMBERS_MAX 24

enum container_kind {
	CONTAINER_FILE,
	CONTAINER_ELF,
	CONTAINER_LINK,
	CONTAINER_DIR,
	CONTAINER_FIFO,
	CONTAINER_SPARSE,
	CONTAINER_MAPS,
};

/**
 * struct container_member - a file of it
 * @path: as it was written
 * @target: of a link, else ""
 * @text, @len: the lines that follow
 */
struct container_member {
	enum container_kind kind;
	const char *path;
	const char *target;
	const char *text;
	size_t len;
};

struct container {
	char *copy;
	const char *name;
	bool is_old;
	struct container_member v[CONTAINER_MEMBERS_MAX];
	size_t n;
};

/** container_parse() - 0, -1 for what has no first line; what is not understood is left out */
int container_parse(const char *text, size_t size, struct container *c);
/** container_make() - in the directory that @root is; what cannot be made is left out */
void container_make(const struct container *c, int root);
void container_release(struct container *c);

#endif

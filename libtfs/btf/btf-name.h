/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BTF_BTF_NAME_H
#define TFS_BTF_BTF_NAME_H

#include <stdint.h>

struct tfs_btf;
struct tfs_strbuf;

/**
 * tfs_btf_declare() - a type as C declares something of it: "char *buf", "int (*fn)(void *)"
 * @name: of what is declared, "" for the type alone
 *
 * What the bytes get wrong reads "?". Return: 0 or -ENOMEM.
 */
int tfs_btf_declare(const struct tfs_btf *btf, uint32_t type, const char *name,
		    struct tfs_strbuf *out);

/**
 * tfs_btf_prototype() - of a function: "ssize_t vfs_read(struct file *file, char *buf, ...)"
 * @func: its name; what a compiler appended to it (.isra.0) is not looked up: such a copy's
 *	parameters need not be the source's
 *
 * Return: 0; -ENOENT if nothing is known of it; -ENOMEM.
 */
int tfs_btf_prototype(const struct tfs_btf *btf, const char *func, struct tfs_strbuf *out);

#endif

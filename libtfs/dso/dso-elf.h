/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_ELF_H
#define TFS_DSO_DSO_ELF_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dso;

/*
 * For those that read a dso with libelf or libdwfl, and for files that belong to it.
 */

/** tfs_dso_elf() - the dso's; NULL for the running kernel's symbols */
Elf *tfs_dso_elf(const struct tfs_dso *dso);
/** tfs_dso_dwfl() - the module, whose main file has .eh_frame; NULL as tfs_dso_elf() */
Dwfl_Module *tfs_dso_dwfl(const struct tfs_dso *dso);
/** tfs_dso_is_relocatable() - a kernel module (ET_REL): libdwfl chose where its sections are */
bool tfs_dso_is_relocatable(const struct tfs_dso *dso);
/** tfs_dso_code_size() - bytes of executable segments in the file */
uint64_t tfs_dso_code_size(const struct tfs_dso *dso);

/**
 * tfs_dso_root() - descriptor of the directory that stands for /, TFS_NO_ROOT for / itself; other
 * files of the dso are opened below it
 */
int tfs_dso_root(const struct tfs_dso *dso);
/** tfs_dso_symfs() - path of that directory, NULL for / itself */
const char *tfs_dso_symfs(const struct tfs_dso *dso);
/** tfs_dso_is_in_namespace() - that directory is the root of a process that sees other files */
bool tfs_dso_is_in_namespace(const struct tfs_dso *dso);

/**
 * tfs_dso_debug_file() - the file that has the debug information in place of the dso; searches for
 * it when first called: given with --debug, by build-id, debug link or name, from debuginfod
 * Return: a descriptor, the dso's; -1 if there is none, or the dso has debug sections of its own.
 */
int tfs_dso_debug_file(struct tfs_dso *dso);
/** tfs_dso_debug_path() - path of the debug file, NULL if it has none or was not searched for */
const char *tfs_dso_debug_path(const struct tfs_dso *dso);
/** tfs_dso_debug_refused() - why a debug file that was found is not used, "" if there was none */
const char *tfs_dso_debug_refused(const struct tfs_dso *dso);

/** tfs_dso_hex() - bytes of a build-id as text; yours, NULL without memory */
char *tfs_dso_hex(const unsigned char *bytes, size_t n);

/**
 * tfs_dso_attach() - keep something with the dso until it is freed
 * @free_data: called with @data then; identifies what is kept
 *
 * Return: 0; -ENOMEM, with @data still the caller's.
 */
int tfs_dso_attach(struct tfs_dso *dso, void (*free_data)(void *data), void *data);
/** tfs_dso_attached() - what was given with @free_data, NULL if nothing was */
void *tfs_dso_attached(const struct tfs_dso *dso, void (*free_data)(void *data));

#endif

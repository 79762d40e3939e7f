/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_CONSTANTS_H
#define TFS_RECORD_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "base/strvec.h"

struct tfs_strbuf;

/**
 * struct tfs_constants - names that the print formats of recorded events leave unresolved
 *
 * An enumerator that its subsystem did not give to TRACE_DEFINE_ENUM() stands in a format file by
 * its name (include/trace/stages/init.h); its value is in the kernel's type information. A
 * macro is in no type information, and stays a name.
 * @names: each once; @index: where in it a name is, and its value in @found
 * @systems: those of the events that have such names, for their modules
 *
 * A zeroed one has none; release with tfs_constants_release().
 */
struct tfs_constants {
	struct tfs_strmap index;
	struct tfs_strvec names, systems;
	struct tfs_constant *found;
	size_t n, cap;
};

/**
 * tfs_constants_add() - the names of one format file
 * @format: @size bytes of it
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_constants_add(struct tfs_constants *c, const char *system, const char *format, size_t size);

/**
 * tfs_constants_look_up() - append the payload of the option TFS_DAT_PRIVATE_CONSTANTS
 * @btf: directory of the type information: "/sys/kernel/btf"
 *
 * Reads the kernel's, and that of the modules that are called like one of the systems, if there are
 * names that have no value yet. Nothing is appended when nothing is found: a recording can do
 * without. A name that stands for several values is left out.
 * Return: 0 or -ENOMEM.
 */
int tfs_constants_look_up(struct tfs_constants *c, const char *btf, struct tfs_strbuf *payload);

/** tfs_constants_wants() - is this name among them? */
bool tfs_constants_wants(const struct tfs_constants *c, const char *name);
/** tfs_constants_set() - the value of one of the names that is known otherwise */
void tfs_constants_set(struct tfs_constants *c, const char *name, uint64_t value);

void tfs_constants_release(struct tfs_constants *c);

/** tfs_constants_is_module_of() - may a module of this name have this system's events? Pure */
bool tfs_constants_is_module_of(const char *module, const char *system);

#endif

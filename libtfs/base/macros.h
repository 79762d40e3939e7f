/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_MACROS_H
#define TFS_BASE_MACROS_H

#include <stddef.h>

/** ARRAY_SIZE() - number of elements of an array; gcc and clang warn if @a is a pointer */
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/** container_of() - the struct of type @type whose @member is *@ptr */
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif

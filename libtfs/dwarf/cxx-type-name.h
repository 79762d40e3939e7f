/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_CXX_TYPE_NAME_H
#define TFS_DWARF_CXX_TYPE_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_strbuf;

/*
 * One type, and so one function, of C++ is spelled in many ways: "const char *" and "char const*",
 * "long" and "long int", "std::string" and what that stands for. Pure.
 */

/**
 * tfs_cxx_type_name() - append one spelling for all that mean the same
 * @text: a type, a name with arguments of a template, or a list of parameters in its parentheses
 *
 * Text that is no such thing comes out somehow, the same each time.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_cxx_type_name(const char *text, struct tfs_strbuf *out);

/**
 * tfs_cxx_type_name_same() - do two texts mean the same? A name may lack its outermost scopes
 */
bool tfs_cxx_type_name_same(const char *typed, const char *full);

/**
 * tfs_cxx_type_name_split() - where the parameters of a function begin, and its last part
 * @name: "ns::C::operator()(int) const"
 * @params: offset of the parenthesis, the length of @name if it has none
 * @last: offset of the part after the last "::" that is not within brackets
 */
void tfs_cxx_type_name_split(const char *name, size_t *params, size_t *last);

#endif

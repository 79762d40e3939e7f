/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_TYPE_H
#define TFS_DWARF_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/scope.h"

struct tfs_meaning;
struct tfs_strbuf;

/* Classes of types, by how a value can be fetched and printed. */
enum tfs_type_class {
	TFS_TYPE_VOID,
	TFS_TYPE_INT,
	TFS_TYPE_BOOL,
	TFS_TYPE_CHAR, /* C's char, and what is declared as one: text */
	TFS_TYPE_FLOAT,
	TFS_TYPE_ENUM,
	TFS_TYPE_POINTER, /* references too */
	TFS_TYPE_STRUCT,  /* classes and unions too */
	TFS_TYPE_ARRAY,
	TFS_TYPE_OTHER, /* functions, unspecified */
};

/**
 * struct tfs_type - a type without its qualifiers and typedefs
 * @die: not valid for TFS_TYPE_VOID
 * @dim: of an array: how many of its dimensions are already taken
 */
struct tfs_type {
	Dwarf_Die die;
	enum tfs_type_class class;
	bool is_signed;
	unsigned int dim;
};

/** tfs_type_of() - the type of a variable, member, function (its result) or derived type */
int tfs_type_of(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_type *out);

/** tfs_type_size() - size in bytes; 0, or -ENOENT if the debug information does not have it */
int tfs_type_size(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t *size);

/**
 * struct tfs_elements - what an array's next index selects
 * @type: of an element, which may be an array of the other dimensions
 * @first: index of the first one, with @has_first: the language's, 0 in C and 1 in Fortran, or one
 *	that was declared
 * @count: how many there are, with @has_count
 * @stride: bytes from one to the next, with @has_stride
 * @varies: the stride is known when the program runs: of variable-length arrays, of sections
 */
struct tfs_elements {
	struct tfs_type type;
	int64_t first;
	uint64_t count, stride;
	bool has_first, has_count, has_stride, varies;
};

/** tfs_type_elements() - 0; -EINVAL if @type is not an array; -EBADMSG */
int tfs_type_elements(const struct tfs_scope *scope, const struct tfs_type *type,
		      struct tfs_elements *out);

/**
 * tfs_type_described() - is the array a descriptor, with a pointer to its elements?
 * @at: set: where in the descriptor that is, in bytes; @add: the elements are so much further
 *
 * Return: 1; 0: it is where the variable is; -EOPNOTSUPP: its place has to be computed.
 */
int tfs_type_described(const struct tfs_type *type, uint64_t *at, uint64_t *add);

/**
 * tfs_type_element() - tfs_type_elements() of an array whose elements have a known stride
 * @count: elements, 0 if not known; may be NULL
 * @stride: bytes from one to the next
 *
 * Return: 0, -ENOENT if the size is not known, -EINVAL if @type is not an array.
 */
int tfs_type_element(const struct tfs_scope *scope, const struct tfs_type *type,
		     struct tfs_type *element, uint64_t *stride, uint64_t *count);

/** tfs_type_define() - @die of a struct that is only declared becomes that of its definition, if
 * there is one, in a type unit or another unit; of several that differ none is taken */
void tfs_type_define(const struct tfs_scope *scope, Dwarf_Die *die);

/**
 * tfs_type_definitions() - the definitions of a struct that is only declared, those that differ
 * @out: "FILE:LINE (N bytes)" of each is appended, ", " between
 *
 * Return: how many there are.
 */
size_t tfs_type_definitions(const struct tfs_scope *scope, const struct tfs_type *type,
			    struct tfs_strbuf *out);

/**
 * struct tfs_member - a member of a struct
 * @bit: where it begins, in bits from the start of the struct. Big-endian machines count from the
 *	most significant bit of each byte, little-endian ones from the least
 * @bits: size of a bitfield, 0 for an ordinary member
 */
struct tfs_member {
	struct tfs_type type;
	uint64_t bit;
	unsigned int bits;
};

/**
 * tfs_type_member() - find a member, also in unnamed members and base classes
 *
 * Return: 0; -ENOENT no such member; -ENODATA the struct is only declared; -EBADMSG a member at a
 * place that cannot be computed.
 */
int tfs_type_member(const struct tfs_scope *scope, const struct tfs_type *type, const char *name,
		    struct tfs_member *out);

/** tfs_type_members() - names of the members, for messages: at most @max, ", " between */
int tfs_type_members(const struct tfs_type *type, unsigned int max, struct tfs_strbuf *out);

/**
 * struct tfs_row - text, or a row of elements, that a struct of a library points at: C++'s
 * std::string, Rust's &str, a slice of Go's
 * @data: the pointer; its type is not valid if the struct is only declared
 * @len: how many elements, if @sized; else a zero byte ends them
 * @element: of what
 * @text: bytes of text
 * @type: @len is not a length, but identifies the type of what @data points at (an interface of
 *	Go's)
 */
struct tfs_row {
	struct tfs_member data;
	struct tfs_member len;
	struct tfs_type element;
	bool text;
	bool sized;
	bool type;
};

/** tfs_type_row() - the row a struct stands for; 0, -ENOENT if it is none, -ENOMEM */
int tfs_type_row(const struct tfs_scope *scope, const struct tfs_type *type, struct tfs_row *out);

/**
 * enum tfs_holds - how a class of C++'s library holds something
 * @TFS_HOLDS_POINTER: by a pointer: std::unique_ptr, std::shared_ptr
 * @TFS_HOLDS_VALUE: in itself, if at all: std::optional
 * @TFS_HOLDS_ARRAY: in itself, several: std::array
 * @TFS_HOLDS_ROW: by a pointer to the first of several: std::vector
 */
enum tfs_holds {
	TFS_HOLDS_POINTER,
	TFS_HOLDS_VALUE,
	TFS_HOLDS_ARRAY,
	TFS_HOLDS_ROW,
};

/**
 * struct tfs_held - what it holds
 * @what: the pointer, value or array in it
 * @flag: of TFS_HOLDS_VALUE: is there a value?
 */
struct tfs_held {
	enum tfs_holds how;
	struct tfs_member what;
	struct tfs_member flag;
};

/** tfs_type_held() - what a class holds; 0, -ENOENT if it is none of these, -ENOMEM */
int tfs_type_held(const struct tfs_scope *scope, const struct tfs_type *type, struct tfs_held *out);

/**
 * tfs_type_enumerators() - the names of an enumeration's values
 * @bits: of the field; values are cut to them
 * @out: added to. With too many names, or ones that are too long, the rest is left out
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_type_enumerators(const struct tfs_type *type, unsigned int bits, struct tfs_meaning *out);

/** tfs_type_is_reference() - the variable stands for what it refers to (C++, Rust) */
bool tfs_type_is_reference(const struct tfs_type *type);

/** tfs_type_name() - append the type of @die (a variable, ...) as C writes it; 0 or -ENOMEM */
int tfs_type_name(Dwarf_Die *die, struct tfs_strbuf *out);

/** tfs_type_uint() - a constant attribute, followed through origins; false if there is none */
bool tfs_type_uint(Dwarf_Die *die, unsigned int name, uint64_t *out);

/** tfs_var_name() - name, followed through origins; NULL if it has none */
const char *tfs_var_name(Dwarf_Die *die);

#endif

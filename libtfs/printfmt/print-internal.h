/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_INTERNAL_H
#define TFS_PRINTFMT_PRINT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "printfmt/print-tree.h"
#include "printfmt/program-internal.h"

/** TFS_PRINT_DEPTH - expressions within expressions that are followed */
#define TFS_PRINT_DEPTH 300

/**
 * struct tfs_name - one that a block declares
 * @value: what it was set to; NULL: nothing yet
 * @is_role: it is a union kvm_mmu_page_role
 */
struct tfs_name {
	const struct tfs_node *declared;
	bool is_role;
	struct tfs_node *value;
	struct tfs_name *outer;
};

/**
 * struct tfs_print - a parsed print format being compiled
 * @c: what operations are added by; @c.depth is of both passes
 * @source: what is compiled, @tree: parsed
 * @names: declared by the blocks around, innermost first
 * @column: within a TFS_OP_COLUMN_BEGIN: there is no second one
 * @nested: within a text that ends at a zero character
 * @table: within one of flags or symbols, where no name is a symbol's
 */
struct tfs_print {
	struct tfs_compiler c;
	const struct tfs_print_source *source;
	struct tfs_tree tree;
	struct tfs_name *names;
	bool column, nested, table;
};

/**
 * struct tfs_spot - bytes of a record that an expression points to
 * @field: the one that they are in
 * @dynamic: they are where the field says
 * @add: bytes from there
 * @type: of what is there: ->size 0 when it is not said
 */
struct tfs_spot {
	const struct tep_format_field *field;
	bool dynamic;
	uint64_t add;
	struct tfs_ctype type;
};

/* --- print-resolve.c */

/**
 * tfs_print_resolve() - set the type of @n and of what it is made of, and compute what is constant
 *
 * C's rules: promotion, usual arithmetic conversions. Refuses what has no value that is known.
 */
void tfs_print_resolve(struct tfs_print *p, struct tfs_node *n);
/** tfs_print_field() - the field of that name, NULL: none */
const struct tep_format_field *tfs_print_field(const struct tfs_print *p, const struct tfs_node *n);
/** tfs_print_named() - the field of "name" or "name[i]", the i-th of that name; NULL: none */
const struct tep_format_field *tfs_print_named(const struct tfs_print *p, const struct tfs_node *n);
/** tfs_print_spot() - does @n point into the record? */
bool tfs_print_spot(struct tfs_print *p, struct tfs_node *n, struct tfs_spot *spot);
/** tfs_print_size_of() - bytes of a type that one of the event's fields has; 0: none has it */
unsigned int tfs_print_size_of(const struct tfs_print *p, const char *type, size_t len);
/** tfs_print_common() - the type in which numbers of two types meet */
struct tfs_ctype tfs_print_common(struct tfs_ctype a, struct tfs_ctype b);
/** tfs_print_fit() - a 64-bit @value as one of @type has it: extended to 64 bits by its sign */
uint64_t tfs_print_fit(struct tfs_ctype type, uint64_t value);
/** tfs_print_unwrap() - @n without casts */
struct tfs_node *tfs_print_unwrap(struct tfs_node *n);
/** tfs_print_operator() - the interpreter's operator for numbers of @type */
enum tfs_operator tfs_print_operator(enum tfs_node_op op, bool is_signed);

/** struct tfs_print_mark - how far a compilation was; from tfs_print_mark() */
struct tfs_print_mark {
	size_t n_ops, bound;
	struct tfs_print at;
};

struct tfs_print_mark tfs_print_mark(const struct tfs_print *p);
/** tfs_print_back() - was something refused since? Then it is undone, and not refused any more */
bool tfs_print_back(struct tfs_print *p, const struct tfs_print_mark *mark);
/* --- print-value.c */

/** tfs_print_value() - @n as a number into the value, extended to 64 bits by its type */
void tfs_print_value(struct tfs_print *p, struct tfs_node *n);
/** tfs_print_low() - the same, of which only the lower 32 bits count */
void tfs_print_low(struct tfs_print *p, struct tfs_node *n);
/** tfs_print_at() - set where @op finds @spot in a record */
void tfs_print_at(struct tfs_print *p, const struct tfs_spot *spot, struct tfs_op *op);

/* --- print-text.c */

/** tfs_print_text() - @n as "%s" shows it in @style's column */
void tfs_print_text(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style);
/** tfs_print_is_fetched() - is @n a string that a probe's fetch-arg reads? */
bool tfs_print_is_fetched(const struct tfs_print *p, struct tfs_node *n);
/**
 * tfs_print_fetched() - such a string in quotes, or (fault) where it could not be read
 *
 * One that was read has its zero character in the record, so that only the others have no bytes
 * (print_type_string() of the kernel's trace_probe.c).
 */
void tfs_print_fetched(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style);
/** tfs_print_literal() - text as it stands */
void tfs_print_literal(struct tfs_print *p, const char *text, size_t len);
/** tfs_print_column() - begin a column if @style asks for any; @style is plain afterwards */
struct tfs_op tfs_print_column(struct tfs_print *p, struct tfs_op *style);
/** tfs_print_column_end() - @column is from tfs_print_column() */
void tfs_print_column_end(struct tfs_print *p, const struct tfs_op *column);

/* --- print-pointer.c */

/** tfs_print_pointer() - "%p" and what follows it, @len characters at @suffix */
void tfs_print_pointer(struct tfs_print *p, struct tfs_node *n, const char *suffix, size_t len,
		       struct tfs_op *style);

/* --- print-meaning.c */

/** tfs_print_meaning() - what the number that @n takes from a field stands for; NULL: a number */
const struct tfs_meaning *tfs_print_meaning(struct tfs_print *p, struct tfs_node *n);
/**
 * tfs_print_meant() - print it instead of the number
 * @number: what prints the number, for an enumeration that has no such value
 */
void tfs_print_meant(struct tfs_print *p, struct tfs_node *n, const struct tfs_meaning *means,
		     struct tfs_op *number);

/* --- print-written.c */

/**
 * tfs_print_written() - an argument that cannot be computed: as the format has it, with the values
 * of fields in their place
 *
 * "f(REC->x, 500)" is "f(0x1f, 500)". A buffer of the record into which the kernel's function
 * writes, its size, and the trace_seq "p" are left out.
 */
void tfs_print_written(struct tfs_print *p, struct tfs_node *n, struct tfs_op style);

/* --- print-decoders.c */

/**
 * tfs_print_decoder() - the text of @call, a function of the kernel whose result is known in part
 *
 * Return: false with nothing done when it is not one of them, or a plugin of libtraceevent knows
 * it: plugin_xen has the names of hypercalls.
 */
bool tfs_print_decoder(struct tfs_print *p, const struct tfs_node *call);

/* --- print-compile.c */

/** tfs_print_format() - text and conversions of @format with the arguments from @args on */
void tfs_print_format(struct tfs_print *p, const struct tfs_node *format, struct tfs_node *args);

#endif

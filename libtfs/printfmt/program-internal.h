/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PROGRAM_INTERNAL_H
#define TFS_PRINTFMT_PROGRAM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/copy.h"
#include "printfmt/env.h"
#include "printfmt/program.h"

struct tep_format_field;
struct tep_print_arg;
struct tfs_conv;
struct tfs_strbuf;

/** TFS_COLUMN_MAX - the widest column, by the format or by a record's '*' */
#define TFS_COLUMN_MAX 4096

/** TFS_BOUND_MAX - a program ends where it could write more than this, though it need not */
#define TFS_BOUND_MAX (2 * TFS_TEXT_MAX)
/** TFS_STACK_MAX - operands that wait for their operator */
#define TFS_STACK_MAX 16
/**
 * TFS_RUN_ON - bytes after a record that an unterminated string may run into; they are those that
 * libtraceevent gets (decode/event-text.c)
 */
#define TFS_RUN_ON 128

/**
 * enum tfs_opcode - one step; "value" is the accumulator
 *
 * All that the interpreter does not do on the spot is a writer of program-write.c.
 */
enum tfs_opcode {
	TFS_OP_END,
	/* values */
	TFS_OP_CONST, /* imm */
	TFS_OP_LOAD1, /* at off */
	TFS_OP_LOAD2,
	TFS_OP_LOAD4,
	TFS_OP_LOAD8,
	TFS_OP_LOAD1S, /* as LOAD1, with the number's sign */
	TFS_OP_LOAD2S,
	TFS_OP_LOAD4S,
	TFS_OP_MASK, /* value & imm */
	TFS_OP_PUSH,
	TFS_OP_BINARY,     /* kind: popped OP value */
	TFS_OP_BINARY_IMM, /* kind: value OP imm */
	/* values that are rare */
	TFS_OP_SWAP2, /* as LOAD2, of the other byte order */
	TFS_OP_SWAP4,
	TFS_OP_SWAP8,
	TFS_OP_NOT,
	TFS_OP_INVERT,
	TFS_OP_NEGATE,
	TFS_OP_EXTEND,  /* the sign of its size bytes */
	TFS_OP_BSWAP,   /* of its size bytes */
	TFS_OP_MSECS,   /* jiffies to milliseconds: imm a second */
	TFS_OP_ELEMENT, /* value-th of the size-byte elements at off, aux bytes apart */
	TFS_OP_DYN_ELEMENT,
	TFS_OP_DYN_LEN,
	TFS_OP_STAR, /* value is the '*' of the next conversion */
	/* control: off is an index */
	TFS_OP_JUMP,
	TFS_OP_JUMP_ZERO,
	/* text */
	TFS_OP_LITERAL, /* off bytes at text */
	TFS_OP_D32,     /* %d of an int, %u, %x, of 32 and 64 bits: value */
	TFS_OP_D64,
	TFS_OP_U32,
	TFS_OP_U64,
	TFS_OP_X32,
	TFS_OP_X64,
	TFS_OP_X32_ZERO, /* %08x: width digits */
	TFS_OP_X64_ZERO,
	TFS_OP_STRING, /* aux bytes at off */
	TFS_OP_STRING16,
	/* a literal and the step after it: these three steps, or two, in one */
	TFS_OP_LITERAL_D32,
	TFS_OP_LITERAL_U32,
	TFS_OP_LITERAL_X32,
	TFS_OP_LITERAL_D64,
	TFS_OP_LITERAL_U64,
	TFS_OP_LITERAL_X64,
	TFS_OP_LITERAL_STRING16,
	/* text by a writer */
	TFS_OP_NUMBER,
	TFS_OP_WRITTEN, /* a number in a call that is shown: "9", "0x1f", "-5" */
	TFS_OP_CHAR,
	TFS_OP_POINTER,
	TFS_OP_FUNCTION,
	TFS_OP_STACK,     /* functions at the addresses of size bytes, a line each, up to a zero */
	TFS_OP_LAYERS,    /* value elements of size bytes, their flags at most aux bytes long */
	TFS_OP_UNTRUSTED, /* value characters of a dynamic text, those escaped that it may abuse */
	TFS_OP_STYLED,    /* TFS_OP_STRING in a column */
	TFS_OP_REST,      /* string from off to the record's end */
	TFS_OP_DYN_STRING,
	TFS_OP_CONST_STRING,
	TFS_OP_KERNEL_STRING, /* kind: its escapes are resolved */
	TFS_OP_PACKED, /* by the format whose address, of size bytes, is at off: arguments at aux */
	TFS_OP_FLAGS,
	TFS_OP_SYMBOLIC,
	TFS_OP_NAMED, /* an enumerator of aux bytes; as TFS_OP_NUMBER where none has the value */
	TFS_OP_FLOAT, /* a floating-point number of size bytes */
	TFS_OP_HEX,   /* value bytes */
	TFS_OP_ARRAY, /* value elements of size bytes */
	TFS_OP_BITMASK,
	TFS_OP_CPUMASK,
	TFS_OP_MAC,
	TFS_OP_IP4,
	TFS_OP_IP6,
	TFS_OP_SOCKADDR,
	TFS_OP_UUID,
	TFS_OP_LIST,         /* "{1,-2}": value numbers of size bytes, as kind and style say */
	TFS_OP_DUMP,         /* value bytes, aux of them at most (0: any number) */
	TFS_OP_ERROR,        /* "%pe" */
	TFS_OP_BITMAP,       /* value bits, as "%*pb"; style PLAIN: "%*pbl" */
	TFS_OP_COLUMN_BEGIN, /* what is written from here on ... */
	TFS_OP_COLUMN_END,   /* ... to here is one column */
	TFS_OP_RAW,
	TFS_OP_CONTENT, /* a whole field, aux bytes at off; kind: which string it is, 0: none */
	TFS_OP_CUT,     /* the text may become too long from here on: TFS_TEXT_MAX */
};

/** enum tfs_style - of a conversion, and variants of a writer */
enum tfs_style {
	TFS_STYLE_LEFT = 1 << 0,
	TFS_STYLE_ZERO = 1 << 1,
	TFS_STYLE_PLUS = 1 << 2,
	TFS_STYLE_ALT = 1 << 3,
	TFS_STYLE_SIGNED = 1 << 4,
	TFS_STYLE_UPPER = 1 << 5,
	TFS_STYLE_STAR_WIDTH = 1 << 6,
	TFS_STYLE_STAR_PREC = 1 << 7,
	TFS_STYLE_DYNAMIC = 1 << 8,  /* off is where offset and length are */
	TFS_STYLE_RELATIVE = 1 << 9, /* ... counted from their own end */
	TFS_STYLE_REVERSE = 1 << 10, /* bytes in the other order */
	TFS_STYLE_SHORT = 1 << 11,   /* %pI6c */
	TFS_STYLE_PORT = 1 << 12,    /* %pISp */
	TFS_STYLE_PLAIN = 1 << 13,   /* %pi4, %pi6: zeros or no colons; %pm; __print_hex_str() */
	TFS_STYLE_OFFSET = 1 << 14,  /* %pS: "+0x1f" */
	TFS_STYLE_KERNEL = 1 << 15,  /* as the kernel's vsnprintf() does, where printf() does not */
	TFS_STYLE_SPACE = TFS_STYLE_PLAIN, /* "% d"; of numbers */
};

/** enum tfs_operator - binary ones */
enum tfs_operator {
	TFS_ADD,
	TFS_SUB,
	TFS_MUL,
	TFS_DIV,
	TFS_MOD,
	TFS_AND,
	TFS_OR,
	TFS_SHL,
	TFS_SHR,
	TFS_LAND,
	TFS_LOR,
	TFS_EQ,
	TFS_NE,
	TFS_LT,
	TFS_LE,
	TFS_GT,
	TFS_GE,
	TFS_XOR,
	/* of signed numbers */
	TFS_SDIV,
	TFS_SMOD,
	TFS_SSHR,
	TFS_SLT,
	TFS_SLE,
	TFS_SGT,
	TFS_SGE,
};

/** struct tfs_choice - one of __print_flags() or __print_symbolic(); @text is in its column */
struct tfs_choice {
	uint64_t value;
	const char *text;
	uint32_t len;
};

/**
 * struct tfs_choices - @n of them: flags in the format's order, symbols sorted by value */
struct tfs_choices {
	const char *delim;
	uint32_t delim_len;
	uint32_t n;
	bool sign;
	struct tfs_choice row[];
};

/**
 * struct tfs_op - see enum tfs_opcode
 * @size: bytes of a number or of an element
 * @kind: enum tfs_operator; base of a number; delimiter of a byte dump
 * @style: enum tfs_style
 * @width: of the column
 * @prec: the precision, -1 for none
 * @off, @aux: places in the record, sizes, lengths, jump targets
 */
struct tfs_op {
	uint8_t code, size, kind;
	uint16_t style, width;
	int16_t prec;
	uint32_t off, aux;
	union {
		uint64_t imm;
		const char *text;
		const struct tfs_choices *choices;
	};
};

/**
 * struct tfs_program - see program.h
 * @need: bytes that a record must have to be printed here
 * @bound: bytes that one run writes at most, without what tfs_run_room() asked for
 * @owned: what the operations point into, @n_owned pieces
 * @n_strings: of fields that are shown as they are
 * @partial: see tfs_program_is_partial()
 */
struct tfs_program {
	const struct tfs_format_env *env;
	size_t need, bound;
	struct tfs_op *ops;
	size_t n_ops, cap_ops;
	void **owned;
	size_t n_owned, cap_owned;
	unsigned int n_strings;
	bool partial;
};

/**
 * struct tfs_run - one record being printed
 * @limit: bytes of @data that may be looked at
 * @end: end of the room in @out, or the limit of the text: whichever comes first
 * @start: where in @out this record's text begins
 * @star: value of a '*'
 * @column: where in @out the column that is being written began
 * @bytes: see struct tfs_raw
 * @rc: what the run ends with when a writer returns NULL; 0: the text is cut where @out ends
 */
struct tfs_run {
	const struct tfs_program *program;
	const unsigned char *data;
	size_t size, limit;
	struct tfs_strbuf *out;
	char *end;
	size_t start;
	int star;
	size_t column;
	uint64_t bytes;
	int rc;
};

/** tfs_run_limit() - bytes of a record that may be looked at: what libtraceevent is shown of it */
size_t tfs_run_limit(const struct tfs_program *p, size_t size, size_t room);
/** tfs_run_program() - @r is set but for its output; as tfs_program_run() */
int tfs_run_program(struct tfs_run *r);

/* --- the record and the room for its text: program-room.c */

/** tfs_run_array() - where @n elements of @size bytes are; NULL: the record has not so many */
const unsigned char *tfs_run_array(const struct tfs_run *r, const struct tfs_op *op, uint64_t n,
				   size_t size);
/**
 * tfs_run_room() - room for @n more bytes at @q, and what the rest of the program needs
 *
 * Return: where @q is now, or NULL, also when the text is longer than TFS_TEXT_MAX.
 */
char *tfs_run_room(struct tfs_run *r, char *q, size_t n);
/** tfs_run_cut() - end the text at @q, because it is or may become too long. Return: NULL */
char *tfs_run_cut(struct tfs_run *r, const char *q);
/** tfs_run_dynamic() - where the dynamic field's data are; false: not in the record */
bool tfs_run_dynamic(const struct tfs_run *r, const struct tfs_op *op, size_t *at, size_t *len);
/** tfs_run_set_end() - for a text from @start: as far as there is room, or as it may be long */
void tfs_run_set_end(struct tfs_run *r, char *start);
/** tfs_run_load() - a number at @at, which is in the record */
uint64_t tfs_run_load(const struct tfs_run *r, size_t at, unsigned int size);

/* --- writing: program-write.c, program-address.c */

/** tfs_write_op() - do a "text by a writer"; NULL: end with @r->rc */
char *tfs_write_op(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t value);
/** tfs_write_unescaped() - @len bytes of a string of printk_formats, which spells "\n" and "\t" */
char *tfs_write_unescaped(struct tfs_run *r, char *q, const char *s, size_t len);
/** tfs_write_content() - the same for TFS_OP_CONTENT */
char *tfs_write_content(struct tfs_run *r, const struct tfs_op *op, char *q);
/** tfs_write_address() - the same for those of network addresses */
char *tfs_write_address(struct tfs_run *r, const struct tfs_op *op, char *q);
/** tfs_write_column() - @len bytes at @s in @op's column, width and precision resolved */
char *tfs_write_column(char *q, const struct tfs_op *op, const char *s, size_t len);

/** tfs_compute_signed() - the operators from TFS_XOR on, of 64 bits; as tfs_compute() */
bool tfs_compute_signed(enum tfs_operator kind, uint64_t a, uint64_t b, uint64_t *val);

/**
 * tfs_compute() - an operator as libtraceevent executes it: 64 bits, unsigned
 *
 * Return: false for a division by zero.
 */
static inline __attribute__((always_inline)) bool tfs_compute(enum tfs_operator kind, uint64_t a,
							      uint64_t b, uint64_t *val)
{
	switch (kind) {
	case TFS_ADD:
		*val = a + b;
		break;
	case TFS_SUB:
		*val = a - b;
		break;
	case TFS_MUL:
		*val = a * b;
		break;
	case TFS_DIV:
		if (!b)
			return false;
		*val = a / b;
		break;
	case TFS_MOD:
		if (!b)
			return false;
		*val = a % b;
		break;
	case TFS_AND:
		*val = a & b;
		break;
	case TFS_OR:
		*val = a | b;
		break;
	case TFS_SHL:
		*val = a << (b & 63);
		break;
	case TFS_SHR:
		*val = a >> (b & 63);
		break;
	case TFS_LAND:
		*val = a && b;
		break;
	case TFS_LOR:
		*val = a || b;
		break;
	case TFS_EQ:
		*val = a == b;
		break;
	case TFS_NE:
		*val = a != b;
		break;
	case TFS_LT:
		*val = a < b;
		break;
	case TFS_LE:
		*val = a <= b;
		break;
	case TFS_GT:
		*val = a > b;
		break;
	case TFS_GE:
		*val = a >= b;
		break;
	default:
		return tfs_compute_signed(kind, a, b, val);
	}
	return true;
}

/* --- compiling: program.c, program-value.c, program-text.c */

/**
 * struct tfs_compiler - an event being compiled
 * @rc: the first failure; everything after it does nothing
 * @reason: why, with -EOPNOTSUPP
 * @depth: of the expression; @stack: operands waiting
 * @kernel: fields are shown with the kernel's values, not with libtraceevent's
 */
struct tfs_compiler {
	struct tep_event *event;
	const struct tfs_format_env *env;
	struct tfs_program *program;
	int rc;
	const char *reason;
	int depth, stack;
	bool kernel;
};

/** tfs_refuse() - this event is for libtraceevent */
void tfs_refuse(struct tfs_compiler *c, const char *reason);
/** tfs_emit() - add an operation that writes at most @bound bytes; its index */
size_t tfs_emit(struct tfs_compiler *c, const struct tfs_op *op, size_t bound);
/** tfs_jump_here() - the jump at @index goes to what is emitted next */
void tfs_jump_here(struct tfs_compiler *c, size_t index);
/** tfs_fuse() - the program is complete: merge sequences of steps into one */
void tfs_fuse(struct tfs_program *p);
/** tfs_own() - @p is freed with the program; on failure at once, and NULL is returned */
void *tfs_own(struct tfs_compiler *c, void *p);
/** tfs_own_text() - a copy of @len bytes; TFS_COPY_SLACK more can be read */
const char *tfs_own_text(struct tfs_compiler *c, const char *text, size_t len);
/** tfs_deeper() - enter an expression; false when it is too deep. Leave with --c->depth */
bool tfs_deeper(struct tfs_compiler *c);

/** tfs_measure() - first of all: what a record must have, and room for one; refuses odd fields */
void tfs_measure(struct tfs_compiler *c);
/** tfs_compile_conv() - one conversion with its argument */
void tfs_compile_conv(struct tfs_compiler *c, const struct tfs_conv *conv);
/** tfs_compile_field() - the number in a field into the value */
void tfs_compile_field(struct tfs_compiler *c, const struct tep_format_field *f);
/** tfs_arg_field() - the field that @arg names, casts left aside; NULL: none */
const struct tep_format_field *tfs_arg_field(const struct tfs_compiler *c,
					     const struct tep_print_arg *arg);
/** tfs_dynamic() - style of a field that holds offset and length */
uint16_t tfs_dynamic(struct tfs_compiler *c, const struct tep_format_field *f);
/** tfs_compile_value() - @arg as a number into the value */
void tfs_compile_value(struct tfs_compiler *c, const struct tep_print_arg *arg);
/** tfs_value_is_const() - is @arg the same for all records? */
bool tfs_value_is_const(struct tfs_compiler *c, const struct tep_print_arg *arg, uint64_t *val);
/** tfs_compile_text() - @arg as a string in the column that @style describes */
void tfs_compile_text(struct tfs_compiler *c, const struct tep_print_arg *arg,
		      const struct tfs_op *style);
/** tfs_compile_pointer() - %p and its kin; @suffix is what follows the 'p' */
void tfs_compile_pointer(struct tfs_compiler *c, const struct tep_print_arg *arg,
			 const char *suffix, const struct tfs_op *style);
/** tfs_pointer_suffix() - how many characters after a 'p' belong to it */
size_t tfs_pointer_suffix(const char *suffix);

#endif

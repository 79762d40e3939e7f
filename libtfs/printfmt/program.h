/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PROGRAM_H
#define TFS_PRINTFMT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tep_event;
struct tfs_format_env;
struct tfs_meaning;
struct tfs_strbuf;

/**
 * struct tfs_program - an event's print format, made ready to run on records
 *
 * libtraceevent's parsed tree as a list of operations with everything resolved that does not depend
 * on the record; prints the bytes that tep_print_event() does. Read only once compiled: any number
 * of threads may run it.
 */
struct tfs_program;

/** TFS_TEXT_MAX - bytes of one record's text; a longer one is cut, and TFS_TEXT_CUT appended */
#define TFS_TEXT_MAX ((size_t)1 << 20)
#define TFS_TEXT_CUT " [CUT AT 1 MiB]"
/** TFS_FIRST_PAGE - functions are at this address and above */
#define TFS_FIRST_PAGE 4096
/** tfs_text_cut() - end the text that begins at @start of @out there. Return: 0 or -ENOMEM */
int tfs_text_cut(struct tfs_strbuf *out, size_t start);

/**
 * tfs_program_compile() - make a program of @event's print format
 * @event: parsed; borrowed during the call only
 * @env: borrowed; outlives the program
 * @out: set on success; release with tfs_program_free()
 * @reason: may be NULL; with -EOPNOTSUPP set to what is not supported, a static text
 *
 * A handler that a plugin registered is not looked at. Not while another thread is in
 * libtraceevent.
 *
 * Return: 0, -EOPNOTSUPP or -ENOMEM.
 */
int tfs_program_compile(struct tep_event *event, const struct tfs_format_env *env,
			struct tfs_program **out, const char **reason);
/**
 * struct tfs_print_source - an event's print format as the kernel has it
 * @event: for its fields; how libtraceevent understood its print format does not matter
 * @text: the text after "print fmt:" in the format file, @size bytes; may be anything
 * @layout: lay it out as libtraceevent's plugin does (print-layout.h)
 * @means: what the number in a field stands for, which is printed in its place; NULL: what it is.
 *	May be NULL
 * @context: first argument of @means
 */
struct tfs_print_source {
	struct tep_event *event;
	const char *text;
	size_t size;
	bool layout;
	const struct tfs_meaning *(*means)(const void *context, const char *field);
	const void *context;
};

/**
 * tfs_program_compile_print() - make a program that prints what the kernel prints
 *
 * Computes with C's types and prints as the kernel's vsnprintf() and its __print_...() helpers do;
 * pointers and symbols as @env says. Otherwise as tfs_program_compile(); what is refused is what
 * depends on memory that is not in the record, or on names that @env does not know. -ENOENT: there
 * is no such layout.
 */
int tfs_program_compile_print(const struct tfs_print_source *source,
			      const struct tfs_format_env *env, struct tfs_program **out,
			      const char **reason);
void tfs_program_free(struct tfs_program *program);
/** tfs_program_is_partial() - is something shown as the format has it, not computed? */
bool tfs_program_is_partial(const struct tfs_program *program);

/**
 * tfs_program_run() - append a record's text
 * @data: @size bytes that are the record's; @room bytes can be read, @size or more
 *
 * Return: 0; 1 when this record is for libtraceevent to print (shorter than its fields, an offset
 * out of it, a division by zero, ...), and nothing was appended; -ENOMEM.
 */
int tfs_program_run(const struct tfs_program *program, struct tfs_strbuf *out, const void *data,
		    size_t size, size_t room);

/** tfs_program_bound() - room that tfs_program_put() must have */
size_t tfs_program_bound(const struct tfs_program *program);
/**
 * tfs_program_put() - tfs_program_run() in the middle of a line, for what runs for every record
 * @out: grows when a text is longer than can be known beforehand: it may move
 * @q: where in @out to write; what is before is kept. There is room for tfs_program_bound() bytes
 *
 * Return: the end of the text, which is not terminated; @out->len is of no meaning then. NULL: this
 * record is for tfs_program_run() or libtraceevent, and nothing at @q counts.
 */
char *tfs_program_put(const struct tfs_program *program, struct tfs_strbuf *out, char *q,
		      const void *data, size_t size, size_t room);

/**
 * enum tfs_fields_style - how numbers are shown that the print format does not show
 * @TFS_FIELDS_LIBRARY: as libtraceevent shows them
 * @TFS_FIELDS_KERNEL: small ones with their sign, and the numbers of an array one by one
 */
enum tfs_fields_style { TFS_FIELDS_LIBRARY, TFS_FIELDS_KERNEL };

/**
 * tfs_program_compile_fields() - print all fields as " name=value" instead of the print format
 * @before: text before the first field
 *
 * A number that the print format shows is printed in the same way.
 * Return: as tfs_program_compile().
 */
int tfs_program_compile_fields(struct tep_event *event, const struct tfs_format_env *env,
			       const char *before, enum tfs_fields_style style,
			       struct tfs_program **out);

/**
 * struct tfs_raw - a record of which all fields are shown
 * @size: bytes of it at @data, of which @room can be read
 * @bytes: strings that are shown as bytes, from tfs_program_bytes()
 */
struct tfs_raw {
	const void *data;
	size_t size, room;
	uint64_t bytes;
};

/** tfs_program_run_fields() - append its text: as tfs_program_run() */
int tfs_program_run_fields(const struct tfs_program *program, struct tfs_strbuf *out,
			   const struct tfs_raw *raw);

/**
 * tfs_program_bytes() - which strings are shown as bytes from this record on
 * @bytes: what was returned for the record of the event before it; 0 at first
 *
 * libtraceevent does not take a field for a string any more once it held a character that cannot be
 * printed: what is shown depends on the records before. A bit for each.
 */
uint64_t tfs_program_bytes(const struct tfs_program *program, const void *data, size_t size,
			   size_t room, uint64_t bytes);

/** tfs_program_set_strings() - let libtraceevent show the next record of @event with @bytes */
void tfs_program_set_strings(const struct tfs_program *program, struct tep_event *event,
			     uint64_t bytes);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FORMAT_PROGRAM_H
#define TFS_FORMAT_PROGRAM_H

#include <stddef.h>

struct tep_event;
struct tfs_format_env;
struct tfs_strbuf;

/**
 * struct tfs_program - an event's print format, made ready to run on records
 *
 * libtraceevent's parsed tree as a list of operations with everything resolved that does not depend
 * on the record; prints the bytes that tep_print_event() does. Read only once compiled: any number
 * of threads may run it.
 */
struct tfs_program;

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
void tfs_program_free(struct tfs_program *program);

/**
 * tfs_program_run() - append a record's text
 * @data: @size bytes that are the record's; @room bytes can be read, @size or more
 *
 * Return: 0; 1 when this record is for libtraceevent to print (shorter than its fields, an offset
 * out of it, a division by zero, ...), and nothing was appended; -ENOMEM.
 */
int tfs_program_run(const struct tfs_program *program, struct tfs_strbuf *out, const void *data,
		    size_t size, size_t room);

#endif

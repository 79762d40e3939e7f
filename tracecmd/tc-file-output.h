/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_FILE_OUTPUT_H
#define TC_FILE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/opt.h"
#include "rewrite/dat-out.h"

struct tfs_dat;
struct tfs_err;
struct tfs_image;
struct tfs_out_file;

/**
 * struct file_output - the options of verbs that write a recording: the first member of a request
 * @path: -o
 * @version: --file-version as typed; NULL: the input's
 * @compression: --compression as typed; NULL: the input's
 */
struct file_output {
	const char *path, *version, *compression;
	bool quiet;
};

/** file_output_options - a table of them, over a request that begins with struct file_output */
extern const struct tc_option file_output_options[];

/** file_output_check() - what can be wrong with them; pure. 0 or -EINVAL with @err set */
int file_output_check(const struct file_output *o, struct tfs_err *err);

/**
 * file_output_form() - how the file is to be stored
 * @dat: decides what was not given: its version and compression, or what comes close
 */
int file_output_form(const struct file_output *o, const struct tfs_dat *dat,
		     struct tfs_dat_form *form, struct tfs_err *err);

/**
 * file_output_open() - begin a file, which gets its name when it is complete
 * @inputs: @n open recordings, none of which is overwritten; who may read the file is who may read
 *          all of them
 *
 * Return: 0 or -errno with @err set.
 */
int file_output_open(const char *path, struct tfs_dat *const *inputs, size_t n,
		     struct tfs_out_file **out, struct tfs_err *err);

/** FILE_INPUT_OPTION - the row of -i, of verbs that read one file; REQUEST has a member @input */
#define FILE_INPUT_OPTION(REQUEST)                                                            \
	{                                                                                     \
		'i', "input", "FILE", "file to read (trace.dat)", TC_OPT_STRING, TC_OPT_ONCE, \
			.offset = offsetof(REQUEST, input), .complete = "file"                \
	}

/**
 * file_input() - the one file that a verb reads: -i, the operand, or "trace.dat"
 * @given: -i; NULL: not given
 *
 * Return: its path, of the arguments; NULL with @err set where there are several.
 */
const char *file_input(const char *given, int argc, char **argv, struct tfs_err *err);

/**
 * file_report_damage() - the exit status after something was made from @inputs
 * @made: the file that holds what could be read; NULL: none
 *
 * Prints what is damaged. Return: TC_EXIT_OK, or TC_EXIT_FAILED if something is.
 */
int file_report_damage(struct tfs_dat *const *inputs, size_t n, const char *made);

/** file_report_drops() - a notice of sections that the form has no place for */
void file_report_drops(const struct file_output *o, const struct tfs_image *image,
		       const struct tfs_dat_form *form);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_LINE_H
#define TFS_PROBE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_err;
struct tfs_dso;
struct tfs_probe_spec;

/**
 * struct tfs_probe_line - a definition as the kernel lists it: p:GROUP/EVENT PLACE ARGS
 * @ret: a return probe
 * @maxactive: calls that a return probe follows at a time, 0 if the line does not say
 * @path: of the program; NULL for the kernel
 * @location: [MODULE:]SYMBOL[+OFFSET] or 0xADDRESS; NULL for a program
 * @offset: of a program: in its file
 * @counter: file offset of the counter that the kernel raises, 0 for none
 * @args: the rest, "" for none
 */
struct tfs_probe_line {
	bool ret;
	unsigned int maxactive;
	char *group;
	char *event;
	char *path;
	char *location;
	uint64_t offset;
	uint64_t counter;
	char *args;
};

void tfs_probe_line_release(struct tfs_probe_line *line);

/** tfs_probe_is_line() - does @text begin like a line of kprobe_events or uprobe_events? Pure */
bool tfs_probe_is_line(const char *text);

/**
 * tfs_probe_line_parse() - take such a line apart (Documentation/trace/kprobetrace.rst and
 * uprobetracer.rst of the kernel); pure
 * @out: set on success only
 *
 * Return: 0; -EINVAL with the fault's place in @err; -ENOMEM.
 */
int tfs_probe_line_parse(const char *text, struct tfs_probe_line *out, struct tfs_err *err);

/**
 * tfs_probe_line_spec() - the request that such a line is
 * @dso: what is probed: of a program, the file that the line names
 * @spec: empty; set on success only
 *
 * Return: 0; -EINVAL if the line is for something else than @dso, or its offset is in no code;
 * -ENOMEM.
 */
int tfs_probe_line_spec(struct tfs_dso *dso, const char *text, struct tfs_probe_spec *spec,
			struct tfs_err *err);

#endif

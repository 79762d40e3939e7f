/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_RAW_H
#define TFS_PROBE_RAW_H

struct tfs_dso;
struct tfs_err;
struct tfs_machine;
struct tfs_probe_features;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * tfs_probe_raw_add() - append a fetch-arg that was typed as the kernel writes it
 * @machine: whose registers it may name; NULL: not known, any
 * @expr: "%di", "+8(%sp)", "$stack4", "@jiffies"
 *
 * The stack pointer is $stack on every machine: a kernel that has no name %sp for it gets that.
 *
 * Return: 0; -EINVAL for a register that the kernel of that machine does not know, with those that
 * it does as the hint; -ENOMEM.
 */
int tfs_probe_raw_add(const struct tfs_machine *machine, const char *expr, struct tfs_strbuf *out,
		      struct tfs_err *err);

/**
 * tfs_probe_raw_symbols() - has the kernel the symbols that are fetched by name?
 * @dso: of a kernel that does not run here, all of its symbols are not known
 * @args: fetch-args with blanks between: "a=@jiffies +8(@init_task)"
 *
 * Return: 0; -ENOENT for a symbol that the running kernel lacks; -ENOMEM.
 */
int tfs_probe_raw_symbols(const struct tfs_dso *dso, const char *args, struct tfs_err *err);

/**
 * tfs_probe_raw_note() - of fetch-args that this kernel's README does not list, say so
 * @args: as above
 * @notices: appended to, each text once; NULL for nobody to say it to. The kernel has the last word
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_raw_note(const struct tfs_probe_features *features, const char *args,
		       struct tfs_strvec *notices);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_TYPE_H
#define TFS_PROBE_TYPE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum tfs_probe_type - types of dynamic events; whether a probe is at a function's return is apart
 *
 * Documentation/howto-add-probe-type.md has the steps to add one.
 */
enum tfs_probe_type {
	TFS_PROBE_KPROBE,
	TFS_PROBE_UPROBE,
	TFS_PROBE_FPROBE,
	TFS_PROBE_TPROBE,
	TFS_PROBE_EPROBE,
	TFS_PROBE_SYNTHETIC,
	TFS_PROBE_TYPES,
};

/**
 * enum tfs_probe_form - how a definition says where its probe is
 * @TFS_PROBE_FORM_SYMBOL: [MODULE:]SYMBOL[+OFFSET], or an address
 * @TFS_PROBE_FORM_FILE: PATH:0xOFFSET[%return][(0xCOUNTER)]
 * @TFS_PROBE_FORM_FUNCTION: SYMBOL[%return]
 * @TFS_PROBE_FORM_TRACEPOINT: the name of a tracepoint, which need not be that of an event
 * @TFS_PROBE_FORM_EVENT: SYSTEM.EVENT or SYSTEM/EVENT; what is fetched are its fields
 * @TFS_PROBE_FORM_NONE: definitions of the type are listed only, not made or checked
 */
enum tfs_probe_form {
	TFS_PROBE_FORM_SYMBOL,
	TFS_PROBE_FORM_FILE,
	TFS_PROBE_FORM_FUNCTION,
	TFS_PROBE_FORM_TRACEPOINT,
	TFS_PROBE_FORM_EVENT,
	TFS_PROBE_FORM_NONE,
};

/**
 * enum tfs_probe_allows - what definitions of a type may have
 * @TFS_PROBE_REGISTERS: %REG; without it a variable in a register is fetched as $argN
 * @TFS_PROBE_KERNEL: kernel memory: @SYMBOL, $argN, the types symbol, symstr, %pd and %pD; without
 *	it @+OFFSET of the probed file
 * @TFS_PROBE_MAXACTIVE: a return probe's number of calls that are followed at a time
 */
enum tfs_probe_allows {
	TFS_PROBE_REGISTERS = 1 << 0,
	TFS_PROBE_KERNEL = 1 << 1,
	TFS_PROBE_MAXACTIVE = 1 << 2,
};

/**
 * struct tfs_probe_type_info - what there is to know of a type
 * @name: "kprobe"
 * @file: the control file that takes its definitions
 * @group: of a definition that names none
 * @letter, @return_letter: first letter of a definition; equal where %return marks returns
 * @form: how a definition says where the probe is
 * @allows: enum tfs_probe_allows
 *
 * Static. Source: Documentation/trace/kprobetrace.rst, uprobetracer.rst, fprobetrace.rst and
 * eprobetrace.rst of the kernel.
 */
struct tfs_probe_type_info {
	const char *name;
	const char *file;
	const char *group;
	char letter;
	char return_letter;
	enum tfs_probe_form form;
	unsigned int allows;
};

/** tfs_probe_type() - the row of a type; borrowed, static */
const struct tfs_probe_type_info *tfs_probe_type(enum tfs_probe_type type);

/** tfs_probe_type_has_letter() - does a definition of @type begin with @letter? */
bool tfs_probe_type_has_letter(enum tfs_probe_type type, char letter);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_SCRUB_H
#define TFS_REWRITE_SCRUB_H

#include <stddef.h>

struct tfs_dat;
struct tfs_dat_form;
struct tfs_err;
struct tfs_pseudonym_key;
struct tfs_strvec;

/**
 * struct tfs_scrub_opts - what is replaced, and how; all borrowed
 * @fields: names of fields, see tfs_scrub_fields_new(); "comm" also stands for saved_cmdlines, and
 *          "filename" for process maps
 * @key: pseudonyms depend on it
 * @form: of the file that is written
 */
struct tfs_scrub_opts {
	const struct tfs_strvec *fields;
	const struct tfs_pseudonym_key *key;
	const struct tfs_dat_form *form;
};

/**
 * struct tfs_scrubbed - what was done
 * @words: that have a pseudonym now
 * @options: that were left out, because they describe programs and tasks or are not known
 */
struct tfs_scrubbed {
	size_t words, options;
};

/**
 * tfs_scrub() - write a recording in which words are replaced by pseudonyms
 * @fd: empty, seekable, writable; borrowed
 *
 * The names of the host (UNAME) and of guests (GUEST) are always replaced. A word that is replaced
 * somewhere is replaced in all texts of records and options; the kernel's own texts, its symbols
 * and formats, stay as they are. Sub-buffers are built again, so nothing is left of records that
 * were discarded. Options that describe programs and tasks, options that are not known and the list
 * of the kernel's modules (MODULES_FILE) are left out.
 *
 * Return: 0; -ENOENT for a field that no event has; -E2BIG for too many words; -ENOMEM; the errno
 * of a write. Damage is noted in @dat, and what comes after it is left out.
 */
int tfs_scrub(struct tfs_dat *dat, const struct tfs_scrub_opts *opts, int fd,
	      struct tfs_scrubbed *done, struct tfs_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_SCRUB_FIELDS_H
#define TFS_REWRITE_SCRUB_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_image;
struct tfs_pseudonyms;
struct tfs_record;
struct tfs_strvec;

/**
 * struct tfs_scrub_fields - the fields of each event that hold text, or are to be replaced
 *
 * Known by the formats of a recording; everything in them is checked against each record.
 */
struct tfs_scrub_fields;

/**
 * tfs_scrub_fields_new() - find fields by name
 * @names: globs; NAME also stands for every field whose name ends with _NAME, and "comm" for
 *         oldcomm and newcomm
 *
 * Return: 0; -ENOENT if a name is that of no field; -ENOMEM.
 */
int tfs_scrub_fields_new(const struct tfs_image *image, const struct tfs_strvec *names,
			 struct tfs_scrub_fields **out, struct tfs_err *err);
void tfs_scrub_fields_free(struct tfs_scrub_fields *f);

/** tfs_scrub_fields_collect() - the words of fields that are to be replaced; 0 or -errno */
int tfs_scrub_fields_collect(const struct tfs_scrub_fields *f, const struct tfs_record *rec,
			     struct tfs_pseudonyms *p);
/** tfs_scrub_fields_replace() - in @data, a copy of the record's; other texts are swept */
void tfs_scrub_fields_replace(const struct tfs_scrub_fields *f, const struct tfs_record *rec,
			      unsigned char *data, const struct tfs_pseudonyms *p);

#endif

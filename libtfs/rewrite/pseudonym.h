/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_PSEUDONYM_H
#define TFS_REWRITE_PSEUDONYM_H

#include <stddef.h>
#include <stdint.h>

/** struct tfs_pseudonym_key - the secret that pseudonyms depend on */
struct tfs_pseudonym_key {
	uint64_t k[2];
};

/** tfs_pseudonym_key_random() - from the kernel; 0 or -errno */
int tfs_pseudonym_key_random(struct tfs_pseudonym_key *key);
/** tfs_pseudonym_key_seed() - the same key for the same text, on every machine */
void tfs_pseudonym_key_seed(struct tfs_pseudonym_key *key, const char *seed);

/**
 * struct tfs_pseudonyms - words, each with a word of the same length that stands for it
 *
 * A word is a run of letters, digits, underscores and bytes from 0x80 on; the characters between
 * words are kept. A pseudonym depends on the key and the word only, but for short words that would
 * get the same one, whose order decides. First all words are collected, then they are replaced.
 */
struct tfs_pseudonyms;

/** TFS_PSEUDONYM_SWEEP_MIN - shorter words are replaced only where they are asked for */
#define TFS_PSEUDONYM_SWEEP_MIN 4

/** tfs_pseudonyms_new() - none yet; NULL: no memory */
struct tfs_pseudonyms *tfs_pseudonyms_new(const struct tfs_pseudonym_key *key);
void tfs_pseudonyms_free(struct tfs_pseudonyms *p);

/** tfs_pseudonyms_collect() - all words of a text; 0, -ENOMEM, or -E2BIG above a million */
int tfs_pseudonyms_collect(struct tfs_pseudonyms *p, const char *text, size_t len);
/** tfs_pseudonyms_assign() - give every word its pseudonym; 0 or -ENOMEM */
int tfs_pseudonyms_assign(struct tfs_pseudonyms *p);
/** tfs_pseudonyms_replace() - replace all collected words of a text, in place */
void tfs_pseudonyms_replace(const struct tfs_pseudonyms *p, char *text, size_t len);
/**
 * tfs_pseudonyms_sweep() - the same for texts and bytes that nobody asked for
 *
 * Only words with a letter, of TFS_PSEUDONYM_SWEEP_MIN characters or more.
 */
void tfs_pseudonyms_sweep(const struct tfs_pseudonyms *p, char *data, size_t len);
/** tfs_pseudonyms_number() - replace the bytes of a number; 0 stays 0 */
void tfs_pseudonyms_number(const struct tfs_pseudonyms *p, unsigned char *data, size_t size);
/** tfs_pseudonyms_words() - how many words were collected */
size_t tfs_pseudonyms_words(const struct tfs_pseudonyms *p);

#endif

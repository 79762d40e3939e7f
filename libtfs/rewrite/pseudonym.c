/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/pseudonym.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/strmap.h"

#define WORDS_MAX 1000000u
#define WORD_MAX 4096u
#define TRIES 64u

struct word {
	char *text, *pseudonym;
	size_t len;
};

struct tfs_pseudonyms {
	struct tfs_pseudonym_key key;
	struct tfs_strmap map; /* of a word: its index in @words, plus 1 */
	struct word *words;
	size_t n, cap;
};

/* --- SipHash-2-4 (Aumasson and Bernstein, 2012) */

static uint64_t rotate(uint64_t x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	sip_round(v);
	sip_round(v);
	v[0] ^= m;
}

/* @tweak keeps apart hashes of one text; the length goes into the last word, as SipHash has it. */
static uint64_t keyed_hash(const struct tfs_pseudonym_key *key, uint64_t tweak, const void *data,
			   size_t len)
{
	uint64_t v[4] = { key->k[0] ^ 0x736f6d6570736575, key->k[1] ^ 0x646f72616e646f6d,
			  key->k[0] ^ 0x6c7967656e657261, key->k[1] ^ 0x7465646279746573 };
	const unsigned char *p = data;
	uint64_t m = 0;
	size_t i;

	sip_word(v, tweak);
	for (i = 0; i < len; i++) {
		m |= (uint64_t)p[i] << 8 * (i % 8);
		if (i % 8 == 7) {
			sip_word(v, m);
			m = 0;
		}
	}
	sip_word(v, m | (uint64_t)((len + 8) & 0xff) << 56);
	v[2] ^= 0xff;
	for (i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

int tfs_pseudonym_key_random(struct tfs_pseudonym_key *key)
{
	ssize_t n;

	do
		n = getrandom(key->k, sizeof(key->k), 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(key->k) ? 0 : -EIO;
}

void tfs_pseudonym_key_seed(struct tfs_pseudonym_key *key, const char *seed)
{
	static const struct tfs_pseudonym_key fixed = { { 0x7472616365637261,
							  0x6674207363727562 } };

	for (size_t i = 0; i < 2; i++)
		key->k[i] = keyed_hash(&fixed, i, seed, strlen(seed));
}

/* --- words */

static bool is_word_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool all_digits(const char *s, size_t len)
{
	while (len && is_digit(s[len - 1]))
		len--;
	return !len;
}

/* The next word at or after *@at: its length, 0 at the end. Longer runs are cut. */
static size_t next_word(const char *text, size_t len, size_t *at)
{
	size_t end;

	while (*at < len && !is_word_char((unsigned char)text[*at]))
		++*at;
	end = *at;
	while (end < len && end - *at < WORD_MAX && is_word_char((unsigned char)text[end]))
		end++;
	return end - *at;
}

struct tfs_pseudonyms *tfs_pseudonyms_new(const struct tfs_pseudonym_key *key)
{
	struct tfs_pseudonyms *p = calloc(1, sizeof(*p));

	if (p)
		p->key = *key;
	return p;
}

void tfs_pseudonyms_free(struct tfs_pseudonyms *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		free(p->words[i].text);
		free(p->words[i].pseudonym);
	}
	free(p->words);
	tfs_strmap_release(&p->map);
	free(p);
}

static int collect_word(struct tfs_pseudonyms *p, const char *word, size_t len)
{
	char *text = strndup(word, len);
	int rc = -ENOMEM;

	if (!text)
		return rc;
	if (tfs_strmap_get(&p->map, text, NULL)) {
		free(text);
		return 0;
	}
	if (p->n >= WORDS_MAX)
		rc = -E2BIG;
	else if (!tfs_grow(&p->words, &p->cap, p->n + 1))
		rc = tfs_strmap_put(&p->map, text, p->n + 1);
	if (rc) {
		free(text);
		return rc;
	}
	p->words[p->n++] = (struct word){ .text = text, .len = len };
	return 0;
}

int tfs_pseudonyms_collect(struct tfs_pseudonyms *p, const char *text, size_t len)
{
	size_t at = 0, n;
	int rc = 0;

	while (!rc && (n = next_word(text, len, &at))) {
		rc = collect_word(p, text + at, n);
		at += n;
	}
	return rc;
}

static int by_text(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Letters stand for words with a letter, digits for numbers. */
static void make(const struct tfs_pseudonyms *p, struct word *w, unsigned int try)
{
	static const char digits[] = "0123456789", letters[] = "abcdefghijklmnopqrstuvwxyz";
	const bool number = all_digits(w->text, w->len);
	uint64_t h = 0;

	for (size_t i = 0; i < w->len; i++) {
		if (!(i % 8))
			h = keyed_hash(&p->key, (uint64_t)try << 32 | i, w->text, w->len);
		w->pseudonym[i] = number ? digits[(h & 0xff) % 10] : letters[(h & 0xff) % 26];
		h >>= 8;
	}
	w->pseudonym[w->len] = '\0';
}

/* A word that nothing else is called, neither here nor in the recording; in the end any */
static int assign_word(const struct tfs_pseudonyms *p, struct word *w, struct tfs_strmap *used)
{
	w->pseudonym = malloc(w->len + 1);
	if (!w->pseudonym)
		return -ENOMEM;
	for (unsigned int try = 0; try < TRIES; try++) {
		make(p, w, try);
		if (!tfs_strmap_get(used, w->pseudonym, NULL) &&
		    !tfs_strmap_get(&p->map, w->pseudonym, NULL))
			break;
	}
	return tfs_strmap_put(used, w->pseudonym, 1);
}

int tfs_pseudonyms_assign(struct tfs_pseudonyms *p)
{
	struct tfs_strmap used = { 0 };
	int rc = 0;

	if (p->n)
		qsort(p->words, p->n, sizeof(*p->words), by_text);
	for (size_t i = 0; i < p->n && !rc; i++) {
		rc = tfs_strmap_put(&p->map, p->words[i].text, i + 1);
		if (!rc)
			rc = assign_word(p, &p->words[i], &used);
	}
	tfs_strmap_release(&used);
	return rc;
}

static void replace_word(const struct tfs_pseudonyms *p, char *word, size_t len)
{
	char key[WORD_MAX + 1];
	size_t i;

	memcpy(key, word, len);
	key[len] = '\0';
	if (tfs_strmap_get(&p->map, key, &i))
		memcpy(word, p->words[i - 1].pseudonym, len);
}

void tfs_pseudonyms_replace(const struct tfs_pseudonyms *p, char *text, size_t len)
{
	size_t at = 0, n;

	for (; (n = next_word(text, len, &at)); at += n)
		replace_word(p, text + at, n);
}

void tfs_pseudonyms_sweep(const struct tfs_pseudonyms *p, char *data, size_t len)
{
	size_t at = 0, n;

	for (; (n = next_word(data, len, &at)); at += n)
		if (n >= TFS_PSEUDONYM_SWEEP_MIN && !all_digits(data + at, n))
			replace_word(p, data + at, n);
}

void tfs_pseudonyms_number(const struct tfs_pseudonyms *p, unsigned char *data, size_t size)
{
	uint64_t h = 0;
	size_t used = 0;

	while (used < size && !data[used])
		used++;
	if (used == size)
		return;
	/* hashed before bytes are replaced */
	used = size > 8 ? 8 : size;
	h = keyed_hash(&p->key, UINT64_MAX, data, size);
	for (size_t i = 0; i < size; i++) {
		if (i && !(i % used))
			h = keyed_hash(&p->key, i, &h, sizeof(h));
		data[i] = (unsigned char)(h >> 8 * (i % used));
	}
}

size_t tfs_pseudonyms_words(const struct tfs_pseudonyms *p)
{
	return p->n;
}

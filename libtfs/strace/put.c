/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/put.h"

#include "base/digits.h"
#include "base/strbuf.h"
#include "strace/call.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

/* Octal digits of 64 bits, with "0" and a zero byte */
#define OCTAL_MAX 24
/* A byte of a string becomes at most: "\377" or "\xff" */
#define ESCAPE_MAX 4

void put_dec(struct put *p, int64_t n)
{
	char text[TFS_DIGITS_MAX];
	const char *end = tfs_digits_sdec(text, n);

	put_mem(p, text, (size_t)(end - text));
}

void put_udec(struct put *p, uint64_t n)
{
	char text[TFS_DIGITS_MAX];
	const char *end = tfs_digits_dec(text, n);

	put_mem(p, text, (size_t)(end - text));
}

void put_hex(struct put *p, uint64_t n)
{
	char text[TFS_DIGITS_MAX] = "0x";

	if (!n)
		put_mem(p, "0", 1);
	else
		put_mem(p, text, (size_t)(tfs_digits_hex(text + 2, n, 0) - text));
}

void put_addr(struct put *p, uint64_t n)
{
	if (n)
		put_hex(p, n);
	else
		put_mem(p, "NULL", 4);
}

void put_mode(struct put *p, uint64_t n)
{
	char text[OCTAL_MAX], *s = text + sizeof(text);
	int digits = 0;

	do {
		*--s = (char)('0' + (n & 7));
		n >>= 3;
		digits++;
	} while (n || digits < 2);
	/* A leading zero says that it is octal. */
	if (*s != '0' || digits == 2)
		*--s = '0';
	put_mem(p, s, (size_t)(text + sizeof(text) - s));
}

static bool is_for(const struct sys_val *val, int abi)
{
	return !val->abis || (abi != SYS_ABI_NONE && val->abis >> abi & 1);
}

static const char *find_one(const struct put *p, const struct sys_set *set, uint64_t value)
{
	const uint64_t width = set->is_int ? UINT32_MAX : UINT64_MAX;

	for (size_t i = 0; i < set->n_one; i++)
		if ((set->one[i].value & width) == value && is_for(&set->one[i], p->call->abi))
			return set->one[i].name;
	return NULL;
}

bool put_set_name(struct put *p, const struct sys_set *set, uint64_t value)
{
	const char *name = find_one(p, set, value);

	if (name)
		put_text(p, name);
	return name != NULL;
}

static void put_unknown(struct put *p, const struct sys_set *set, uint64_t value)
{
	if (set->rest == SYS_REST_DECIMAL && !set->unknown)
		put_dec(p, set->is_int ? (int32_t)value : (int64_t)value);
	else if (set->rest == SYS_REST_OCTAL)
		put_mode(p, value);
	else
		put_hex(p, value);
	if (p->opts->names != TFS_ARGS_ABBREV || (!value && set->n_bits) || !set->unknown ||
	    set->rest == SYS_REST_OCTAL)
		return;
	put_text(p, " /* ");
	put_text(p, set->unknown);
	put_text(p, " */");
}

static void put_separator(struct put *p, bool *more)
{
	if (*more)
		put_mem(p, "|", 1);
	*more = true;
}

/* Names of the flags in @rest, and what is left of it */
static uint64_t put_bits(struct put *p, const struct sys_set *set, uint64_t rest, bool *more)
{
	for (size_t i = 0; i < set->n_bits && rest; i++) {
		const struct sys_val *bit = &set->bits[i];

		if (bit->value && (rest & bit->value) == bit->value && is_for(bit, p->call->abi)) {
			put_separator(p, more);
			put_text(p, bit->name);
			rest &= ~bit->value;
		}
	}
	return rest;
}

static void put_names(struct put *p, const struct sys_set *set, uint64_t value)
{
	const uint64_t mask = set->n_one ? set->one_mask & (set->is_int ? UINT32_MAX : UINT64_MAX) :
					   0;
	const char *one = set->n_one ? find_one(p, set, value & mask) : NULL;
	uint64_t rest = value;
	bool more = false;

	if (!value && set->zero) {
		put_text(p, set->zero);
		return;
	}
	if (one) {
		rest &= ~mask;
		if (!set->one_last) {
			put_separator(p, &more);
			put_text(p, one);
		}
	} else if (set->n_one && !set->one_last && value & mask && set->n_bits) {
		put_unknown(p, set, value & mask);
		more = true;
		rest &= ~mask;
	}
	rest = put_bits(p, set, rest, &more);
	if (one && set->one_last && value & mask) {
		put_separator(p, &more);
		put_text(p, one);
	}
	if (!rest && more)
		return;
	if (!more) {
		put_unknown(p, set, rest);
		return;
	}
	put_separator(p, &more);
	if (set->rest == SYS_REST_OCTAL)
		put_mode(p, rest);
	else if (set->one_last && rest <= UINT8_MAX)
		put_dec(p, (int64_t)rest);
	else
		put_hex(p, rest);
}

void put_set(struct put *p, const struct sys_set *set, uint64_t value)
{
	if (set->is_int)
		value = (uint32_t)value;
	if (p->opts->names == TFS_ARGS_ABBREV) {
		put_names(p, set, value);
		return;
	}
	if (set->rest == SYS_REST_OCTAL)
		put_mode(p, value);
	else
		put_hex(p, value);
	if (p->opts->names == TFS_ARGS_RAW)
		return;
	put_text(p, " /* ");
	put_names(p, set, value);
	put_text(p, " */");
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

static char *put_escaped(char *s, const unsigned char *at, const unsigned char *end)
{
	static const char letters[] = "\f\n\r\t\v", names[] = "fnrtv";
	const char *letter = memchr(letters, *at, sizeof(letters) - 1);
	const bool long_form = at + 1 < end && at[1] >= '0' && at[1] <= '9';

	*s++ = '\\';
	if (letter) {
		*s++ = names[letter - letters];
		return s;
	}
	if (long_form || *at >> 6)
		*s++ = (char)('0' + (*at >> 6));
	if (long_form || *at >> 3)
		*s++ = (char)('0' + (*at >> 3 & 7));
	*s++ = (char)('0' + (*at & 7));
	return s;
}

static bool wants_hex(const struct put *p, const unsigned char *s, size_t len)
{
	if (p->opts->hex != TFS_ARGS_HEX_ODD)
		return p->opts->hex == TFS_ARGS_HEX_ALL;
	for (size_t i = 0; i < len; i++)
		if (!is_plain(s[i]) && !(s[i] >= '\t' && s[i] <= '\r'))
			return true;
	return false;
}

void put_string(struct put *p, const char *string, size_t len, size_t limit, bool cut)
{
	const unsigned char *s = (const unsigned char *)string, *end;
	const bool shorter = len > limit;
	bool hex;
	char *o;

	len = shorter ? limit : len;
	end = s + len;
	hex = wants_hex(p, s, len);
	if (p->rc || tfs_strbuf_room(p->out, len * ESCAPE_MAX + 8)) {
		p->rc = p->rc ? p->rc : -ENOMEM;
		return;
	}
	o = p->out->s + p->out->len;
	*o++ = '"';
	for (; s < end; s++) {
		if (hex) {
			*o++ = '\\';
			*o++ = 'x';
			o = tfs_digits_hex(o, *s, 2);
		} else if (*s == '"' || *s == '\\') {
			*o++ = '\\';
			*o++ = (char)*s;
		} else if (is_plain(*s)) {
			*o++ = (char)*s;
		} else {
			o = put_escaped(o, s, end);
		}
	}
	*o++ = '"';
	if (shorter || cut)
		o = mempcpy(o, "...", 3);
	*o = '\0';
	p->out->len = (size_t)(o - p->out->s);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-type.h"

#include <string.h>

#include "base/macros.h"
#include "printfmt/print-lex.h"

/* Sizes that depend on the machine. */
#define LONG 0

enum word_kind {
	WORD_TYPE, /* a typedef, complete in itself */
	WORD_PART, /* "long" of "unsigned long" */
	WORD_SIGN,
	WORD_QUALIFIER,
	WORD_TAG, /* "struct", followed by a name */
};

struct word {
	const char *name;
	enum word_kind kind;
	unsigned int size;
	bool is_signed;
};

static const struct word words[] = {
	{ "char", WORD_PART, 1, true },
	{ "short", WORD_PART, 2, true },
	{ "int", WORD_PART, 4, true },
	{ "long", WORD_PART, LONG, true },
	{ "signed", WORD_SIGN, 4, true },
	{ "unsigned", WORD_SIGN, 4, false },
	{ "const", WORD_QUALIFIER, 0, false },
	{ "volatile", WORD_QUALIFIER, 0, false },
	{ "static", WORD_QUALIFIER, 0, false },
	{ "__user", WORD_QUALIFIER, 0, false },
	{ "__force", WORD_QUALIFIER, 0, false },
	{ "__percpu", WORD_QUALIFIER, 0, false },
	{ "__rcu", WORD_QUALIFIER, 0, false },
	{ "__iomem", WORD_QUALIFIER, 0, false },
	{ "struct", WORD_TAG, 0, false },
	{ "union", WORD_TAG, 0, false },
	{ "enum", WORD_TAG, 4, false },
	{ "void", WORD_TYPE, 0, false },
	{ "bool", WORD_TYPE, 1, false },
	{ "_Bool", WORD_TYPE, 1, false },
	{ "u8", WORD_TYPE, 1, false },
	{ "s8", WORD_TYPE, 1, true },
	{ "u16", WORD_TYPE, 2, false },
	{ "s16", WORD_TYPE, 2, true },
	{ "u32", WORD_TYPE, 4, false },
	{ "s32", WORD_TYPE, 4, true },
	{ "u64", WORD_TYPE, 8, false },
	{ "s64", WORD_TYPE, 8, true },
	{ "le16", WORD_TYPE, 2, false },
	{ "be16", WORD_TYPE, 2, false },
	{ "le32", WORD_TYPE, 4, false },
	{ "be32", WORD_TYPE, 4, false },
	{ "le64", WORD_TYPE, 8, false },
	{ "be64", WORD_TYPE, 8, false },
	{ "wsum", WORD_TYPE, 4, false },
	{ "sum16", WORD_TYPE, 2, false },
	{ "uint8_t", WORD_TYPE, 1, false },
	{ "int8_t", WORD_TYPE, 1, true },
	{ "uint16_t", WORD_TYPE, 2, false },
	{ "int16_t", WORD_TYPE, 2, true },
	{ "uint32_t", WORD_TYPE, 4, false },
	{ "int32_t", WORD_TYPE, 4, true },
	{ "uint64_t", WORD_TYPE, 8, false },
	{ "int64_t", WORD_TYPE, 8, true },
	{ "u_char", WORD_TYPE, 1, false },
	{ "u_short", WORD_TYPE, 2, false },
	{ "u_int", WORD_TYPE, 4, false },
	{ "u_long", WORD_TYPE, LONG, false },
	{ "uint", WORD_TYPE, 4, false },
	{ "ulong", WORD_TYPE, LONG, false },
	{ "ushort", WORD_TYPE, 2, false },
	{ "uchar", WORD_TYPE, 1, false },
	{ "size_t", WORD_TYPE, LONG, false },
	{ "ssize_t", WORD_TYPE, LONG, true },
	{ "uintptr_t", WORD_TYPE, LONG, false },
	{ "intptr_t", WORD_TYPE, LONG, true },
	{ "ptrdiff_t", WORD_TYPE, LONG, true },
	{ "loff_t", WORD_TYPE, 8, true },
	{ "off_t", WORD_TYPE, LONG, true },
	{ "sector_t", WORD_TYPE, 8, false },
	{ "blkcnt_t", WORD_TYPE, 8, false },
	{ "dma_addr_t", WORD_TYPE, 8, false },
	{ "phys_addr_t", WORD_TYPE, 8, false },
	{ "resource_size_t", WORD_TYPE, 8, false },
	{ "ktime_t", WORD_TYPE, 8, true },
	{ "time64_t", WORD_TYPE, 8, true },
	{ "dev_t", WORD_TYPE, 4, false },
	{ "gfp_t", WORD_TYPE, 4, false },
	{ "fmode_t", WORD_TYPE, 4, false },
	{ "isolate_mode_t", WORD_TYPE, 4, false },
	{ "vm_fault_t", WORD_TYPE, 4, false },
	{ "blk_opf_t", WORD_TYPE, 4, false },
	{ "blk_status_t", WORD_TYPE, 1, false },
	{ "umode_t", WORD_TYPE, 2, false },
	{ "mode_t", WORD_TYPE, 4, false },
	{ "pid_t", WORD_TYPE, 4, true },
	{ "uid_t", WORD_TYPE, 4, false },
	{ "gid_t", WORD_TYPE, 4, false },
	{ "ino_t", WORD_TYPE, LONG, false },
	{ "pgoff_t", WORD_TYPE, LONG, false },
	{ "pgdval_t", WORD_TYPE, LONG, false },
	{ "pmdval_t", WORD_TYPE, LONG, false },
	{ "pteval_t", WORD_TYPE, LONG, false },
	{ "cpumask_t", WORD_TYPE, 0, false },
	{ "gfn_t", WORD_TYPE, 8, false },
	{ "gpa_t", WORD_TYPE, 8, false },
	{ "hpa_t", WORD_TYPE, 8, false },
	{ "netdev_features_t", WORD_TYPE, 8, false },
	{ "lsn_t", WORD_TYPE, 8, true },
	{ "xfs_lsn_t", WORD_TYPE, 8, true },
	{ "xfs_ino_t", WORD_TYPE, 8, false },
	{ "xfs_daddr_t", WORD_TYPE, 8, true },
	{ "xfs_off_t", WORD_TYPE, 8, true },
	{ "xfs_fsize_t", WORD_TYPE, 8, true },
	{ "xfs_agblock_t", WORD_TYPE, 4, false },
	{ "xfs_agnumber_t", WORD_TYPE, 4, false },
};

static bool is(const struct word *w, const char *name, size_t len)
{
	/* Most differ in the first character. */
	return *w->name == *name && !strncmp(w->name, name, len) && !w->name[len];
}

static const struct word *find(const char *name, size_t len)
{
	size_t i;

	/* __u32 is u32, __kernel_size_t is size_t */
	if (len > 9 && !memcmp(name, "__kernel_", 9)) {
		name += 9;
		len -= 9;
	} else if (len > 2 && !memcmp(name, "__", 2)) {
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (words[i].kind == WORD_TYPE && is(&words[i], name + 2, len - 2))
				return &words[i];
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (is(&words[i], name, len))
			return &words[i];
	return NULL;
}

bool tfs_ctype_is_name(const char *name, size_t len)
{
	return find(name, len) != NULL;
}

/* The type that a sequence of words describes. */
struct reading {
	bool any, has_type, has_sign, is_signed;
	unsigned int size, longs;
	bool is_bool;
};

static void add_word(struct reading *r, const struct word *w)
{
	r->any |= w->kind != WORD_QUALIFIER;
	switch (w->kind) {
	case WORD_SIGN:
		r->has_sign = true;
		r->is_signed = w->is_signed;
		if (!r->has_type)
			r->size = w->size;
		break;
	case WORD_PART:
		r->longs += w->size == LONG;
		/* "long int" and "short int" are what their first word says. */
		if (!(w->size == 4 && r->has_type))
			r->size = w->size;
		r->has_type = true;
		if (!r->has_sign)
			r->is_signed = w->is_signed;
		break;
	default:
		r->has_type = true;
		r->size = w->size;
		r->is_signed = w->is_signed;
		r->longs += w->kind == WORD_TYPE && w->size == LONG && w->name[0] != 'v' &&
			    w->name[0] != 'c';
		r->is_bool = !strcmp(w->name, "bool") || !strcmp(w->name, "_Bool");
	}
}

bool tfs_ctype_parse(struct tfs_lex *lex, unsigned int long_size, struct tfs_ctype *type)
{
	struct tfs_lex before = *lex;
	struct reading r = { 0 };
	const struct word *w;

	while (lex->token == TFS_TOKEN_NAME && (w = find(lex->text, lex->len)) &&
	       !(r.has_type && w->kind == WORD_TYPE)) {
		add_word(&r, w);
		tfs_lex_next(lex);
		if (w->kind != WORD_TAG)
			continue;
		if (lex->token != TFS_TOKEN_NAME)
			r.any = false;
		tfs_lex_next(lex);
	}
	if (!r.any) {
		*lex = before;
		return false;
	}
	*type = (struct tfs_ctype){ .size = r.size,
				    .is_signed = r.is_signed,
				    .is_bool = r.is_bool };
	if (r.longs)
		type->size = r.longs > 1 ? 8 : long_size;
	while (tfs_lex_is(lex, "*") ||
	       (lex->token == TFS_TOKEN_NAME && (w = find(lex->text, lex->len)) &&
		w->kind == WORD_QUALIFIER)) {
		type->pointers += lex->text[0] == '*';
		tfs_lex_next(lex);
	}
	return true;
}

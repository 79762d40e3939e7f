/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "btf/btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/macros.h"

#define MAGIC 0xeb9f
#define HEADER_MIN 24
#define TYPE_SIZE 12
/* Deeper than any source; a guard against circles. */
#define DEPTH_MAX 32
/* Members looked at in one search: a guard against structs that hold each other many times. */
#define LOOKS_MAX 100000

/*
 * @at: where each of @n types begins
 * @bucket, @next: the functions by name, as numbers of types from 1
 */
struct tfs_btf {
	const struct tfs_btf *base;
	unsigned char *bytes;
	const unsigned char *types;
	const char *strings;
	uint32_t strings_len;
	uint32_t first_id, first_string;
	uint32_t *at;
	uint32_t n, cap;
	uint32_t *bucket, *next, n_buckets;
	bool big;
};

/* Bytes that follow each kind: of its own, and for each of vlen. */
static const struct {
	unsigned char own, each;
} extra[] = {
	[TFS_BTF_VOID] = { 0, 0 },     [TFS_BTF_INT] = { 4, 0 },
	[TFS_BTF_PTR] = { 0, 0 },      [TFS_BTF_ARRAY] = { 12, 0 },
	[TFS_BTF_STRUCT] = { 0, 12 },  [TFS_BTF_UNION] = { 0, 12 },
	[TFS_BTF_ENUM] = { 0, 8 },     [TFS_BTF_FWD] = { 0, 0 },
	[TFS_BTF_TYPEDEF] = { 0, 0 },  [TFS_BTF_VOLATILE] = { 0, 0 },
	[TFS_BTF_CONST] = { 0, 0 },    [TFS_BTF_RESTRICT] = { 0, 0 },
	[TFS_BTF_FUNC] = { 0, 0 },     [TFS_BTF_FUNC_PROTO] = { 0, 8 },
	[TFS_BTF_VAR] = { 4, 0 },      [TFS_BTF_DATASEC] = { 0, 12 },
	[TFS_BTF_FLOAT] = { 0, 0 },    [TFS_BTF_DECL_TAG] = { 4, 0 },
	[TFS_BTF_TYPE_TAG] = { 0, 0 }, [TFS_BTF_ENUM64] = { 0, 12 },
};

#define KINDS (ARRAY_SIZE(extra))

static uint32_t word(const struct tfs_btf *btf, const unsigned char *p)
{
	return tfs_load_u32(p, btf->big);
}

static const char *string(const struct tfs_btf *btf, uint32_t off)
{
	if (off < btf->first_string)
		return btf->base ? string(btf->base, off) : "";
	off -= btf->first_string;
	return off < btf->strings_len ? btf->strings + off : "";
}

static int bad(const char *what, struct tfs_err *err)
{
	return tfs_err_say(err, -EBADMSG, "the kernel's type information (BTF) is damaged: %s",
			   what);
}

static int index_types(struct tfs_btf *btf, uint32_t len, struct tfs_err *err)
{
	uint32_t off = 0;

	while (off < len) {
		uint32_t info, kind, n;
		uint64_t size;

		if (len - off < TYPE_SIZE)
			return bad("a type ends too early", err);
		info = word(btf, btf->types + off + 4);
		kind = info >> 24 & 0x1f;
		n = info & 0xffff;
		if (!kind || kind >= KINDS)
			return bad("an unknown kind of type", err);
		size = TYPE_SIZE + extra[kind].own + (uint64_t)extra[kind].each * n;
		if (size > len - off)
			return bad("a type ends too early", err);
		if (btf->n == btf->cap) {
			uint32_t cap = btf->cap ? 2 * btf->cap : 1024;
			uint32_t *at = reallocarray(btf->at, cap, sizeof(*at));

			if (!at)
				return tfs_err_set(err, -ENOMEM, "cannot read BTF");
			btf->at = at;
			btf->cap = cap;
		}
		btf->at[btf->n++] = off;
		off += (uint32_t)size;
	}
	return 0;
}

static bool is_kind(const struct tfs_btf *btf, uint32_t i, enum tfs_btf_kind kind)
{
	return (word(btf, btf->types + btf->at[i] + 4) >> 24 & 0x1f) == (uint32_t)kind;
}

static int hash_functions(struct tfs_btf *btf)
{
	btf->n_buckets = 64;
	while (btf->n_buckets < btf->n / 4)
		btf->n_buckets *= 2;
	btf->bucket = calloc(btf->n_buckets, sizeof(*btf->bucket));
	btf->next = calloc((size_t)btf->n + 1, sizeof(*btf->next));
	if (!btf->bucket || !btf->next)
		return -ENOMEM;
	/* backwards, so that the first of a name is found first */
	for (uint32_t i = btf->n; i-- > 0;) {
		const char *name;
		uint32_t *b;

		if (!is_kind(btf, i, TFS_BTF_FUNC))
			continue;
		name = string(btf, word(btf, btf->types + btf->at[i]));
		b = &btf->bucket[tfs_hash32(name, strlen(name)) & (btf->n_buckets - 1)];
		btf->next[i + 1] = *b;
		*b = i + 1;
	}
	return 0;
}

/* Where the parts are, each of them inside. */
static int read_header(struct tfs_btf *btf, size_t size, uint32_t *types_len, struct tfs_err *err)
{
	const unsigned char *p = btf->bytes;
	uint32_t header, type_off, string_off;
	size_t left;

	if (size < HEADER_MIN || size > UINT32_MAX)
		return bad("its size", err);
	btf->big = tfs_load_u16(p, true) == MAGIC;
	if (tfs_load_u16(p, btf->big) != MAGIC || p[2] != 1)
		return bad("it does not begin as BTF does", err);
	header = word(btf, p + 4);
	type_off = word(btf, p + 8);
	*types_len = word(btf, p + 12);
	string_off = word(btf, p + 16);
	btf->strings_len = word(btf, p + 20);
	if (header < HEADER_MIN || header > size)
		return bad("the size of its header", err);
	left = size - header;
	if (type_off > left || *types_len > left - type_off || string_off > left ||
	    btf->strings_len > left - string_off)
		return bad("its parts are not inside of it", err);
	btf->types = p + header + type_off;
	btf->strings = (const char *)p + header + string_off;
	if (!btf->strings_len || btf->strings[btf->strings_len - 1])
		return bad("its names have no end", err);
	return 0;
}

int tfs_btf_new(const void *data, size_t size, const struct tfs_btf *base, struct tfs_btf **out,
		struct tfs_err *err)
{
	struct tfs_btf *btf = calloc(1, sizeof(*btf));
	uint32_t len = 0;
	int rc = 0;

	if (btf)
		btf->bytes = malloc(size ? size : 1);
	if (!btf || !btf->bytes) {
		free(btf);
		return tfs_err_set(err, -ENOMEM, "cannot read BTF");
	}
	memcpy(btf->bytes, data, size);
	btf->base = base;
	/* number 0 is void, of the kernel's only */
	btf->first_id = base ? base->first_id + base->n : 1;
	btf->first_string = base ? base->first_string + base->strings_len : 0;
	rc = read_header(btf, size, &len, err);
	if (!rc)
		rc = index_types(btf, len, err);
	if (!rc && hash_functions(btf))
		rc = tfs_err_set(err, -ENOMEM, "cannot read BTF");
	if (!rc && base && base->big != btf->big)
		rc = bad("it is of another machine than the kernel's", err);
	if (rc) {
		tfs_btf_free(btf);
		return rc;
	}
	*out = btf;
	return 0;
}

void tfs_btf_free(struct tfs_btf *btf)
{
	if (!btf)
		return;
	free(btf->at);
	free(btf->bucket);
	free(btf->next);
	free(btf->bytes);
	free(btf);
}

int tfs_btf_type(const struct tfs_btf *btf, uint32_t id, struct tfs_btf_type *out)
{
	const unsigned char *p;
	uint32_t info;

	*out = (struct tfs_btf_type){ .name = "" };
	if (!id)
		return 0;
	if (id < btf->first_id)
		return btf->base ? tfs_btf_type(btf->base, id, out) : -EBADMSG;
	if (id - btf->first_id >= btf->n)
		return -EBADMSG;
	p = btf->types + btf->at[id - btf->first_id];
	info = word(btf, p + 4);
	out->id = id;
	out->kind = (enum tfs_btf_kind)(info >> 24 & 0x1f);
	out->name = string(btf, word(btf, p));
	out->size = word(btf, p + 8);
	out->ref = out->size;
	out->n = info & 0xffff;
	out->flag = info >> 31;
	out->data = p + TYPE_SIZE;
	return 0;
}

int tfs_btf_peel(const struct tfs_btf *btf, uint32_t id, struct tfs_btf_type *out)
{
	int rc = tfs_btf_type(btf, id, out);

	for (int depth = 0; !rc; depth++) {
		if (out->kind != TFS_BTF_TYPEDEF && out->kind != TFS_BTF_VOLATILE &&
		    out->kind != TFS_BTF_CONST && out->kind != TFS_BTF_RESTRICT &&
		    out->kind != TFS_BTF_TYPE_TAG)
			return 0;
		if (depth == DEPTH_MAX)
			return -EBADMSG;
		rc = tfs_btf_type(btf, out->ref, out);
	}
	return rc;
}

/* The first type of a kind and name, of the module before those of the kernel. */
static int find(const struct tfs_btf *btf, const char *name, enum tfs_btf_kind kind,
		struct tfs_btf_type *out)
{
	for (; btf; btf = btf->base) {
		for (uint32_t i = 0; i < btf->n; i++) {
			if (is_kind(btf, i, kind) &&
			    !strcmp(string(btf, word(btf, btf->types + btf->at[i])), name))
				return tfs_btf_type(btf, btf->first_id + i, out);
		}
	}
	return -ENOENT;
}

static int find_function(const struct tfs_btf *btf, const char *name, struct tfs_btf_type *out)
{
	uint32_t h = tfs_hash32(name, strlen(name));

	for (; btf; btf = btf->base) {
		for (uint32_t i = btf->bucket[h & (btf->n_buckets - 1)]; i; i = btf->next[i]) {
			if (!strcmp(string(btf, word(btf, btf->types + btf->at[i - 1])), name))
				return tfs_btf_type(btf, btf->first_id + i - 1, out);
		}
	}
	return -ENOENT;
}

int tfs_btf_func(const struct tfs_btf *btf, const char *name, struct tfs_btf_type *proto)
{
	struct tfs_btf_type func;

	if (find_function(btf, name, &func) || tfs_btf_type(btf, func.ref, proto) ||
	    proto->kind != TFS_BTF_FUNC_PROTO)
		return -ENOENT;
	return 0;
}

int tfs_btf_struct(const struct tfs_btf *btf, const char *name, enum tfs_btf_kind kind,
		   struct tfs_btf_type *out)
{
	return *name ? find(btf, name, kind, out) : -ENOENT;
}

/* The @i-th of a struct or union, @i below its @n; 0 or -EBADMSG. */
static int get_member(const struct tfs_btf *btf, const struct tfs_btf_type *type, uint32_t i,
		      struct tfs_btf_member *out)
{
	const unsigned char *p;
	uint32_t off;

	if ((type->kind != TFS_BTF_STRUCT && type->kind != TFS_BTF_UNION) || i >= type->n)
		return -EBADMSG;
	p = type->data + (size_t)i * 12;
	off = word(btf, p + 8);
	out->name = string(btf, word(btf, p));
	out->type = word(btf, p + 4);
	out->bit = type->flag ? off & 0xffffff : off;
	out->bits = type->flag ? off >> 24 : 0;
	return 0;
}

static int find_member(const struct tfs_btf *btf, const struct tfs_btf_type *type, const char *name,
		       int depth, unsigned int *looks, struct tfs_btf_member *out)
{
	int rc = -ENOENT;

	if (depth == DEPTH_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < type->n && rc == -ENOENT; i++) {
		struct tfs_btf_member m;
		struct tfs_btf_type inner;

		if (++*looks > LOOKS_MAX || get_member(btf, type, i, &m))
			return -EBADMSG;
		if (*m.name && !strcmp(m.name, name)) {
			*out = m;
			return 0;
		}
		if (*m.name || tfs_btf_peel(btf, m.type, &inner) ||
		    (inner.kind != TFS_BTF_STRUCT && inner.kind != TFS_BTF_UNION))
			continue;
		rc = find_member(btf, &inner, name, depth + 1, looks, out);
		if (!rc)
			out->bit += m.bit;
	}
	return rc;
}

int tfs_btf_find_member(const struct tfs_btf *btf, const struct tfs_btf_type *type,
			const char *name, struct tfs_btf_member *out)
{
	unsigned int looks = 0;

	return *name ? find_member(btf, type, name, 0, &looks, out) : -ENOENT;
}

int tfs_btf_param(const struct tfs_btf *btf, const struct tfs_btf_type *proto, uint32_t i,
		  const char **name, uint32_t *type)
{
	if (proto->kind != TFS_BTF_FUNC_PROTO || i >= proto->n)
		return -EBADMSG;
	*name = string(btf, word(btf, proto->data + (size_t)i * 8));
	*type = word(btf, proto->data + (size_t)i * 8 + 4);
	return 0;
}

void tfs_btf_array(const struct tfs_btf *btf, const struct tfs_btf_type *type, uint32_t *element,
		   uint32_t *n)
{
	*element = word(btf, type->data);
	*n = word(btf, type->data + 8);
}

bool tfs_btf_is_signed(const struct tfs_btf *btf, const struct tfs_btf_type *type)
{
	if (type->kind == TFS_BTF_ENUM || type->kind == TFS_BTF_ENUM64)
		return type->flag;
	/* BTF_INT_SIGNED; of char it is not said, whose sign the machine decides */
	return type->kind == TFS_BTF_INT &&
	       (word(btf, type->data) >> 24 & 1 || !strcmp(type->name, "signed char"));
}

int tfs_btf_size(const struct tfs_btf *btf, uint32_t id, unsigned int pointer, uint64_t *size)
{
	uint64_t count = 1;
	uint32_t n;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		struct tfs_btf_type t;

		if (tfs_btf_peel(btf, id, &t))
			return -EBADMSG;
		switch (t.kind) {
		case TFS_BTF_ARRAY:
			tfs_btf_array(btf, &t, &id, &n);
			if (__builtin_mul_overflow(count, n, &count))
				return -EBADMSG;
			continue;
		case TFS_BTF_PTR:
			return __builtin_mul_overflow(count, pointer, size) ? -EBADMSG : 0;
		case TFS_BTF_INT:
		case TFS_BTF_STRUCT:
		case TFS_BTF_UNION:
		case TFS_BTF_ENUM:
		case TFS_BTF_ENUM64:
		case TFS_BTF_FLOAT:
			return __builtin_mul_overflow(count, t.size, size) ? -EBADMSG : 0;
		default:
			return -ENODATA;
		}
	}
	return -EBADMSG;
}

static int walk_enum(const struct tfs_btf *btf, const struct tfs_btf_type *type,
		     tfs_btf_enum_func *found, void *context)
{
	bool wide = type->kind == TFS_BTF_ENUM64;
	size_t size = extra[type->kind].each;
	int rc = 0;

	for (uint32_t i = 0; i < type->n && !rc; i++) {
		const unsigned char *p = type->data + i * size;
		uint32_t low = word(btf, p + 4);
		uint64_t value = type->flag ? (uint64_t)(int32_t)low : low;

		if (wide)
			value = (uint64_t)word(btf, p + 8) << 32 | low;
		rc = found(context, string(btf, word(btf, p)), value);
	}
	return rc;
}

int tfs_btf_enums(const struct tfs_btf *btf, tfs_btf_enum_func *found, void *context)
{
	struct tfs_btf_type type;
	int rc = 0;

	for (uint32_t i = 0; i < btf->n && !rc; i++) {
		if (!is_kind(btf, i, TFS_BTF_ENUM) && !is_kind(btf, i, TFS_BTF_ENUM64))
			continue;
		rc = tfs_btf_type(btf, btf->first_id + i, &type);
		if (!rc)
			rc = walk_enum(btf, &type, found, context);
	}
	return rc;
}

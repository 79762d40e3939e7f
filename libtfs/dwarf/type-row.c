/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/type.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

/* Whose library a holder is of: C has structs that are called the same. */
enum family {
	FAMILY_OTHER,
	FAMILY_CXX,
	FAMILY_RUST,
	FAMILY_GO,
};

/**
 * struct holder - a type of a library that says where text or elements are
 * @name: of the type, or how its name begins if @data of several arguments may follow
 * @type: @len is not a number, but identifies the type of what @data points at
 * @data, @len: members, '.' between them; without @len a zero byte is the end
 * @param: what the elements are is the template parameter T, not what @data points at
 */
struct holder {
	const char *name;
	const char *data;
	const char *len;
	enum family family;
	bool begins;
	bool text;
	bool param;
	bool type;
};

static const struct holder holders[] = {
	{ "string", "str", "len", FAMILY_GO, false, true, false, false },
	{ "[]", "array", "len", FAMILY_GO, true, false, false, false },
	{ "runtime.iface", "data", "tab", FAMILY_GO, .type = true },
	{ "runtime.eface", "data", "_type", FAMILY_GO, .type = true },
	{ "&str", "data_ptr", "length", FAMILY_RUST, false, true, false, false },
	{ "&mut str", "data_ptr", "length", FAMILY_RUST, false, true, false, false },
	{ "Box<str,", "data_ptr", "length", FAMILY_RUST, true, true, false, false },
	{ "&[", "data_ptr", "length", FAMILY_RUST, true, false, false, false },
	{ "&mut [", "data_ptr", "length", FAMILY_RUST, true, false, false, false },
	{ "Box<[", "data_ptr", "length", FAMILY_RUST, true, false, false, false },
	{ "String", "vec.buf.inner.ptr.pointer.pointer", "vec.len", FAMILY_RUST, false, true, false,
	  false },
	{ "String", "vec.buf.ptr.pointer.pointer", "vec.len", FAMILY_RUST, false, true, false,
	  false },
	{ "String", "vec.buf.ptr.pointer", "vec.len", FAMILY_RUST, false, true, false, false },
	{ "Vec<", "buf.inner.ptr.pointer.pointer", "len", FAMILY_RUST, true, false, true, false },
	{ "Vec<", "buf.ptr.pointer.pointer", "len", FAMILY_RUST, true, false, true, false },
	{ "basic_string<char,", "_M_dataplus._M_p", NULL, FAMILY_CXX, true, true, false, false },
	{ "basic_string_view<char,", "_M_str", "_M_len", FAMILY_CXX, true, true, false, false },
	{ "basic_string_view<char,", "__data_", "__size_", FAMILY_CXX, true, true, false, false },
	{ "basic_string_view<char,", "__data", "__size", FAMILY_CXX, true, true, false, false },
};

static enum family family_of(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return FAMILY_OTHER;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return FAMILY_CXX;
	case DW_LANG_Rust:
		return FAMILY_RUST;
	case DW_LANG_Go:
		return FAMILY_GO;
	default:
		return FAMILY_OTHER;
	}
}

/* Bases within bases. */
#define BASES_MAX 16

/* The base whose name begins so, as a member; 0 or -ENOENT */
static int find_base(const struct tfs_scope *scope, const struct tfs_type *type, const char *name,
		     unsigned int depth, struct tfs_member *out)
{
	Dwarf_Die die = type->die;
	struct tfs_type base;
	const char *own;
	uint64_t off;

	if (depth > BASES_MAX || type->class != TFS_TYPE_STRUCT || dwarf_child(&die, &die) != 0)
		return -ENOENT;
	do {
		if (dwarf_tag(&die) != DW_TAG_inheritance || tfs_type_of(scope, &die, &base))
			continue;
		off = 0;
		/* virtual ones have no offset that is known */
		if (dwarf_hasattr(&die, DW_AT_data_member_location) &&
		    (!tfs_type_uint(&die, DW_AT_data_member_location, &off) || off > UINT32_MAX))
			continue;
		own = dwarf_diename(&base.die);
		if (own && !strncmp(own, name, strlen(name)))
			*out = (struct tfs_member){ .type = base };
		else if (find_base(scope, &base, name, depth + 1, out))
			continue;
		out->bit += off * 8;
		return 0;
	} while (dwarf_siblingof(&die, &die) == 0);
	return -ENOENT;
}

/* A word that begins with a colon is a base. */
static int find_member(const struct tfs_scope *scope, const struct tfs_type *type, const char *path,
		       struct tfs_member *out)
{
	char *words = strdup(path), *rest = words, *word;
	struct tfs_type at = *type;
	uint64_t bit = 0;
	int rc = words ? 0 : -ENOMEM;

	while (!rc && (word = strsep(&rest, "."))) {
		if (at.class != TFS_TYPE_STRUCT) {
			rc = -ENOENT;
			break;
		}
		rc = *word == ':' ? find_base(scope, &at, word + 1, 0, out) :
				    tfs_type_member(scope, &at, word, out);
		if (!rc) {
			bit += out->bit;
			at = out->type;
		}
	}
	out->bit = bit;
	free(words);
	return rc;
}

static int param_type(const struct tfs_scope *scope, const struct tfs_type *type,
		      struct tfs_type *out)
{
	Dwarf_Die die = type->die;

	if (dwarf_child(&die, &die) != 0)
		return -ENOENT;
	do {
		const char *name;

		if (dwarf_tag(&die) != DW_TAG_template_type_parameter)
			continue;
		name = dwarf_diename(&die);
		if (name && !strcmp(name, "T"))
			return tfs_type_of(scope, &die, out);
	} while (dwarf_siblingof(&die, &die) == 0);
	return -ENOENT;
}

static int fill(const struct tfs_scope *scope, const struct tfs_type *type, const struct holder *h,
		struct tfs_row *out)
{
	Dwarf_Die pointer;
	int rc = find_member(scope, type, h->data, &out->data);

	if (rc || out->data.type.class != TFS_TYPE_POINTER || out->data.bits)
		return rc ? rc : -ENOENT;
	pointer = out->data.type.die;
	rc = h->param ? param_type(scope, type, &out->element) :
			tfs_type_of(scope, &pointer, &out->element);
	if (!rc && h->len)
		rc = find_member(scope, type, h->len, &out->len);
	if (!rc && h->len &&
	    (out->len.bits || out->len.type.class != (h->type ? TFS_TYPE_POINTER : TFS_TYPE_INT)))
		rc = -ENOENT;
	out->type = h->type;
	out->text = h->text;
	out->sized = h->len != NULL;
	return rc;
}

/*
 * clang leaves out what the library itself was compiled from; but that the pointer is the first of
 * libstdc++'s std::__cxx11::basic_string belongs to its ABI.
 */
static bool is_cxx11_string(const struct tfs_type *type, const char *name)
{
	Dwarf_Die die = type->die, *scopes = NULL;
	const char *space;
	bool is = false;
	int n;

	if (strncmp(name, "basic_string<char,", strlen("basic_string<char,")) != 0)
		return false;
	n = dwarf_getscopes_die(&die, &scopes);
	space = n > 1 ? dwarf_diename(&scopes[1]) : NULL;
	is = space && !strcmp(space, "__cxx11");
	free(scopes);
	return is;
}

int tfs_type_row(const struct tfs_scope *scope, const struct tfs_type *type, struct tfs_row *out)
{
	Dwarf_Die die = type->die;
	enum family family;
	const char *name;
	int rc = -ENOENT;

	memset(out, 0, sizeof(*out));
	name = type->class == TFS_TYPE_STRUCT ? dwarf_diename(&die) : NULL;
	family = name ? family_of(&die) : FAMILY_OTHER;
	if (family == FAMILY_OTHER)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(holders) && rc && rc != -ENOMEM; i++) {
		const struct holder *h = &holders[i];

		if (h->family != family ||
		    (h->begins ? strncmp(name, h->name, strlen(h->name)) : strcmp(name, h->name)))
			continue;
		memset(out, 0, sizeof(*out));
		rc = fill(scope, type, h, out);
	}
	if (rc == -ENODATA && family == FAMILY_CXX && is_cxx11_string(type, name)) {
		*out = (struct tfs_row){ .text = true };
		return 0;
	}
	return rc == -ENOMEM ? rc : rc ? -ENOENT : 0;
}

/**
 * struct keeper - a class of C++'s library, by how its name begins, and where it has what it holds
 * @what, @flag: as @data of struct holder; a word that begins with a colon is a base. libstdc++'s
 *	tuple has a base for each of its elements, with a member of the same name
 */
static const struct keeper {
	const char *name;
	enum tfs_holds how;
	const char *what;
	const char *flag;
} keepers[] = {
	/* libstdc++ */
	{ "unique_ptr<", TFS_HOLDS_POINTER, "_M_t._M_t.:_Head_base<0._M_head_impl", NULL },
	{ "shared_ptr<", TFS_HOLDS_POINTER, "_M_ptr", NULL },
	{ "optional<", TFS_HOLDS_VALUE, "_M_payload._M_payload._M_value", "_M_payload._M_engaged" },
	{ "array<", TFS_HOLDS_ARRAY, "_M_elems", NULL },
	{ "vector<", TFS_HOLDS_ROW, "_M_impl._M_start", NULL },
	/* libc++, before 19 and since */
	{ "unique_ptr<", TFS_HOLDS_POINTER, "__ptr_.:__compressed_pair_elem<.__value_", NULL },
	{ "unique_ptr<", TFS_HOLDS_POINTER, "__ptr_", NULL },
	{ "shared_ptr<", TFS_HOLDS_POINTER, "__ptr_", NULL },
	{ "optional<", TFS_HOLDS_VALUE, "__val_", "__engaged_" },
	{ "array<", TFS_HOLDS_ARRAY, "__elems_", NULL },
	{ "vector<", TFS_HOLDS_ROW, "__begin_", NULL },
};

static bool is_kept(enum tfs_holds how, const struct tfs_member *what)
{
	if (what->bits)
		return false;
	if (how == TFS_HOLDS_VALUE)
		return true;
	return what->type.class == (how == TFS_HOLDS_ARRAY ? TFS_TYPE_ARRAY : TFS_TYPE_POINTER);
}

int tfs_type_held(const struct tfs_scope *scope, const struct tfs_type *type, struct tfs_held *out)
{
	Dwarf_Die die = type->die;
	const char *name = type->class == TFS_TYPE_STRUCT ? dwarf_diename(&die) : NULL;
	int rc = -ENOENT;

	if (!name || family_of(&die) != FAMILY_CXX)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(keepers) && rc && rc != -ENOMEM; i++) {
		const struct keeper *k = &keepers[i];

		if (strncmp(name, k->name, strlen(k->name)) != 0)
			continue;
		memset(out, 0, sizeof(*out));
		out->how = k->how;
		rc = find_member(scope, type, k->what, &out->what);
		if (!rc && k->flag)
			rc = find_member(scope, type, k->flag, &out->flag);
		if (!rc && !is_kept(k->how, &out->what))
			rc = -ENOENT;
	}
	return rc == -ENOMEM ? rc : rc ? -ENOENT : 0;
}

bool tfs_type_is_reference(const struct tfs_type *type)
{
	Dwarf_Die die = type->die;
	const char *name;

	if (type->class != TFS_TYPE_POINTER)
		return false;
	switch (dwarf_tag(&die)) {
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return true;
	case DW_TAG_pointer_type:
		/* Rust's have no tag of their own; no name of a pointer of C begins so. */
		name = dwarf_diename(&die);
		return name && *name == '&';
	default:
		return false;
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/type-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
 * @type: @len is no number, but tells the type of what @data points at
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
		rc = tfs_type_member(scope, &at, word, out);
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
	for (size_t i = 0; i < sizeof(holders) / sizeof(holders[0]) && rc && rc != -ENOMEM; i++) {
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

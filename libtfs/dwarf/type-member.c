/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/type.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf-core.h"

/* Unnamed members in unnamed members. */
#define NEST_MAX 16
/* Members looked at in one struct, all levels together. */
#define MEMBERS_MAX 200000

struct search {
	const struct tfs_scope *scope;
	const char *name;
	unsigned int left;
};

/* Bytes from the start of the struct; a constant or plus_uconst. */
static int member_offset(Dwarf_Die *die, uint64_t *off)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;
	Dwarf_Word u;

	*off = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return 0;
	if (dwarf_formudata(&attr, &u) == 0) {
		*off = u;
		return 0;
	}
	/* Virtual bases are found at run time: more than one operation. */
	if (dwarf_getlocation(&attr, &op, &n) != 0 || n != 1 || op->atom != DW_OP_plus_uconst)
		return -EBADMSG;
	*off = op->number;
	return 0;
}

static int place(const struct search *s, Dwarf_Die *die, struct tfs_member *out)
{
	uint64_t bits, off, skip, storage;
	int rc = tfs_type_of(s->scope, die, &out->type);

	if (!rc)
		rc = member_offset(die, &off);
	if (rc)
		return rc;
	if (off > UINT32_MAX)
		return -EBADMSG;
	out->bit = off * 8;
	out->bits = 0;
	if (!tfs_type_uint(die, DW_AT_bit_size, &bits))
		return 0;
	if (!bits || bits > 64)
		return -EBADMSG;
	out->bits = (unsigned int)bits;
	if (tfs_type_uint(die, DW_AT_data_bit_offset, &skip)) {
		out->bit += skip;
		return 0;
	}
	if (!tfs_type_uint(die, DW_AT_bit_offset, &skip))
		return 0;
	if (!tfs_type_uint(die, DW_AT_byte_size, &storage) &&
	    tfs_type_size(s->scope, &out->type, &storage))
		return -EBADMSG;
	/* DWARF 3 counts from the most significant bit of the storage unit, on every machine. */
	if (storage > 16 || skip + bits > storage * 8)
		return -EBADMSG;
	out->bit += s->scope->machine->big ? skip : storage * 8 - skip - bits;
	return 0;
}

static int find(struct search *s, Dwarf_Die *parent, unsigned int depth, struct tfs_member *out);

/*
 * An enum of Rust that holds something else from time to time. If it can hold but one thing, that
 * is it; else what is there is known only when the program runs: -EBADMSG.
 */
static int find_variant(struct search *s, Dwarf_Die *part, unsigned int depth,
			struct tfs_member *out)
{
	unsigned int n = 0;
	int rc = -ENOENT;
	Dwarf_Die die;

	if (dwarf_child(part, &die) != 0)
		return -ENOENT;
	do {
		if (dwarf_tag(&die) != DW_TAG_variant)
			continue;
		n++;
		if (rc == -ENOENT)
			rc = find(s, &die, depth + 1, out);
	} while (dwarf_siblingof(&die, &die) == 0);
	return !rc && n > 1 ? -EBADMSG : rc;
}

/* A member of what is a part of the struct itself: an unnamed member, or a base. */
static int find_in_part(struct search *s, Dwarf_Die *die, unsigned int depth,
			struct tfs_member *out)
{
	struct tfs_member outer;
	int rc = place(s, die, &outer);

	if (rc && (tfs_type_of(s->scope, die, &outer.type) || dwarf_tag(die) != DW_TAG_inheritance))
		return -ENOENT;
	if (outer.type.class != TFS_TYPE_STRUCT)
		return -ENOENT;
	if (find(s, &outer.type.die, depth + 1, out))
		return -ENOENT;
	/* where a virtual base is, only the object says */
	if (rc)
		return -EBADMSG;
	out->bit += outer.bit;
	return 0;
}

/* In one of the bases; in two, C++ itself would not know which is meant. */
static int find_in_bases(struct search *s, Dwarf_Die *parent, unsigned int depth,
			 struct tfs_member *out)
{
	struct tfs_member one;
	Dwarf_Die die;
	int rc, found = -ENOENT;

	if (dwarf_child(parent, &die) != 0)
		return -ENOENT;
	do {
		if (!s->left--)
			return -EBADMSG;
		if (dwarf_tag(&die) != DW_TAG_inheritance)
			continue;
		rc = find_in_part(s, &die, depth, &one);
		if (rc == -ENOENT)
			continue;
		if (rc || !found)
			return -EBADMSG;
		found = 0;
		*out = one;
	} while (dwarf_siblingof(&die, &die) == 0);
	return found;
}

/* A static member of a class is a variable elsewhere: DWARF 4 and clang call it a member, too. */
static bool is_static(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable || dwarf_hasattr(die, DW_AT_external);
}

/* The struct's own members come before those of its bases: they hide them. */
static int find(struct search *s, Dwarf_Die *parent, unsigned int depth, struct tfs_member *out)
{
	Dwarf_Die die;
	const char *own;
	int rc, tag;

	if (depth > NEST_MAX || dwarf_child(parent, &die) != 0)
		return -ENOENT;
	do {
		if (!s->left--)
			return -EBADMSG;
		tag = dwarf_tag(&die);
		rc = -ENOENT;
		if (tag == DW_TAG_variant_part)
			rc = find_variant(s, &die, depth, out);
		if (tag == DW_TAG_member || tag == DW_TAG_variable) {
			own = dwarf_diename(&die);
			if (own && strcmp(own, s->name) == 0)
				return is_static(&die) ? -ENOENT : place(s, &die, out);
			if (!own && tag == DW_TAG_member)
				rc = find_in_part(s, &die, depth, out);
		}
		if (rc != -ENOENT)
			return rc;
	} while (dwarf_siblingof(&die, &die) == 0);
	return find_in_bases(s, parent, depth, out);
}

int tfs_type_member(const struct tfs_scope *scope, const struct tfs_type *type, const char *name,
		    struct tfs_member *out)
{
	struct search s = { .scope = scope, .name = name, .left = MEMBERS_MAX };
	Dwarf_Die die = type->die;
	char rust[24];
	int rc;

	if (dwarf_hasattr(&die, DW_AT_declaration))
		return -ENODATA;
	rc = find(&s, &die, 0, out);
	/* what a source of Rust's calls t.0 is __0 */
	if (rc == -ENOENT && *name && strspn(name, "0123456789") == strlen(name) &&
	    (size_t)snprintf(rust, sizeof(rust), "__%s", name) < sizeof(rust)) {
		s.name = rust;
		rc = find(&s, &die, 0, out);
	}
	return rc;
}

int tfs_type_members(const struct tfs_type *type, unsigned int max, struct tfs_strbuf *out)
{
	Dwarf_Die die = type->die;
	unsigned int n = 0;
	int rc = 0;

	if (type->class != TFS_TYPE_STRUCT || dwarf_child(&die, &die) != 0)
		return 0;
	do {
		const char *own = dwarf_tag(&die) == DW_TAG_member ? dwarf_diename(&die) : NULL;

		if (!own)
			continue;
		if (n++ == max)
			return tfs_strbuf_adds(out, ", ...");
		rc = tfs_strbuf_addf(out, "%s%s", n > 1 ? ", " : "", own);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

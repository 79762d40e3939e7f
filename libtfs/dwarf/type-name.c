/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/type.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>

#include "base/strbuf-core.h"

/* Deeper types are cut: a person reads this. */
#define DEPTH_MAX 12

static int name_type(Dwarf_Die *die, unsigned int depth, struct tfs_strbuf *out);

/* The type @die refers to; "void" if to none. */
static int name_of(Dwarf_Die *die, unsigned int depth, struct tfs_strbuf *out)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (depth > DEPTH_MAX)
		return tfs_strbuf_adds(out, "...");
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return tfs_strbuf_adds(out, "void");
	if (!dwarf_formref_die(&attr, &type))
		return tfs_strbuf_adds(out, "(unknown type)");
	return name_type(&type, depth, out);
}

static int add_dims(Dwarf_Die *array, struct tfs_strbuf *out)
{
	uint64_t n;
	Dwarf_Die die;
	int rc = 0;

	if (dwarf_child(array, &die) != 0)
		return tfs_strbuf_adds(out, "[]");
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (tfs_type_uint(&die, DW_AT_count, &n))
			rc = tfs_strbuf_addf(out, "[%" PRIu64 "]", n);
		else if (tfs_type_uint(&die, DW_AT_upper_bound, &n) && n < UINT32_MAX)
			rc = tfs_strbuf_addf(out, "[%" PRIu64 "]", n + 1);
		else
			rc = tfs_strbuf_adds(out, "[]");
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

static int add_params(Dwarf_Die *func, unsigned int depth, struct tfs_strbuf *out)
{
	Dwarf_Die die;
	bool any = false;
	int rc = tfs_strbuf_addc(out, '(');

	if (rc || dwarf_child(func, &die) != 0)
		return rc ? rc : tfs_strbuf_adds(out, "void)");
	do {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		if (any)
			rc = tfs_strbuf_adds(out, ", ");
		any = true;
		if (!rc)
			rc = name_of(&die, depth + 1, out);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc ? rc : tfs_strbuf_addc(out, ')');
}

static int add_pointer(Dwarf_Die *die, unsigned int depth, struct tfs_strbuf *out)
{
	int tag = dwarf_tag(die), rc;
	const char *sign = tag == DW_TAG_pointer_type   ? "*" :
			   tag == DW_TAG_reference_type ? "&" :
							  "&&";
	Dwarf_Attribute attr;
	Dwarf_Die to;

	if (dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, &to) &&
	    dwarf_tag(&to) == DW_TAG_subroutine_type && depth < DEPTH_MAX) {
		rc = name_of(&to, depth + 1, out);
		if (!rc)
			rc = tfs_strbuf_addf(out, "(%s)", sign);
		return rc ? rc : add_params(&to, depth + 1, out);
	}
	rc = name_of(die, depth + 1, out);
	if (!rc && out->len && out->s[out->len - 1] != '*' && out->s[out->len - 1] != '&')
		rc = tfs_strbuf_addc(out, ' ');
	return rc ? rc : tfs_strbuf_adds(out, sign);
}

static bool is_qualified(Dwarf_Die *die, int tag)
{
	Dwarf_Attribute attr;
	Dwarf_Die to;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, &to) &&
	       dwarf_tag(&to) == tag;
}

/* const char *, but char *const: before what it qualifies, unless that is a pointer. */
static int add_qualified(Dwarf_Die *die, const char *word, unsigned int depth,
			 struct tfs_strbuf *out)
{
	Dwarf_Attribute attr;
	Dwarf_Die to = *die;
	int rc;

	if (dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, &to) &&
	    dwarf_tag(&to) == DW_TAG_pointer_type) {
		rc = name_of(die, depth + 1, out);
		return rc ? rc : tfs_strbuf_adds(out, word);
	}
	/* gcc says of an array both that it is constant and that its elements are */
	if (dwarf_tag(&to) == DW_TAG_array_type && is_qualified(&to, dwarf_tag(die)))
		return name_of(die, depth + 1, out);
	rc = tfs_strbuf_addf(out, "%s ", word);
	return rc ? rc : name_of(die, depth + 1, out);
}

static int add_named(Dwarf_Die *die, const char *kind, struct tfs_strbuf *out)
{
	const char *name = dwarf_diename(die);

	return tfs_strbuf_addf(out, "%s%s", kind, name ? name : "{...}");
}

static int name_type(Dwarf_Die *die, unsigned int depth, struct tfs_strbuf *out)
{
	int rc;

	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
		return add_named(die, "struct ", out);
	case DW_TAG_union_type:
		return add_named(die, "union ", out);
	case DW_TAG_enumeration_type:
		return add_named(die, "enum ", out);
	case DW_TAG_const_type:
		return add_qualified(die, "const", depth, out);
	case DW_TAG_volatile_type:
		return add_qualified(die, "volatile", depth, out);
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return name_of(die, depth + 1, out);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return add_pointer(die, depth, out);
	case DW_TAG_array_type:
		rc = name_of(die, depth + 1, out);
		return rc ? rc : add_dims(die, out);
	case DW_TAG_subroutine_type:
		rc = name_of(die, depth + 1, out);
		return rc ? rc : add_params(die, depth, out);
	default:
		return add_named(die, "", out);
	}
}

int tfs_type_name(Dwarf_Die *die, struct tfs_strbuf *out)
{
	return name_of(die, 0, out);
}

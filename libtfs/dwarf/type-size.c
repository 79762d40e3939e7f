/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/type.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/meaning.h"
#include "dwarf/debuginfo-internal.h"

/* Typedef of typedef: no program has so many, damaged information may go round in a circle. */
#define CHAIN_MAX 64
/* Arrays of arrays that have names of their own. */
#define ARRAYS_MAX 32
/* Dimensions of an array. */
#define DIMS_MAX 16

bool tfs_type_uint(Dwarf_Die *die, unsigned int name, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word u;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &u) != 0)
		return false;
	*out = u;
	return true;
}

const char *tfs_var_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

static bool is_alias(int tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return true;
	default:
		return false;
	}
}

static enum tfs_type_class base_class(Dwarf_Die *die, bool *is_signed)
{
	uint64_t enc = 0, size = 0;
	const char *name = dwarf_diename(die);

	tfs_type_uint(die, DW_AT_encoding, &enc);
	tfs_type_uint(die, DW_AT_byte_size, &size);
	*is_signed = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	switch (enc) {
	case DW_ATE_boolean:
		return TFS_TYPE_BOOL;
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		return TFS_TYPE_FLOAT;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		return size == 1 && name && strcmp(name, "char") == 0 ? TFS_TYPE_CHAR :
									TFS_TYPE_INT;
	default:
		return TFS_TYPE_INT;
	}
}

/* Signedness of the underlying type; only a damaged file has one that is not a base type. */
static bool is_signed_enum(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die at = *die;
	bool is_signed = false;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!dwarf_attr(&at, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &at))
			return false;
		if (dwarf_tag(&at) == DW_TAG_base_type)
			base_class(&at, &is_signed);
		if (!is_alias(dwarf_tag(&at)))
			return is_signed;
	}
	return false;
}

static int classify(const struct tfs_scope *scope, struct tfs_type *t)
{
	switch (dwarf_tag(&t->die)) {
	case DW_TAG_base_type:
		t->class = base_class(&t->die, &t->is_signed);
		break;
	case DW_TAG_enumeration_type:
		t->class = TFS_TYPE_ENUM;
		t->is_signed = is_signed_enum(&t->die);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		t->class = TFS_TYPE_POINTER;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
		t->class = TFS_TYPE_STRUCT;
		tfs_type_define(scope, &t->die);
		break;
	case DW_TAG_array_type:
		t->class = TFS_TYPE_ARRAY;
		break;
	case -1:
		return -EBADMSG;
	default:
		t->class = TFS_TYPE_OTHER;
	}
	return 0;
}

int tfs_type_of(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_type *out)
{
	Dwarf_Attribute attr;
	Dwarf_Die at = *die;
	int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < CHAIN_MAX; i++) {
		/* No type at all is void. */
		if (!dwarf_attr_integrate(&at, DW_AT_type, &attr))
			return 0;
		if (!dwarf_formref_die(&attr, &out->die))
			return -EBADMSG;
		at = out->die;
		if (!is_alias(dwarf_tag(&at)))
			return classify(scope, out);
	}
	return -EBADMSG;
}

/* Elements of a DW_TAG_subrange_type or, for a dimension indexed by an enum, its values. */
static bool dim_count(Dwarf_Die *dim, uint64_t *count)
{
	uint64_t upper, lower = 0;

	if (tfs_type_uint(dim, DW_AT_count, count))
		return true;
	if (!tfs_type_uint(dim, DW_AT_upper_bound, &upper))
		return false;
	tfs_type_uint(dim, DW_AT_lower_bound, &lower);
	/* int a[0] is said with an upper bound of -1. */
	*count = upper - lower + 1;
	return *count <= UINT32_MAX;
}

static unsigned int dims(const struct tfs_type *type, uint64_t *count, bool *known)
{
	Dwarf_Die array = type->die, die;
	unsigned int n = 0;

	*known = true;
	if (dwarf_child(&array, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type &&
		    dwarf_tag(&die) != DW_TAG_enumeration_type)
			continue;
		count[n] = 0;
		if (!dim_count(&die, &count[n]) && n)
			*known = false;
		n++;
	} while (n < DIMS_MAX && dwarf_siblingof(&die, &die) == 0);
	return n;
}

static int size_of(const struct tfs_scope *scope, const struct tfs_type *type, unsigned int depth,
		   uint64_t *size);

static int element_of(const struct tfs_scope *scope, const struct tfs_type *type,
		      unsigned int depth, struct tfs_type *element, uint64_t *stride,
		      uint64_t *count)
{
	uint64_t counts[DIMS_MAX], size;
	Dwarf_Die array = type->die;
	struct tfs_type innermost;
	unsigned int i, n;
	bool known;
	int rc;

	if (type->class != TFS_TYPE_ARRAY)
		return -EINVAL;
	n = dims(type, counts, &known);
	rc = tfs_type_of(scope, &array, &innermost);
	if (rc)
		return rc;
	if (!known || size_of(scope, &innermost, depth + 1, &size))
		return -ENOENT;
	if (dwarf_hasattr(&array, DW_AT_byte_stride))
		tfs_type_uint(&array, DW_AT_byte_stride, &size);
	for (i = type->dim + 1; i < n; i++) {
		if (__builtin_mul_overflow(size, counts[i], &size))
			return -ENOENT;
	}
	*stride = size;
	if (count)
		*count = type->dim < n ? counts[type->dim] : 0;
	if (type->dim + 1 < n) {
		*element = *type;
		element->dim++;
	} else {
		*element = innermost;
	}
	return 0;
}

int tfs_type_element(const struct tfs_scope *scope, const struct tfs_type *type,
		     struct tfs_type *element, uint64_t *stride, uint64_t *count)
{
	return element_of(scope, type, 0, element, stride, count);
}

static int array_size(const struct tfs_scope *scope, const struct tfs_type *type,
		      unsigned int depth, uint64_t *size)
{
	struct tfs_type element;
	uint64_t stride, count;
	int rc;

	if (!type->dim && tfs_type_uint((Dwarf_Die *)&type->die, DW_AT_byte_size, size))
		return 0;
	rc = element_of(scope, type, depth, &element, &stride, &count);
	if (rc)
		return rc;
	return __builtin_mul_overflow(stride, count, size) ? -ENOENT : 0;
}

static int size_of(const struct tfs_scope *scope, const struct tfs_type *type, unsigned int depth,
		   uint64_t *size)
{
	Dwarf_Die die = type->die;
	struct tfs_type under;

	if (depth > ARRAYS_MAX)
		return -ENOENT;
	switch (type->class) {
	case TFS_TYPE_VOID:
	case TFS_TYPE_OTHER:
		return -ENOENT;
	case TFS_TYPE_ARRAY:
		return array_size(scope, type, depth, size);
	case TFS_TYPE_POINTER:
		/* clang gives pointers no size. */
		if (!tfs_type_uint(&die, DW_AT_byte_size, size))
			*size = scope->machine->bits / 8;
		return 0;
	case TFS_TYPE_ENUM:
		if (tfs_type_uint(&die, DW_AT_byte_size, size))
			return 0;
		if (!dwarf_hasattr(&die, DW_AT_type) || tfs_type_of(scope, &die, &under) ||
		    under.class == TFS_TYPE_ENUM)
			return -ENOENT;
		return size_of(scope, &under, depth + 1, size);
	default:
		return tfs_type_uint(&die, DW_AT_byte_size, size) ? 0 : -ENOENT;
	}
}

int tfs_type_size(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t *size)
{
	return size_of(scope, type, 0, size);
}

int tfs_type_enumerators(const struct tfs_type *type, unsigned int bits, struct tfs_meaning *out)
{
	uint64_t value, mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
	Dwarf_Die die = type->die;
	int rc = 0;

	if (dwarf_child(&die, &die) != 0)
		return 0;
	do {
		const char *name = dwarf_diename(&die);

		if (dwarf_tag(&die) == DW_TAG_enumerator && name &&
		    tfs_type_uint(&die, DW_AT_const_value, &value))
			rc = tfs_meaning_add(out, value & mask, name);
	} while (rc != -ENOMEM && dwarf_siblingof(&die, &die) == 0);
	return rc == -ENOMEM ? rc : 0;
}

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

/*
 * An array is a list of dimensions, each with its first index, its count, and how many bytes one
 * element of it is from the next. Any of these may be an expression of the descriptor that the
 * program makes (Fortran's allocatable and assumed-shape arrays), or a variable (C's arrays of
 * variable length), and is then unknown here. Without a stride of its own a dimension's is the size
 * of an element times the counts of the dimensions that vary faster: those after it, or before it
 * where columns come first.
 */
struct dim {
	int64_t first;
	uint64_t count, stride;
	bool has_first, has_count, has_stride, own_stride;
};

/* A constant, with its sign; false: none, or an expression */
static bool bound(Dwarf_Die *die, unsigned int name, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Sword s;

	if (!dwarf_attr_integrate(die, name, &attr))
		return false;
	if (dwarf_whatform(&attr) != DW_FORM_sdata &&
	    dwarf_whatform(&attr) != DW_FORM_implicit_const)
		return tfs_type_uint(die, name, out);
	if (dwarf_formsdata(&attr, &s))
		return false;
	*out = (uint64_t)s;
	return true;
}

/* The index of the first element, if it is not declared; of an enum's it is the least value. */
static int64_t default_first(Dwarf_Die *dim)
{
	Dwarf_Sword first = 0;
	Dwarf_Die unit;

	if (dwarf_tag(dim) != DW_TAG_subrange_type || !dwarf_diecu(dim, &unit, NULL, NULL) ||
	    dwarf_default_lower_bound(dwarf_srclang(&unit), &first))
		return 0;
	return first;
}

/* The stride of @die, an array or one of its dimensions. False: it has none of its own. */
static bool own_stride(Dwarf_Die *die, struct dim *dim)
{
	uint64_t bits;

	if (dwarf_hasattr(die, DW_AT_byte_stride)) {
		dim->has_stride = tfs_type_uint(die, DW_AT_byte_stride, &dim->stride);
		return true;
	}
	if (!dwarf_hasattr(die, DW_AT_bit_stride))
		return false;
	dim->has_stride = tfs_type_uint(die, DW_AT_bit_stride, &bits) && bits % 8 == 0;
	dim->stride = dim->has_stride ? bits / 8 : 0;
	return true;
}

/* A DW_TAG_subrange_type or, for a dimension indexed by an enum, its values. */
static struct dim read_dim(Dwarf_Die *die)
{
	struct dim dim = { .first = default_first(die) };
	uint64_t upper, first = (uint64_t)dim.first;

	dim.has_first = !dwarf_hasattr(die, DW_AT_lower_bound) ||
			bound(die, DW_AT_lower_bound, &first);
	dim.first = (int64_t)first;
	dim.own_stride = own_stride(die, &dim);
	dim.has_count = tfs_type_uint(die, DW_AT_count, &dim.count);
	if (!dim.has_count && dim.has_first && bound(die, DW_AT_upper_bound, &upper)) {
		/* int a[0] is said with an upper bound of -1. */
		dim.count = upper - first + 1;
		dim.has_count = dim.count <= UINT32_MAX;
	}
	return dim;
}

static unsigned int dims(const struct tfs_type *type, struct dim *dim)
{
	Dwarf_Die array = type->die, die;
	unsigned int n = 0;

	if (dwarf_child(&array, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_subrange_type ||
		    dwarf_tag(&die) == DW_TAG_enumeration_type)
			dim[n++] = read_dim(&die);
	} while (n < DIMS_MAX && dwarf_siblingof(&die, &die) == 0);
	return n;
}

static int size_of(const struct tfs_scope *scope, const struct tfs_type *type, unsigned int depth,
		   uint64_t *size);

static bool columns_first(Dwarf_Die *array)
{
	uint64_t ordering = DW_ORD_row_major;

	return tfs_type_uint(array, DW_AT_ordering, &ordering) && ordering == DW_ORD_col_major;
}

/* The stride of dimension @k of @n: @size bytes, times what varies faster; false: not known */
static bool stride_of(const struct tfs_type *type, const struct dim *dim, unsigned int n,
		      unsigned int k, uint64_t *size)
{
	Dwarf_Die array = type->die;
	bool columns = columns_first(&array);

	for (unsigned int i = columns ? 0 : k + 1; i < (columns ? k : n); i++) {
		if (!dim[i].has_count || __builtin_mul_overflow(*size, dim[i].count, size))
			return false;
	}
	return true;
}

static int elements_of(const struct tfs_scope *scope, const struct tfs_type *type,
		       unsigned int depth, struct tfs_elements *out)
{
	struct dim dim[DIMS_MAX], whole = { 0 };
	Dwarf_Die array = type->die;
	unsigned int n, k = type->dim;
	bool has_size;
	int rc;

	memset(out, 0, sizeof(*out));
	if (type->class != TFS_TYPE_ARRAY)
		return -EINVAL;
	rc = tfs_type_of(scope, &array, &out->type);
	if (rc)
		return rc;
	n = dims(type, dim);
	if (k >= n)
		return 0;
	out->first = dim[k].first;
	out->has_first = dim[k].has_first;
	out->count = dim[k].count;
	out->has_count = dim[k].has_count;
	has_size = !size_of(scope, &out->type, depth + 1, &out->stride);
	out->varies = has_size || out->type.class == TFS_TYPE_ARRAY;
	if (dim[k].own_stride || own_stride(&array, &whole)) {
		out->has_stride = dim[k].own_stride ? dim[k].has_stride : whole.has_stride;
		out->stride = dim[k].own_stride ? dim[k].stride : whole.stride;
	} else {
		out->has_stride = has_size;
	}
	if (!dim[k].own_stride)
		out->has_stride = out->has_stride && stride_of(type, dim, n, k, &out->stride);
	if (k + 1 < n) {
		out->type = *type;
		out->type.dim++;
	}
	return 0;
}

int tfs_type_elements(const struct tfs_scope *scope, const struct tfs_type *type,
		      struct tfs_elements *out)
{
	return elements_of(scope, type, 0, out);
}

int tfs_type_element(const struct tfs_scope *scope, const struct tfs_type *type,
		     struct tfs_type *element, uint64_t *stride, uint64_t *count)
{
	struct tfs_elements e;
	int rc = elements_of(scope, type, 0, &e);

	if (rc)
		return rc;
	*element = e.type;
	*stride = e.stride;
	if (count)
		*count = e.has_count ? e.count : 0;
	return e.has_stride ? 0 : -ENOENT;
}

int tfs_type_described(const struct tfs_type *type, uint64_t *at, uint64_t *add)
{
	Dwarf_Die array = type->die;
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n, i = 1;

	*at = *add = 0;
	if (type->class != TFS_TYPE_ARRAY || type->dim ||
	    !dwarf_attr_integrate(&array, DW_AT_data_location, &attr))
		return 0;
	if (dwarf_getlocation(&attr, &op, &n) || !n || op[0].atom != DW_OP_push_object_address)
		return -EOPNOTSUPP;
	if (i < n && op[i].atom == DW_OP_plus_uconst)
		*at = op[i++].number;
	if (i == n || op[i++].atom != DW_OP_deref)
		return -EOPNOTSUPP;
	if (i < n && op[i].atom == DW_OP_plus_uconst)
		*add = op[i++].number;
	return i == n && *at <= UINT16_MAX && *add <= UINT16_MAX ? 1 : -EOPNOTSUPP;
}

/* All dimensions that are left, which have to follow each other without gaps. */
static int array_size(const struct tfs_scope *scope, const struct tfs_type *type,
		      unsigned int depth, uint64_t *size)
{
	struct tfs_type slowest = *type;
	Dwarf_Die array = type->die;
	struct dim dim[DIMS_MAX];
	struct tfs_elements e;
	int rc;

	if (dwarf_hasattr(&array, DW_AT_data_location))
		return -ENOENT;
	if (!type->dim && tfs_type_uint(&array, DW_AT_byte_size, size))
		return 0;
	if (columns_first(&array)) {
		unsigned int n = dims(type, dim);

		if (type->dim || !n)
			return -ENOENT;
		slowest.dim = n - 1;
	}
	rc = elements_of(scope, &slowest, depth, &e);
	if (rc)
		return rc;
	if (!e.has_stride || !e.has_count || __builtin_mul_overflow(e.stride, e.count, size))
		return -ENOENT;
	return 0;
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

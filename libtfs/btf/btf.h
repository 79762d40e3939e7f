/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BTF_BTF_H
#define TFS_BTF_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;

/** enum tfs_btf_kind - BTF_KIND_* of the kernel's Documentation/bpf/btf.rst */
enum tfs_btf_kind {
	TFS_BTF_VOID,
	TFS_BTF_INT,
	TFS_BTF_PTR,
	TFS_BTF_ARRAY,
	TFS_BTF_STRUCT,
	TFS_BTF_UNION,
	TFS_BTF_ENUM,
	TFS_BTF_FWD,
	TFS_BTF_TYPEDEF,
	TFS_BTF_VOLATILE,
	TFS_BTF_CONST,
	TFS_BTF_RESTRICT,
	TFS_BTF_FUNC,
	TFS_BTF_FUNC_PROTO,
	TFS_BTF_VAR,
	TFS_BTF_DATASEC,
	TFS_BTF_FLOAT,
	TFS_BTF_DECL_TAG,
	TFS_BTF_TYPE_TAG,
	TFS_BTF_ENUM64,
};

/**
 * struct tfs_btf - type information of the kernel or of a module
 *
 * Constant once made; nothing in the bytes is trusted.
 */
struct tfs_btf;

/**
 * struct tfs_btf_type - one type
 * @name: "" if it has none; borrowed
 * @size: bytes, of what has a size
 * @ref: the type that it is made from
 * @n: members, parameters or values
 * @flag: kind_flag: members have sizes in bits; an enumeration is signed
 * @data: what follows it
 */
struct tfs_btf_type {
	uint32_t id;
	enum tfs_btf_kind kind;
	const char *name;
	uint32_t size;
	uint32_t ref;
	uint32_t n;
	bool flag;
	const unsigned char *data;
};

/** struct tfs_btf_member - of a struct or union; @bits is 0 unless it is a bitfield */
struct tfs_btf_member {
	const char *name;
	uint32_t type;
	uint64_t bit;
	unsigned int bits;
};

/**
 * tfs_btf_new() - take BTF apart
 * @data: copied
 * @base: what split BTF of a module continues, the kernel's; borrowed, has to outlive the result.
 *	NULL for the kernel's own
 *
 * Return: 0, -EBADMSG for what is no BTF or contradicts itself, -ENOMEM.
 */
int tfs_btf_new(const void *data, size_t size, const struct tfs_btf *base, struct tfs_btf **out,
		struct tfs_err *err);
void tfs_btf_free(struct tfs_btf *btf);

/** tfs_btf_type() - a type by its number; 0 or -EBADMSG */
int tfs_btf_type(const struct tfs_btf *btf, uint32_t id, struct tfs_btf_type *out);
/** tfs_btf_peel() - the type without typedefs and qualifiers; 0 or -EBADMSG */
int tfs_btf_peel(const struct tfs_btf *btf, uint32_t id, struct tfs_btf_type *out);

/** tfs_btf_func() - the prototype of a function; 0, -ENOENT */
int tfs_btf_func(const struct tfs_btf *btf, const char *name, struct tfs_btf_type *proto);
/** tfs_btf_struct() - the definition of a struct or union that is only declared; 0, -ENOENT */
int tfs_btf_struct(const struct tfs_btf *btf, const char *name, enum tfs_btf_kind kind,
		   struct tfs_btf_type *out);

/**
 * tfs_btf_find_member() - a member by name, also of an unnamed struct or union in it
 * @out: its @bit counts from the start of @type
 *
 * Return: 0, -ENOENT, -EBADMSG.
 */
int tfs_btf_find_member(const struct tfs_btf *btf, const struct tfs_btf_type *type,
			const char *name, struct tfs_btf_member *out);
/** tfs_btf_param() - the @i-th of a prototype; a variable list's end has type 0; 0 or -EBADMSG */
int tfs_btf_param(const struct tfs_btf *btf, const struct tfs_btf_type *proto, uint32_t i,
		  const char **name, uint32_t *type);
/** tfs_btf_array() - of an array: the element's type, and how many */
void tfs_btf_array(const struct tfs_btf *btf, const struct tfs_btf_type *type, uint32_t *element,
		   uint32_t *n);
/** tfs_btf_is_signed() - an integer or enumeration with a sign */
bool tfs_btf_is_signed(const struct tfs_btf *btf, const struct tfs_btf_type *type);
/** tfs_btf_size() - bytes of a type, typedefs and arrays included; 0, -EBADMSG, -ENODATA: none */
int tfs_btf_size(const struct tfs_btf *btf, uint32_t id, unsigned int pointer, uint64_t *size);

/** tfs_btf_enum_func() - take an enumerator, its value in 64 bits; nonzero ends the walk */
typedef int tfs_btf_enum_func(void *context, const char *name, uint64_t value);
/**
 * tfs_btf_enums() - the values of all enumerations of @btf, without those of its base
 *
 * BTF_KIND_ENUM and BTF_KIND_ENUM64 of the kernel's Documentation/bpf/btf.rst. A 32-bit value is
 * extended with its sign if the enumeration is said to be signed; kernels before 6.0 never say so,
 * and there a value with the highest bit set stays as it is.
 * Return: 0, or what @found returned.
 */
int tfs_btf_enums(const struct tfs_btf *btf, tfs_btf_enum_func *found, void *context);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/value.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/cursor.h"
#include "base/macros.h"
#include "printfmt/convs.h"
#include "printfmt/program.h"

/* "#" and a number: what a name that is there already gets. */
#define SUFFIX_MAX 16
#define LONG 0

/* Bytes of an element, by the words of its type that say so. */
static const struct {
	const char *word;
	unsigned int size; /* LONG: the recording's */
} type_words[] = {
	{ "char", 1 },    { "bool", 1 },     { "u8", 1 },        { "s8", 1 },
	{ "uint8_t", 1 }, { "int8_t", 1 },   { "short", 2 },     { "u16", 2 },
	{ "s16", 2 },     { "uint16_t", 2 }, { "int16_t", 2 },   { "le16", 2 },
	{ "be16", 2 },    { "unsigned", 4 }, { "int", 4 },       { "u32", 4 },
	{ "s32", 4 },     { "uint32_t", 4 }, { "int32_t", 4 },   { "le32", 4 },
	{ "be32", 4 },    { "pid_t", 4 },    { "gfp_t", 4 },     { "u64", 8 },
	{ "s64", 8 },     { "uint64_t", 8 }, { "int64_t", 8 },   { "le64", 8 },
	{ "be64", 8 },    { "long", LONG },  { "size_t", LONG },
};

/* @size: set to the word's, if it is one that has any */
static bool type_word(const char *word, size_t len, unsigned int *size)
{
	size_t i;

	/* __u8 is u8 */
	if (len > 2 && !strncmp(word, "__", 2)) {
		word += 2;
		len -= 2;
	}
	for (i = 0; i < ARRAY_SIZE(type_words); i++) {
		if (strlen(type_words[i].word) != len || strncmp(type_words[i].word, word, len))
			continue;
		*size = type_words[i].size;
		return true;
	}
	return false;
}

/**
 * struct element - what an array is of
 * @size: bytes, 0 when the type says nothing
 * @text: plain char, neither signed nor unsigned
 */
struct element {
	unsigned int size;
	bool text;
};

/* "__data_loc unsigned long[]", "const char[16]" */
static struct element element_type(const char *type, unsigned int long_size)
{
	struct element e = { 0, false };
	unsigned int longs = 0, size;
	bool has_sign = false;
	size_t len;

	for (; *type && *type != '['; type += len ? len : 1) {
		for (len = 0; isalnum((unsigned char)type[len]) || type[len] == '_'; len++)
			;
		if (!type_word(type, len, &size))
			continue;
		has_sign |= len == 8 && !strncmp(type, "unsigned", len);
		e.text = len == 4 && !strncmp(type, "char", len);
		longs += size == LONG;
		/* "short int" and "long int" are what their first word says. */
		if (len != 3 || strncmp(type, "int", len) || !(e.size || longs))
			e.size = size;
	}
	if (longs)
		e.size = longs > 1 ? 8 : long_size;
	e.text = e.text && !has_sign;
	return e;
}

static bool is_number_size(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The field that an argument of a print format is, if it is a field and not computed. */
static const char *argument_field(const struct tep_print_arg *arg)
{
	for (; arg;) {
		switch (arg->type) {
		case TEP_PRINT_FIELD:
			return arg->field.name;
		case TEP_PRINT_TYPE:
			arg = arg->typecast.item;
			break;
		case TEP_PRINT_OP:
			arg = !strcmp(arg->op.op, "[") ? arg->op.left : NULL;
			break;
		default:
			return NULL;
		}
	}
	return NULL;
}

/* "%pI4" and the like do not print addresses. */
static bool is_address_suffix(char c)
{
	return !isalnum((unsigned char)c) || strchr("sSfFBKx", c);
}

/* Is the field itself an argument of a conversion @conv in the print format? */
static bool printed_by(struct tep_event *event, const char *field, char conv)
{
	struct tfs_convs convs;
	struct tfs_conv c;
	const char *name;

	if (!event->print_fmt.format)
		return false;
	tfs_convs_init(&convs, event->print_fmt.format, event->print_fmt.args);
	while (tfs_convs_next(&convs, &c)) {
		name = c.conv == conv ? argument_field(c.arg) : NULL;
		if (name && !strcmp(name, field) && (conv != 'p' || is_address_suffix(*c.suffix)))
			return true;
	}
	return false;
}

static bool printed_as_mask(const struct tep_event *event, const char *field)
{
	const struct tep_print_arg *arg;

	for (arg = event->print_fmt.args; arg; arg = arg->next)
		if (arg->type == TEP_PRINT_BITMASK && arg->bitmask.bitmask &&
		    !strcmp(arg->bitmask.bitmask, field))
			return true;
	return false;
}

static bool is_mask(const struct tep_event *event, const struct tep_format_field *f)
{
	if (strstr(f->type, "cpumask_t"))
		return true;
	return (f->flags & TEP_FIELD_IS_DYNAMIC) && strstr(f->type, "long") &&
	       printed_as_mask(event, f->name);
}

/* ftrace's stacks: a format names eight entries where the record has as many as it needs */
static bool is_stack(const struct tep_event *event, const struct tep_format_field *f)
{
	return !strcmp(event->system, "ftrace") && !strcmp(event->name, "kernel_stack") &&
	       !strcmp(f->name, "caller");
}

/* Where a probe was hit, and of a return probe whose return; their print formats say "%lx" */
static bool is_probe_place(const struct tep_format_field *f)
{
	return !strcmp(f->name, "__probe_ip") || !strcmp(f->name, "__probe_func") ||
	       !strcmp(f->name, "__probe_ret_ip");
}

static enum tfs_field_place place(const struct tep_event *event, const struct tep_format_field *f)
{
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		return TFS_FIELD_REL_LOC;
	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		return TFS_FIELD_DATA_LOC;
	return f->size && !is_stack(event, f) ? TFS_FIELD_FIXED : TFS_FIELD_REST;
}

static void classify_array(struct tep_event *event, const struct tep_format_field *f,
			   unsigned int long_size, struct tfs_field *out)
{
	bool pointers = (f->flags & TEP_FIELD_IS_POINTER) != 0;
	bool is_signed = (f->flags & TEP_FIELD_IS_SIGNED) != 0 && !pointers;
	struct element e = element_type(f->type, long_size);

	if (pointers)
		e = (struct element){ long_size, false };
	if (f->arraylen && !(f->flags & TEP_FIELD_IS_DYNAMIC))
		e.size = (unsigned int)f->size / f->arraylen;
	/* A probe's text is an array of u8. */
	if (e.size == 1 && (e.text || printed_by(event, f->name, 's'))) {
		out->kind = TFS_VALUE_STRING;
	} else if (!is_number_size(e.size) || (e.size == 1 && !is_signed)) {
		out->kind = TFS_VALUE_BYTES;
	} else {
		out->array = true;
		out->element = e.size;
		out->kind = is_signed ? TFS_VALUE_SIGNED : TFS_VALUE_UNSIGNED;
		if (e.size == long_size &&
		    (pointers || is_stack(event, f) || printed_by(event, f->name, 'p')))
			out->kind = TFS_VALUE_ADDRESS;
	}
}

static void classify(struct tep_event *event, const struct tep_format_field *f,
		     unsigned int long_size, struct tfs_field *out)
{
	out->place = place(event, f);
	out->offset = (unsigned int)f->offset;
	out->size = (unsigned int)f->size;
	out->big = tep_is_file_bigendian(event->tep);
	out->element = 1;
	out->count = -1;
	if (out->place != TFS_FIELD_FIXED && out->place != TFS_FIELD_REST && out->size != 4) {
		/* Only a word can say where the value is. */
		out->place = TFS_FIELD_FIXED;
		out->kind = TFS_VALUE_BYTES;
	} else if (is_mask(event, f)) {
		out->kind = TFS_VALUE_MASK;
		out->element = long_size;
	} else if (f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) ||
		   out->place == TFS_FIELD_REST) {
		classify_array(event, f, long_size, out);
	} else if (!is_number_size(out->size)) {
		out->kind = TFS_VALUE_BYTES;
	} else {
		out->element = out->size;
		out->device = !strcmp(f->type, "dev_t");
		out->kind = f->flags & TEP_FIELD_IS_SIGNED ? TFS_VALUE_SIGNED : TFS_VALUE_UNSIGNED;
		if (f->flags & TEP_FIELD_IS_POINTER ||
		    (out->size == long_size &&
		     (is_probe_place(f) || printed_by(event, f->name, 'p'))))
			out->kind = TFS_VALUE_ADDRESS;
	}
}

/* A copy of the name, followed by a number for the second of a name */
static int set_name(struct tfs_fields *fields, size_t i, const char *name)
{
	size_t len = strlen(name);
	struct tfs_field *f = &fields->field[i];
	unsigned int nth = 1;

	f->name = malloc(len + SUFFIX_MAX);
	if (!f->name)
		return -ENOMEM;
	memcpy(f->name, name, len + 1);
	f->name_len = len;
	while (tfs_fields_find(fields, f->name, f->name_len) != f)
		f->name_len = len + (size_t)snprintf(f->name + len, SUFFIX_MAX, "#%u", ++nth);
	return 0;
}

/* NAME_len beside an array NAME counts what of it is used; "size" counts a stack's entries. */
static int find_count(const struct tfs_fields *fields, const struct tfs_field *of,
		      const char *other)
{
	size_t len = other ? strlen(other) : of->name_len + 4, i;
	const struct tfs_field *f;

	for (i = 0; i < fields->n; i++) {
		f = &fields->field[i];
		if (f->name_len != len || f->array || f->kind > TFS_VALUE_SIGNED)
			continue;
		if (other ? !memcmp(f->name, other, len) :
			    !memcmp(f->name, of->name, of->name_len) &&
				    !memcmp(f->name + of->name_len, "_len", 4))
			return (int)i;
	}
	return -1;
}

/* After all others, which are counted without them */
static int add_common(struct tep_event *event, unsigned int long_size, struct tfs_fields *fields)
{
	for (const struct tep_format_field *f = event->format.common_fields; f; f = f->next) {
		struct tfs_field *field = &fields->field[fields->n + fields->n_common++];

		classify(event, f, long_size, field);
		field->count = -1;
		field->name_len = strlen(f->name);
		field->name = strdup(f->name);
		if (!field->name)
			return -ENOMEM;
	}
	return 0;
}

int tfs_fields_new(struct tep_event *event, struct tfs_fields **out)
{
	unsigned int long_size = tep_get_long_size(event->tep) == 4 ? 4 : 8;
	const struct tep_format_field *f;
	struct tfs_fields *fields;
	size_t n = 0;

	for (f = event->format.fields; f; f = f->next)
		n++;
	for (f = event->format.common_fields; f; f = f->next)
		n++;
	fields = calloc(1, sizeof(*fields) + n * sizeof(fields->field[0]));
	if (!fields)
		return -ENOMEM;
	for (f = event->format.fields; f; f = f->next) {
		classify(event, f, long_size, &fields->field[fields->n]);
		if (set_name(fields, fields->n++, f->name)) {
			tfs_fields_free(fields);
			return -ENOMEM;
		}
	}
	if (add_common(event, long_size, fields)) {
		tfs_fields_free(fields);
		return -ENOMEM;
	}
	for (f = event->format.fields, n = 0; f; f = f->next, n++) {
		if (is_stack(event, f))
			fields->field[n].count = find_count(fields, &fields->field[n], "size");
		else if (fields->field[n].place == TFS_FIELD_FIXED && f->flags & TEP_FIELD_IS_ARRAY)
			fields->field[n].count = find_count(fields, &fields->field[n], NULL);
	}
	*out = fields;
	return 0;
}

void tfs_fields_free(struct tfs_fields *fields)
{
	size_t i;

	for (i = 0; fields && i < fields->n + fields->n_common; i++)
		free(fields->field[i].name);
	free(fields);
}

const struct tfs_field *tfs_fields_find(const struct tfs_fields *fields, const char *name,
					size_t len)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (fields->field[i].name && fields->field[i].name_len == len &&
		    !memcmp(fields->field[i].name, name, len))
			return &fields->field[i];
	return NULL;
}

const struct tfs_field *tfs_fields_find_any(const struct tfs_fields *fields, const char *name,
					    size_t len)
{
	for (size_t i = fields->n; i < fields->n + fields->n_common; i++)
		if (fields->field[i].name_len == len && !memcmp(fields->field[i].name, name, len))
			return &fields->field[i];
	return tfs_fields_find(fields, name, len);
}

static uint64_t load(const unsigned char *p, unsigned int size, bool big)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return tfs_load_u16(p, big);
	case 4:
		return tfs_load_u32(p, big);
	default:
		return tfs_load_u64(p, big);
	}
}

static uint64_t load_number(const struct tfs_field *f, const unsigned char *p)
{
	uint64_t n = load(p, f->element, f->big);
	unsigned int unused = 64 - (f->bits ? f->bits : 8 * f->element);

	return f->kind == TFS_VALUE_SIGNED ? (uint64_t)((int64_t)(n << unused) >> unused) : n;
}

/* Where in the record the bytes are; false: not within it. */
static bool locate(const struct tfs_field *f, const unsigned char *data, size_t size,
		   struct tfs_value *v)
{
	size_t offset = f->offset, len = f->size;
	uint32_t word;

	if (offset > size)
		return false;
	if (f->place == TFS_FIELD_REST) {
		len = size - offset;
	} else if (f->place != TFS_FIELD_FIXED) {
		if (size - offset < sizeof(word))
			return false;
		word = tfs_load_u32(data + offset, f->big);
		offset = (word & 0xffff) +
			 (f->place == TFS_FIELD_REL_LOC ? offset + sizeof(word) : 0);
		len = word >> 16;
		if (offset > size || len > size - offset)
			return false;
	} else if (len > size - offset) {
		len = size - offset;
		if (!len || !(f->array || f->kind == TFS_VALUE_STRING))
			return false;
	}
	v->data = data + offset;
	v->size = len;
	return true;
}

/* How many of the array's elements the record says are used; @n when it does not say. */
static size_t used(const struct tfs_fields *fields, const struct tfs_field *f, const void *data,
		   size_t size, size_t n)
{
	struct tfs_value count = { .number = n };

	if (f->count < 0 || !tfs_fields_get(fields, &fields->field[f->count], data, size, &count))
		return n;
	return count.number < n ? (size_t)count.number : n;
}

bool tfs_fields_get(const struct tfs_fields *fields, const struct tfs_field *f, const void *data,
		    size_t size, struct tfs_value *v)
{
	const unsigned char *nul;

	if (f->kind <= TFS_VALUE_ADDRESS && !f->array) {
		if (f->offset > size || f->element > size - f->offset)
			return false;
		v->number = load_number(f, (const unsigned char *)data + f->offset);
		return true;
	}
	if (!locate(f, data, size, v))
		return false;
	if (f->array) {
		v->n = used(fields, f, data, size, v->size / f->element);
		if (f->counted && v->n && load_number(f, v->data) < TFS_FIRST_PAGE) {
			v->data += f->element;
			v->n--;
		}
		v->size = v->n * f->element;
	} else if (f->count >= 0) {
		v->size = used(fields, f, data, size, v->size);
	}
	if (f->kind == TFS_VALUE_STRING) {
		nul = memchr(v->data, 0, v->size);
		if (nul)
			v->size = (size_t)(nul - v->data);
	}
	return true;
}

uint64_t tfs_value_element(const struct tfs_field *f, const struct tfs_value *v, size_t i)
{
	return load_number(f, v->data + i * f->element);
}

bool tfs_value_bit(const struct tfs_field *f, const struct tfs_value *v, size_t i)
{
	size_t bits = 8 * (size_t)f->element, at = i / bits * f->element;

	if (at >= v->size || f->element > v->size - at)
		return false;
	return load(v->data + at, f->element, f->big) >> i % bits & 1;
}

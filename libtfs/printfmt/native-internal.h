/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_NATIVE_INTERNAL_H
#define TFS_PRINTFMT_NATIVE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"
#include "printfmt/env.h"
#include "printfmt/native.h"

#define TFS_NATIVE_FIELDS 8
#define TFS_NATIVE_STATES 32

/** enum tfs_native_kind - what a field is to its printer; a missing one that is needed: not ours */
enum tfs_native_kind {
	TFS_NATIVE_NUMBER,   /* 1, 2, 4 or 8 bytes */
	TFS_NATIVE_KEY,      /* a number under which the plugin remembers something */
	TFS_NATIVE_OPTIONAL, /* a number that some kernels do not have */
	TFS_NATIVE_STRING,   /* char[N] */
	TFS_NATIVE_REST,     /* from here to the record's end */
};

/** struct tfs_native_field - one that a printer reads; NULL ends a list of them */
struct tfs_native_field {
	const char *name;
	enum tfs_native_kind kind;
};

/** struct tfs_slot - where it is; @size 0: not there */
struct tfs_slot {
	uint32_t offset, size;
};

struct tep_print_flag_sym;
struct tfs_native;

/**
 * struct tfs_native_row - one event; several of a name are versions of the plugin
 * @plugin: file name of the plugin that prints it
 * @fields: in the order of tfs_native.slot
 * @prepare: NULL, or takes what it needs from the event: 0, -ENOENT if it is not there
 */
struct tfs_native_row {
	const char *system, *name, *plugin;
	const struct tfs_native_field *fields;
	int (*run)(const struct tfs_native *native, const struct tfs_native_rec *rec,
		   struct tfs_strbuf *out);
	int (*prepare)(struct tfs_native *native, const struct tep_event *event);
};

/**
 * struct tfs_native - see native.h
 * @need: bytes a record must have, @exit_need: and the exit that is drawn with it
 * @states: letters of the bits of prev_state, lowest first
 * @runnable: without any of them: "R", or "R+" if other bits are set
 */
struct tfs_native {
	const struct tfs_native_row *row;
	const struct tfs_format_env *env;
	struct tfs_native_graph graph;
	size_t need, exit_need;
	struct tfs_slot slot[TFS_NATIVE_FIELDS];
	char states[TFS_NATIVE_STATES + 1];
	const char *runnable;
};

extern const struct tfs_native_row tfs_native_sched[], tfs_native_kernel[], tfs_native_ftrace[];

/** tfs_native_states() - what the print format of sched_switch calls the states; NULL: nothing */
const struct tep_print_flag_sym *tfs_native_states(const struct tep_event *event);

/**
 * tfs_native_set_slot() - find field @i of the row in @event; @need grows to reach its end
 *
 * Return: 0, or -ENOENT when it is not as the printer needs it.
 */
int tfs_native_set_slot(struct tfs_native *n, struct tep_event *event, unsigned int i,
			size_t *need);

/** tfs_native_number() - field @i of a record that has tfs_native.need bytes; not sign-extended */
static inline uint64_t tfs_native_number(const struct tfs_native *n, unsigned int i,
					 const unsigned char *data)
{
	const unsigned char *p = data + n->slot[i].offset;
	bool swap = n->env->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint16_t v2;
	uint32_t v4;
	uint64_t v8;

	switch (n->slot[i].size) {
	case 2:
		memcpy(&v2, p, sizeof(v2));
		return swap ? __builtin_bswap16(v2) : v2;
	case 4:
		memcpy(&v4, p, sizeof(v4));
		return swap ? __builtin_bswap32(v4) : v4;
	case 8:
		memcpy(&v8, p, sizeof(v8));
		return swap ? __builtin_bswap64(v8) : v8;
	default:
		return *p;
	}
}

/** tfs_native_begin() - where to write at most @max bytes; NULL: no memory */
static inline char *tfs_native_begin(struct tfs_strbuf *out, size_t max)
{
	return tfs_strbuf_grow(out, max) ? NULL : out->s + out->len;
}

/** tfs_native_end() - @p is the end of the text written since tfs_native_begin() */
static inline void tfs_native_end(struct tfs_strbuf *out, char *p)
{
	*p = '\0';
	out->len = (size_t)(p - out->s);
}

/** tfs_native_put() - write a string literal */
#define tfs_native_put(p, text) ((char *)memcpy((p), (text), sizeof(text) - 1) + sizeof(text) - 1)

/** tfs_native_puts() - write @s, for which there is room */
static inline char *tfs_native_puts(char *p, const char *s, size_t len)
{
	memcpy(p, s, len);
	return p + len;
}

/** tfs_native_symbol() - name of the function at @addr and its first address; NULL: unknown */
static inline const char *tfs_native_symbol(const struct tfs_native *n, uint64_t addr,
					    uint64_t *start)
{
	return n->env->symbol ? n->env->symbol(n->env->symbols, addr, start) : NULL;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "top/keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "decode/code-symbol.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "top/rows.h"
#include "top/top.h"

/* Rows found last, by the low bits of a number: a task, an address */
#define RECENT 1024

/* A type of events, as far as rows need it; @row: of TFS_TOP_EVENT */
struct type {
	bool known;
	const struct tfs_field *symbol, *file, *dev, *ino;
	struct tfs_top_row *row;
};

struct tfs_top_keys {
	struct tfs_trace *trace;
	const struct tfs_top_cgroups *cgroups;
	const char *probes;
	struct type *types; /* by the type's index */
	size_t n_types;
	struct {
		uint64_t number;
		const void *name; /* of a task, as long as it has this name */
		struct tfs_top_row *row;
	} recent[RECENT];
	uint64_t generation; /* of the rows that are kept here */
	enum tfs_top_by by;
};

int tfs_top_keys_new(const struct tfs_top_opts *opts, struct tfs_top_keys **out)
{
	struct tfs_top_keys *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->trace = opts->trace;
	k->cgroups = opts->cgroups;
	k->probes = opts->probes;
	k->n_types = tfs_trace_index(opts->trace)->n;
	k->types = calloc(k->n_types + 1, sizeof(*k->types));
	if (!k->types) {
		tfs_top_keys_free(k);
		return -ENOMEM;
	}
	*out = k;
	return 0;
}

void tfs_top_keys_free(struct tfs_top_keys *keys)
{
	if (!keys)
		return;
	free(keys->types);
	free(keys);
}

int tfs_top_text_row(struct tfs_top_rows *rows, const char *text, size_t len,
		     struct tfs_top_row **row)
{
	const struct tfs_top_key key = { .text = text, .len = len };

	*row = tfs_top_rows_get(rows, &key);
	return *row ? tfs_top_row_label(*row, text, len) : -ENOMEM;
}

int tfs_top_task_row(struct tfs_top_rows *rows, int pid, const char *comm, struct tfs_top_row **row)
{
	const struct tfs_top_key key = { .number = (uint32_t)pid };
	char label[64];
	int len = snprintf(label, sizeof(label), "%.40s-%d", comm ? comm : TFS_TASK_UNKNOWN, pid);

	*row = tfs_top_rows_get(rows, &key);
	return *row ? tfs_top_row_label(*row, label, (size_t)len) : -ENOMEM;
}

static const struct tfs_field *find_field(const struct tfs_event_type *type, const char *name)
{
	return tfs_fields_find(type->fields, name, strlen(name));
}

/* A path, by the names that the kernel and people give such fields */
static const struct tfs_field *find_file(const struct tfs_event_type *type)
{
	static const char *const names[] = {
		"filename", "pathname",       "path",           "file",
		"fname",    "__filename_val", "__pathname_val", "__path_val",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct tfs_field *f = find_field(type, names[i]);

		if (f && f->kind == TFS_VALUE_STRING)
			return f;
	}
	return NULL;
}

static const struct tfs_field *find_number(const struct tfs_event_type *type, const char *name)
{
	const struct tfs_field *f = find_field(type, name);

	return f && !f->array && f->kind <= TFS_VALUE_ADDRESS ? f : NULL;
}

static struct type *type_of(struct tfs_top_keys *k, const struct tfs_event_type *type)
{
	struct type *t = &k->types[type->index];

	if (t->known || !type->fields)
		return t;
	t->known = true;
	t->symbol = tfs_code_field(type);
	t->file = find_file(type);
	t->dev = find_number(type, "s_dev");
	t->ino = find_number(type, "i_ino");
	if (!t->dev || !t->ino) {
		t->dev = find_number(type, "dev");
		t->ino = find_number(type, "ino");
	}
	return t;
}

static int event_row(struct tfs_top_keys *k, struct tfs_top_rows *rows,
		     const struct tfs_event *event, struct tfs_top_row **row)
{
	const struct tfs_event_type *type = event->type;
	char name[256];
	int rc, len;

	if (!type)
		return tfs_top_text_row(rows, "unknown", strlen("unknown"), row);
	*row = k->types[type->index].row;
	if (*row)
		return 0;
	if (k->probes && !strcmp(type->system, k->probes))
		len = snprintf(name, sizeof(name), "%.*s", (int)type->name_len, type->name);
	else
		len = snprintf(name, sizeof(name), "%s:%.*s", type->system, (int)type->name_len,
			       type->name);
	rc = tfs_top_text_row(rows, name,
			      (size_t)len < sizeof(name) ? (size_t)len : sizeof(name) - 1, row);
	if (!rc)
		k->types[type->index].row = *row;
	return rc;
}

static int task_row(struct tfs_top_keys *k, struct tfs_top_rows *rows,
		    const struct tfs_event *event, struct tfs_top_row **row)
{
	const char *comm = event->task ? event->task->comm : NULL;
	unsigned int i = (unsigned int)event->pid % RECENT;
	int rc;

	*row = k->recent[i].row;
	if (*row && k->recent[i].number == (uint32_t)event->pid && k->recent[i].name == comm)
		return 0;
	rc = tfs_top_task_row(rows, event->pid, comm, row);
	k->recent[i].number = (uint32_t)event->pid;
	k->recent[i].name = comm;
	k->recent[i].row = *row;
	return rc;
}

static int symbol_row(struct tfs_top_keys *k, struct tfs_top_rows *rows,
		      const struct tfs_event *event, struct tfs_top_row **row)
{
	const struct tfs_field *f = event->type ? type_of(k, event->type)->symbol : NULL;
	char hex[32];
	struct tfs_value v;
	const char *name;
	uint64_t addr;

	*row = NULL;
	if (!f || !tfs_fields_get(event->type->fields, f, event->rec.data, event->rec.size, &v) ||
	    (f->array && !v.n))
		return 0;
	addr = tfs_code_symbol(tfs_trace_env(k->trace), f, &v, &name);
	if (name)
		return tfs_top_text_row(rows, name, strlen(name), row);
	snprintf(hex, sizeof(hex), "0x%" PRIx64, addr);
	return tfs_top_text_row(rows, hex, strlen(hex), row);
}

/* "dev 8:1 inode 1234" */
static int inode_row(const struct type *t, struct tfs_top_rows *rows, const struct tfs_event *event,
		     struct tfs_top_row **row)
{
	const struct tfs_record *rec = &event->rec;
	struct tfs_value dev, ino;
	char text[64];
	int len;

	if (!t->dev || !t->ino ||
	    !tfs_fields_get(event->type->fields, t->dev, rec->data, rec->size, &dev) ||
	    !tfs_fields_get(event->type->fields, t->ino, rec->data, rec->size, &ino))
		return 0;
	len = snprintf(text, sizeof(text), "dev %" PRIu64 ":%" PRIu64 " inode %" PRIu64,
		       dev.number >> 20, dev.number & 0xfffff, ino.number);
	return tfs_top_text_row(rows, text, (size_t)len, row);
}

static int file_row(struct tfs_top_keys *k, struct tfs_top_rows *rows,
		    const struct tfs_event *event, struct tfs_top_row **row)
{
	const struct tfs_record *rec = &event->rec;
	const struct type *t;
	struct tfs_value v;

	*row = NULL;
	if (!event->type)
		return 0;
	t = type_of(k, event->type);
	if (t->file && tfs_fields_get(event->type->fields, t->file, rec->data, rec->size, &v))
		return tfs_top_text_row(rows, (const char *)v.data, v.size, row);
	return inode_row(t, rows, event, row);
}

static int cgroup_row(struct tfs_top_keys *k, struct tfs_top_rows *rows,
		      const struct tfs_event *event, struct tfs_top_row **row)
{
	const char *name = k->cgroups ? k->cgroups->find(k->cgroups->context, event->pid) : NULL;

	*row = NULL;
	return name ? tfs_top_text_row(rows, name, strlen(name), row) : 0;
}

int tfs_top_keys_row(struct tfs_top_keys *k, struct tfs_top_rows *rows, enum tfs_top_by by,
		     const struct tfs_event *event, struct tfs_top_row **row)
{
	if (k->generation != rows->generation || k->by != by) {
		memset(k->recent, 0, sizeof(k->recent));
		for (size_t i = 0; i < k->n_types; i++)
			k->types[i].row = NULL;
		k->generation = rows->generation;
		k->by = by;
	}
	switch (by) {
	case TFS_TOP_EVENT:
		return event_row(k, rows, event, row);
	case TFS_TOP_TASK:
		return task_row(k, rows, event, row);
	case TFS_TOP_SYMBOL:
		return symbol_row(k, rows, event, row);
	case TFS_TOP_FILE:
		return file_row(k, rows, event, row);
	case TFS_TOP_CGROUP:
		return cgroup_row(k, rows, event, row);
	case TFS_TOP_SYSCALL:
	case TFS_TOP_STACK:
	case TFS_TOP_N_BY:
		break;
	}
	*row = NULL;
	return 0;
}

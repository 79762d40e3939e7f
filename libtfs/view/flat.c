/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/time.h"
#include "stack/collect-view.h"
#include "stack/fold.h"
#include "view/table.h"

enum column { SELF, SELF_SHARE, TOTAL, TOTAL_SHARE, SYMBOL, DSO, N_COLUMNS };

static const struct tfs_table_column of_counts[] = {
	[SELF] = { .name = "self", .kind = TFS_CELL_COUNT, .width = 10 },
	[SELF_SHARE] = { .name = "self_share",
			 .heading = "SHARE",
			 .kind = TFS_CELL_PERCENT,
			 .width = 7 },
	[TOTAL] = { .name = "total", .kind = TFS_CELL_COUNT, .width = 10 },
	[TOTAL_SHARE] = { .name = "total_share",
			  .heading = "SHARE",
			  .kind = TFS_CELL_PERCENT,
			  .width = 7 },
	[SYMBOL] = { .name = "symbol", .kind = TFS_CELL_TEXT },
	[DSO] = { .name = "dso", .kind = TFS_CELL_TEXT },
};

/* Weight of a function. @open: how often it is in the stack that is looked at */
struct sum {
	uint64_t self, total;
	uint32_t open;
};

struct flat {
	struct tfs_collect_view base;
	struct tfs_flat_opts opts;
	struct tfs_table_column columns[N_COLUMNS];
	struct tfs_table *table;
};

static struct flat *to_flat(struct tfs_view *view)
{
	return (struct flat *)view;
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no stacks");
}

/* Each node's children, as lists. @first: of each node, @next: of each child; 0: none */
struct children {
	uint32_t *first, *next;
};

static int list_children(const struct tfs_fold_node *nodes, uint32_t n, struct children *c)
{
	c->first = calloc(n, sizeof(*c->first));
	c->next = calloc(n, sizeof(*c->next));
	if (!c->first || !c->next)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++) {
		c->next[i] = c->first[nodes[i].parent];
		c->first[nodes[i].parent] = i;
	}
	return 0;
}

/* Walks the tree, and adds up what each name weighs where it is not below itself. */
static void add_up(const struct tfs_fold_node *nodes, const struct children *c, struct sum *sums)
{
	uint32_t i = c->first[TFS_FOLD_ROOT];

	while (i) {
		struct sum *s = &sums[nodes[i].name];

		s->self += nodes[i].self;
		if (!s->open++)
			s->total += nodes[i].total;
		if (c->first[i]) {
			i = c->first[i];
			continue;
		}
		/* back to the nearest node that has a sibling */
		while (i) {
			sums[nodes[i].name].open--;
			if (c->next[i])
				break;
			i = nodes[i].parent;
		}
		i = i ? c->next[i] : 0;
	}
}

/* In hundredths of a percent */
static uint64_t share(uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((long double)part * 10000 / (long double)all + .5L) : 0;
}

static int add_row(struct flat *f, const struct tfs_fold_name *name, const struct sum *s,
		   uint64_t all)
{
	int rc = tfs_table_add(f->table);

	if (rc)
		return rc;
	tfs_table_set(f->table, SELF, s->self);
	tfs_table_set(f->table, SELF_SHARE, share(s->self, all));
	tfs_table_set(f->table, TOTAL, s->total);
	tfs_table_set(f->table, TOTAL_SHARE, share(s->total, all));
	rc = tfs_table_set_text(f->table, SYMBOL, name->text, name->len);
	if (!rc && name->dso)
		rc = tfs_table_set_text(f->table, DSO, name->dso, strlen(name->dso));
	return rc;
}

/* A row for each name; tasks have none, unless time ended in them ("[not sampled]"). */
static int add_rows(struct flat *f, struct tfs_fold *fold)
{
	uint64_t all = tfs_fold_sum(fold);
	uint32_t n, n_names = tfs_fold_n_names(fold);
	const struct tfs_fold_node *nodes = tfs_fold_nodes(fold, &n);
	struct sum *sums = calloc(n_names ? n_names : 1, sizeof(*sums));
	struct children c = { 0 };
	int rc = sums ? list_children(nodes, n, &c) : -ENOMEM;

	if (!rc)
		add_up(nodes, &c, sums);
	for (uint32_t i = 0; i < n_names && !rc; i++) {
		const struct tfs_fold_name name = tfs_fold_name(fold, i);

		if (sums[i].total && (name.kind != TFS_FRAME_OTHER || sums[i].self))
			rc = add_row(f, &name, &sums[i], all);
	}
	free(c.first);
	free(c.next);
	free(sums);
	return rc;
}

static int make_table(struct flat *f, struct tfs_err *err)
{
	const struct tfs_table_opts opts = {
		.columns = f->columns,
		.n_columns = N_COLUMNS,
		.style = f->opts.style,
		.flags = f->opts.inert ? TFS_TABLE_INERT : 0,
		.order = "self,total",
		.sort = f->opts.sort,
		.top = f->opts.top,
	};

	tfs_table_free(f->table);
	f->table = NULL;
	return tfs_table_new(&opts, &f->table, err);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct flat *f = to_flat(view);
	int rc = tfs_collect_end(f->base.collect);

	if (!rc && !strcmp(tfs_collect_unit(f->base.collect), "ns")) {
		for (size_t i = SELF; i <= TOTAL; i += TOTAL - SELF) {
			f->columns[i].kind = TFS_CELL_NS;
			f->columns[i].flags |= TFS_TABLE_UNIT;
			f->columns[i].unit = NS_PER_MSEC;
			f->columns[i].digits = 3;
		}
		rc = make_table(f, err);
	}
	if (!rc)
		rc = add_rows(f, tfs_collect_fold(f->base.collect));
	return rc ? rc : tfs_table_print(f->table, out);
}

static void free_flat(struct tfs_view *view)
{
	struct flat *f = to_flat(view);

	tfs_collect_free(f->base.collect);
	tfs_table_free(f->table);
	free(f);
}

static const struct tfs_view_ops ops = {
	.event = tfs_collect_view_event,
	.lost = tfs_collect_view_lost,
	.text = text,
	.end = end,
	.notes = tfs_collect_view_notes,
	.free = free_flat,
};

int tfs_flat_new(const struct tfs_flat_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct flat *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return -ENOMEM;
	f->base.view.ops = &ops;
	f->base.view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	f->opts = *opts;
	memcpy(f->columns, of_counts, sizeof(of_counts));
	rc = make_table(f, err);
	if (!rc)
		rc = tfs_collect_new(&opts->collect, &f->base.collect, err);
	if (rc)
		tfs_view_free(&f->base.view);
	else
		*view = &f->base.view;
	return rc;
}

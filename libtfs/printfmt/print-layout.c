/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "printfmt/print-tree.h"

/* A format that begins with @head and ends with @tail is printed with these in their place. */
static const struct {
	const char *system, *name;
	const char *head, *tail;
	const char *new_head, *new_tail;
} layouts[] = {
	{
		"sched",
		"sched_switch",
		"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=",
		" ==> next_comm=%s next_pid=%d next_prio=%d",
		"%s:%d [%d] ",
		" ==> %s:%d [%d]",
	},
	{ "tlb", "tlb_flush", "pages:%ld reason:", "%s (%d)", "pages=%ld reason=", "%s (%d)" },
};

static const char *end_of(const struct tfs_node *format, const char *tail)
{
	size_t len = strlen(tail);

	if (format->len < len || memcmp(format->text + format->len - len, tail, len) != 0)
		return NULL;
	return format->text + format->len - len;
}

static int replace(struct tfs_tree *tree, size_t i)
{
	struct tfs_node *format = tree->format;
	const char *tail = end_of(format, layouts[i].tail);
	size_t head = strlen(layouts[i].head);
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char *owned;
	int rc;

	if (!tail || format->len < head || memcmp(format->text, layouts[i].head, head) != 0 ||
	    tail < format->text + head)
		return -ENOENT;
	rc = tfs_strbuf_addf(&text, "%s%.*s%s", layouts[i].new_head,
			     (int)(tail - format->text - (ptrdiff_t)head), format->text + head,
			     layouts[i].new_tail);
	if (!rc) {
		format->len = text.len;
		rc = tfs_strbuf_detach(&text, &owned);
	}
	if (!rc) {
		format->text = owned;
		rc = tfs_tree_text(tree, owned) ? 0 : -ENOMEM;
	}
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_print_layout(const struct tep_event *event, struct tfs_tree *tree)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (!strcmp(layouts[i].system, event->system) &&
		    !strcmp(layouts[i].name, event->name))
			return replace(tree, i);
	return -ENOENT;
}

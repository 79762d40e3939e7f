/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <string.h>

#include <event-parse.h>

#include "base/macros.h"

/*
 * Functions of the kernel that make a text of a record's fields, and that a recording knows by
 * name only: what is printed instead. Linux' drivers/nvme/host/trace.c prints the bytes of commands
 * that it does not decode in the same way, and xen_hypercall_name() is empty for numbers without a
 * name.
 */
static const struct decoder {
	const char *name;
	const char *format; /* "": nothing is printed */
	unsigned int first; /* the argument that the first conversion prints */
	bool leaves_empty;  /* nothing is printed for an empty text */
} decoders[] = {
	{ "xen_hypercall_name", "", 0, false },
	{ "nvme_trace_disk_name", "disk=%s, ", 1, true },
	{ "nvme_trace_parse_admin_cmd", "cdw10=%24ph", 2, false },
	{ "nvme_trace_parse_nvm_cmd", "cdw10=%24ph", 2, false },
	{ "nvme_trace_parse_fabrics_cmd", "specific=%24ph", 2, false },
	{ "decode_prq_descriptor", "dw0=0x%llx dw1=0x%llx dw2=0x%llx dw3=0x%llx", 2, false },
};

static void print_unless_empty(struct tfs_print *p, const struct tfs_node *format,
			       struct tfs_node *text)
{
	struct tfs_node zero = { .kind = TFS_NODE_NUMBER };
	struct tfs_node first = { .kind = TFS_NODE_INDEX, .a = text, .b = &zero };
	struct tfs_op op = { .code = TFS_OP_JUMP_ZERO };
	size_t end;

	tfs_print_value(p, &first);
	end = tfs_emit(&p->c, &op, 0);
	tfs_print_format(p, format, text);
	tfs_jump_here(&p->c, end);
}

bool tfs_print_decoder(struct tfs_print *p, const struct tfs_node *call)
{
	struct tfs_node format = { .kind = TFS_NODE_STRING }, *arg = call->a;
	size_t i, count = ARRAY_SIZE(decoders);
	const struct decoder *d;
	unsigned int n;

	for (i = 0; i < count && !tfs_node_is(call, decoders[i].name); i++)
		;
	/* If libtraceevent could parse the format, a plugin knows the function. */
	if (i == count || !(p->c.event->flags & TEP_EVENT_FL_FAILED))
		return false;
	d = &decoders[i];
	for (n = 0; n < d->first && arg; n++)
		arg = arg->next;
	format.text = d->format;
	format.len = strlen(d->format);
	if (d->leaves_empty && arg)
		print_unless_empty(p, &format, arg);
	else
		tfs_print_format(p, &format, arg);
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/array-style.h"

#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

enum tfs_array_style tfs_detect_array_style(void)
{
	static const char format[] = "name: sample\nID: 1\nformat:\n"
				     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n\n"
				     "\tfield:u8 a[2];\toffset:2;\tsize:2;\n"
				     "\nprint fmt: \"%s\", __print_array(REC->a, 2, 1)\n";
	unsigned char data[] = { 0, 0, 10, 11 };
	struct tep_record rec = { .size = sizeof(data), .data = data };
	enum tfs_array_style style = TFS_ARRAYS_UNKNOWN;
	struct tep_handle *tep = tep_alloc();
	struct trace_seq seq;
	struct tep_event *event;

	if (!tep)
		return style;
	/* The id is read in the order of the file, which is nobody's here. */
	data[tep_is_bigendian() ? 1 : 0] = 1;
	trace_seq_init(&seq);
	event = tep_parse_event(tep, format, sizeof(format) - 1, "made") ? NULL :
									   tep_find_event(tep, 1);
	if (event) {
		tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&seq);
		if (seq.state == TRACE_SEQ__GOOD && !strcmp(seq.buffer, "{0xa,0xb}"))
			style = TFS_ARRAYS_HEX;
		else if (seq.state == TRACE_SEQ__GOOD && !strcmp(seq.buffer, "10 11"))
			style = TFS_ARRAYS_DECIMAL;
	}
	trace_seq_destroy(&seq);
	tep_free(tep);
	return style;
}

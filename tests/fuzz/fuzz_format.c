/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a record of events whose formats use all that can be compiled. The first byte of the
 * input chooses the format, the second how much of the rest follows the record.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/strbuf-core.h"
#include "printfmt/env.h"
#include "printfmt/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fields[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n\n"
			     "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n"
			     "\tfield:u64 c;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:char s[16];\toffset:24;\tsize:16;\tsigned:0;\n"
			     "\tfield:__data_loc char[] d;\toffset:40;\tsize:4;\tsigned:0;\n"
			     "\tfield:__rel_loc char[] r;\toffset:44;\tsize:4;\tsigned:0;\n"
			     "\tfield:__data_loc u8[] v;\toffset:48;\tsize:4;\tsigned:0;\n"
			     "\tfield:u8 m[6];\toffset:52;\tsize:6;\tsigned:0;\n"
			     "\tfield:u8 w[16];\toffset:60;\tsize:16;\tsigned:0;\n";

static const char *const formats[] = {
	"\"%d %u %08x %#llx %o %5d %-5d|%+d %.3d\", REC->a, REC->b, REC->a, REC->c, REC->a, REC->b,"
	" REC->b, REC->b, REC->a",
	"\"%s %8s %-4s|%.3s %s %s\", REC->s, REC->s, REC->s, REC->s, __get_str(d), __get_str(r)",
	"\"%*s|%.*s|%*d\", REC->b, REC->s, REC->a, __get_str(d), REC->b, REC->a",
	"\"%s %s\", __print_flags(REC->a, \"|\", { 1, \"A\" }, { 6, \"B\" }, { 0x80, \"C\" }),"
	" __print_symbolic(REC->b, { 0, \"zero\" }, { 1, \"one\" }, { -1, \"less\" })",
	"\"%s %s\", __print_hex(__get_dynamic_array(v), __get_dynamic_array_len(v)),"
	" __print_array(__get_dynamic_array(v), REC->a, 4)",
	"\"%s %s\", __get_bitmask(v), __print_hex_str(REC->w, REC->b)",
	"\"%pM %pI6c %pI6 %pU %pISpc\", REC->m, REC->w, REC->w, REC->w, __get_sockaddr(v)",
	"\"%d %d %s\", REC->a / REC->b, REC->w[REC->a], REC->c % REC->a ? \"x\" : __get_str(r)",
	"\"%p %pS %c %*ph\", REC->c, REC->c, REC->a, REC->b, __get_dynamic_array(v)",
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static struct tfs_program *compile(struct tep_handle *tep, const struct tfs_format_env *env,
				   size_t i)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_program *program = NULL;
	struct tep_event *event = NULL;

	if (!tfs_strbuf_addf(&text, "name: e\nID: %zu\nformat:\n%s\nprint fmt: %s\n", i + 1, fields,
			     formats[i]) &&
	    !tep_parse_event(tep, text.s, text.len, "made"))
		event = tep_find_event(tep, (int)i + 1);
	if (event)
		tfs_program_compile(event, env, &program, NULL);
	tfs_strbuf_release(&text);
	return program;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_format_env env = { .long_size = 8, .arrays = TFS_ARRAYS_HEX };
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_program *program;
	struct tep_handle *tep;
	size_t room;

	if (size < 2)
		return 0;
	tep_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	if (!tep)
		return 0;
	tep_set_long_size(tep, 8);
	env.big = data[0] & 0x80;
	program = compile(tep, &env, (data[0] & 0x7f) % FORMATS);
	room = size - 2;
	/* One that is refused would not be tested. */
	if (!program)
		abort();
	tfs_program_run(program, &out, data + 2, room - (data[1] < room ? data[1] : room), room);
	tfs_program_free(program);
	tfs_strbuf_release(&out);
	tep_free(tep);
	return 0;
}

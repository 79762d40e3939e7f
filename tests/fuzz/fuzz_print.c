/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as a print format, and any bytes as a record of its event. The first byte of the input
 * chooses byte order, size of a long and style, whether libtraceevent could parse the format (8),
 * and whether it is one of trace_printk() (16); the second, how many bytes at the end are the
 * record. The bytes between are the format, as it follows "print fmt:".
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/strbuf-core.h"
#include "printfmt/env.h"
#include "printfmt/print-names.h"
#include "printfmt/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char format[] = "name: e\nID: 1\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n\n"
			     "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n"
			     "\tfield:u64 c;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:char s[16];\toffset:24;\tsize:16;\tsigned:0;\n"
			     "\tfield:__data_loc char[] d;\toffset:40;\tsize:4;\tsigned:0;\n"
			     "\tfield:__rel_loc char[] r;\toffset:44;\tsize:4;\tsigned:0;\n"
			     "\tfield:__data_loc u16[] v;\toffset:48;\tsize:4;\tsigned:0;\n"
			     "\tfield:u8 m[6];\toffset:52;\tsize:6;\tsigned:0;\n"
			     "\tfield:s8 t;\toffset:58;\tsize:1;\tsigned:1;\n"
			     "\tfield:u8 w[16];\toffset:60;\tsize:16;\tsigned:0;\n"
			     "\tfield:s16 n[3];\toffset:76;\tsize:6;\tsigned:1;\n"
			     "\tfield:void * p;\toffset:84;\tsize:8;\tsigned:0;\n\n"
			     "print fmt: \"x\"\n";

static const char bprint[] = "name: bprint\nID: 2\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n\n"
			     "\tfield:const char * fmt;\toffset:%u;\tsize:%u;\tsigned:0;\n"
			     "\tfield:u32 buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
			     "print fmt: \"x\"\n";

static bool constant(const void *constants, const char *name, size_t len, uint64_t *value)
{
	(void)constants;
	*value = (unsigned char)name[len - 1];
	return name[0] != 'Z';
}

static const char *symbol(const void *symbols, uint64_t addr, uint64_t *start)
{
	(void)symbols;
	*start = addr & ~UINT64_C(0xff);
	return addr & 1 ? "symbol" : NULL;
}

static const char *printk(const void *text, uint64_t addr)
{
	return addr & 1 ? NULL : text;
}

static int ignore(void *context, const char *name, size_t len)
{
	*(size_t *)context += len + (unsigned char)*name;
	return 0;
}

static void print(struct tep_event *event, const struct tfs_format_env *env, const uint8_t *text,
		  size_t len, const uint8_t *record, size_t size)
{
	struct tfs_print_source source = { .event = event,
					   .text = (const char *)text,
					   .size = len };
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_program *program = NULL;

	/* The bytes end exactly at @size, so that a sanitizer sees a read beyond them. */
	if (!tfs_program_compile_print(&source, env, &program, NULL))
		tfs_program_run(program, &out, record, size, size);
	tfs_program_free(program);
	tfs_strbuf_release(&out);
}

/* The event whose format is made up: NULL without memory */
static struct tep_event *parse(struct tep_handle *tep, uint8_t style)
{
	char text[512];
	int len;

	if (!(style & 16)) {
		if (tep_parse_event(tep, format, sizeof(format) - 1, "made"))
			return NULL;
		return tep_find_event(tep, 1);
	}
	tep_set_long_size(tep, style & 2 ? 4 : 8);
	len = snprintf(text, sizeof(text), bprint, 8U, style & 2 ? 4U : 8U);
	return tep_parse_event(tep, text, (unsigned long)len, "ftrace") ? NULL :
									  tep_find_event(tep, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t packed[] = "\"%s\", REC->fmt";
	struct tfs_format_env env = { .constant = constant, .symbol = symbol };
	struct tep_event *event = NULL;
	uint8_t *text, *record;
	struct tep_handle *tep;
	size_t len, seen = 0;

	if (size < 2)
		return 0;
	len = size - 2 - (data[1] < size - 2 ? data[1] : size - 2);
	env.big = data[0] & 1;
	env.long_size = data[0] & 2 ? 4 : 8;
	env.kernel_text = data[0] & 4;
	tep_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	text = malloc(len + 1);
	record = malloc(size - 2 - len + 1);
	if (tep)
		event = parse(tep, data[0]);
	if (text && record && event) {
		memcpy(text, data + 2, len);
		text[len] = '\0';
		memcpy(record, data + 2 + len, size - 2 - len);
		if (data[0] & 8)
			event->flags |= TEP_EVENT_FL_FAILED;
		env.printk = printk;
		env.printks = text;
		if (data[0] & 16)
			print(event, &env, packed, sizeof(packed) - 1, record, size - 2 - len);
		else
			print(event, &env, text, len, record, size - 2 - len);
		tfs_print_names((const char *)text, len, ignore, &seen);
	}
	free(text);
	free(record);
	tep_free(tep);
	return 0;
}

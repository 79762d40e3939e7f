/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a command line, one a line, through a table with options of every type. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/strvec.h"
#include "cli/opt.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct request {
	bool flag;
	const char *string;
	const char *optional;
	struct tfs_strvec list;
	uint64_t number;
	uint64_t repeated;
	uint64_t size;
	uint64_t time;
	struct tfs_cpus cpus;
	size_t calls;
};

static int count_calls(void *request, const struct tc_option *opt, const char *arg,
		       struct tfs_err *err)
{
	struct request *r = request;

	(void)opt;
	r->calls += arg ? strlen(arg) : 1;
	/* with words, and without */
	if (arg && arg[0] == '!')
		return arg[1] ? tfs_err_say(err, -1, "no %s", arg) : -2;
	return 0;
}

#define AT(member) .offset = offsetof(struct request, member)

static const struct tc_option table[] = {
	{ .help = "All" },
	{ 'f', "flag", NULL, "a flag", TC_OPT_FLAG, AT(flag) },
	{ 's', "string", "TEXT", "a string", TC_OPT_STRING, AT(string) },
	{ 'O', "optional", "TEXT", "a string", TC_OPT_STRING, TC_OPT_OPTIONAL_ARG, AT(optional) },
	{ 'l', "list", "TEXT", "a list", TC_OPT_LIST, AT(list) },
	{ 'n', "number", "N", "a number", TC_OPT_U64, AT(number), .min = 3, .max = 100 },
	{ 'r', "repeated", "N", "a number", TC_OPT_U64, TC_OPT_REPEATS, AT(repeated) },
	{ 'b', "buffer-size", "SIZE", "a size", TC_OPT_SIZE, AT(size), .unit = 1024 },
	{ 0, "duration", "TIME", "a time", TC_OPT_DURATION, AT(time) },
	{ 0, "cpu", "CPUS", "CPUs", TC_OPT_CPUS, TC_OPT_REPEATS, AT(cpus) },
	{ 'c', "call", "TEXT", "a call", TC_OPT_CALL, TC_OPT_REPEATS, .call = count_calls },
	{ 'C', NULL, "TEXT", "a call", TC_OPT_CALL, TC_OPT_OPTIONAL_ARG, .call = count_calls },
	{ 0, "sole-call", NULL, "a call", TC_OPT_CALL, .call = count_calls },
	TC_OPT_END
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Terminates each line of @text with a NUL. */
static int split(char *text, char **argv)
{
	char *end;
	int argc = 0;

	argv[argc++] = (char *)"fuzz";
	while (argc < WORDS_MAX) {
		argv[argc++] = text;
		end = strchr(text, '\n');
		if (!end)
			break;
		*end = '\0';
		text = end + 1;
	}
	argv[argc] = NULL;
	return argc;
}

static void check(int argc, const struct request *r, const struct tc_opt_result *res, int rc,
		  const struct tfs_err *err)
{
	must(rc <= 0 && err->code == rc);
	if (rc) {
		must(err->msg[0] && memchr(err->msg, '\0', sizeof(err->msg)));
		must(err->caret >= -1 && err->caret <= (int)strlen(err->input));
	} else {
		must(res->first >= 1 && res->first <= argc);
	}
	must(!r->number || (r->number >= 3 && r->number <= 100));
	must(!r->string || strlen(r->string) < SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tc_opt_result res;
	char *argv[WORDS_MAX + 1];
	struct request r;
	char *text;
	int argc, rc;

	text = malloc(size + 1);
	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	argc = split(text, argv);
	memset(&r, 0, sizeof(r));
	rc = tc_opt_parse(table, argc, argv, &r, &res, &err);
	check(argc, &r, &res, rc, &err);
	tfs_strvec_release(&r.list);
	free(text);
	return 0;
}

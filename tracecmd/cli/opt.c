/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "cli/command.h"

/* getopt_long() returns a letter, or VAL_ROW + the index of a row, see row_at(). */
#define VAL_ROW 0x100

#define HELP_WIDTH 80
#define HELP_COLUMN_MAX 30
#define CANDIDATES_MAX 5

/* Options of every program; after the heading, in the order of enum tc_opt_action. */
static const struct tc_option common_options[] = {
	{ .help = "About the program" },
	{ .letter = 'h', .name = "help", .type = TC_OPT_FLAG, .help = "print this text and exit" },
	{ .name = "version", .type = TC_OPT_FLAG, .help = "print the version and exit" },
	{ .name = "dump-options",
	  .type = TC_OPT_FLAG,
	  .help = "print the options as a table for other programs and exit" },
	TC_OPT_END
};

/*
 * struct parser - one run of tc_opt_parse()
 * @table: of the program
 * @rows: in @table and the tables within
 * @longs: for getopt_long()
 * @letters: for getopt_long()
 * @seen: by row of @table: was given already
 * @word: the argument being looked at
 */
struct parser {
	const struct tc_option *table;
	size_t rows;
	void *request;
	struct option *longs;
	struct tfs_strbuf letters;
	bool *seen;
	const char *word;
};

static bool is_end(const struct tc_option *opt)
{
	return opt->letter == -1;
}

/* Is it an option of the program? -h and --dump-options list it. */
static bool is_option(const struct tc_option *opt)
{
	return opt->type != TC_OPT_GROUP && opt->type != TC_OPT_ABSENT;
}

/* The row at index *@left of @table, counting those of nested tables; NULL after the last. */
static const struct tc_option *find_row(const struct tc_option *table, size_t *left)
{
	const struct tc_option *found;

	for (; !is_end(table); table++) {
		if (table->type == TC_OPT_TABLE) {
			found = find_row(table->table, left);
			if (found)
				return found;
		} else if (!(*left)--) {
			return table;
		}
	}
	return NULL;
}

static size_t count_rows(const struct tc_option *table)
{
	size_t n = 0;

	for (; !is_end(table); table++)
		n += table->type == TC_OPT_TABLE ? count_rows(table->table) : 1;
	return n;
}

static const struct tc_option *end_of(const struct tc_option *table)
{
	while (!is_end(table))
		table++;
	return table;
}

/* The rows of the program's table, then the common ones; NULL after the last. */
static const struct tc_option *row_at(const struct tc_option *table, size_t rows, size_t i)
{
	if (i < rows)
		return find_row(table, &i);
	return is_end(&common_options[i - rows]) ? NULL : &common_options[i - rows];
}

/* A common row that the program has one of its own for (--version is trace-cmd report's, too) */
static bool is_replaced(const struct tc_option *table, size_t rows, size_t i)
{
	const char *name = i < rows ? NULL : common_options[i - rows].name, *own;
	size_t k;

	for (k = 0; name && k < rows; k++) {
		own = row_at(table, rows, k)->name;
		if (own && !strcmp(own, name))
			return true;
	}
	return false;
}

static int has_arg(const struct tc_option *opt)
{
	if (!opt->arg)
		return no_argument;
	return opt->flags & TC_OPT_OPTIONAL_ARG ? optional_argument : required_argument;
}

static int parser_init(struct parser *p, const struct tc_option *table, void *request)
{
	static const char *const colons[] = {
		[no_argument] = "",
		[required_argument] = ":",
		[optional_argument] = "::",
	};
	const struct tc_option *opt;
	size_t i, n = 0;
	int rc;

	*p = (struct parser){ .table = table, .rows = count_rows(table), .request = request };
	tfs_strbuf_init(&p->letters);
	p->longs = calloc(p->rows + count_rows(common_options) + 1, sizeof(*p->longs));
	p->seen = calloc(p->rows + 1, sizeof(*p->seen));
	if (!p->longs || !p->seen)
		return -ENOMEM;
	/* stop at the first operand; distinguish a missing argument from an unknown option */
	rc = tfs_strbuf_adds(&p->letters, "+:");
	for (i = 0; !rc && (opt = row_at(table, p->rows, i)); i++) {
		if (opt->type == TC_OPT_GROUP || is_replaced(table, p->rows, i))
			continue;
		if (opt->letter)
			rc = tfs_strbuf_addf(&p->letters, "%c%s", opt->letter,
					     colons[has_arg(opt)]);
		if (opt->name)
			p->longs[n++] =
				(struct option){ opt->name, has_arg(opt), NULL, VAL_ROW + (int)i };
	}
	return rc;
}

static void parser_release(struct parser *p)
{
	tfs_strbuf_release(&p->letters);
	free(p->longs);
	free(p->seen);
}

/* The row that getopt_long()'s @val stands for; @index: see row_at() */
static const struct tc_option *row_of(const struct parser *p, int val, size_t *index)
{
	const struct tc_option *opt;
	size_t i;

	for (i = 0; (opt = row_at(p->table, p->rows, i)); i++) {
		if (opt->type == TC_OPT_GROUP)
			continue;
		if (val >= VAL_ROW ? (size_t)(val - VAL_ROW) == i : opt->letter == val) {
			*index = i;
			return opt;
		}
	}
	return NULL;
}

/* The option as it was typed: "--out" of "--out=FILE", "-o" of "-vofile". */
static int typed_name(const struct parser *p, int letter, struct tfs_strbuf *name)
{
	if (!strncmp(p->word, "--", 2))
		return tfs_strbuf_add(name, p->word, strcspn(p->word, "="));
	if (letter > ' ' && letter < 0x7f)
		return tfs_strbuf_addf(name, "-%c", letter);
	return tfs_strbuf_adds(name, p->word);
}

/* Appends "'--a', '--b' or '--c'" */
static int add_choice(struct tfs_strbuf *sb, const struct tfs_strvec *names)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < names->n; i++) {
		if (i)
			rc = tfs_strbuf_adds(sb, i + 1 < names->n ? ", " : " or ");
		if (!rc)
			rc = tfs_strbuf_addf(sb, "'--%s'", names->v[i]);
	}
	return rc;
}

/* Long names that an abbreviation can stand for: getopt_long() knows the absent options, too. */
static int names_with(const struct parser *p, const char *prefix, struct tfs_strvec *names)
{
	int rc = 0;

	for (const struct option *o = p->longs; !rc && o->name; o++)
		if (!strncmp(o->name, prefix, strlen(prefix)))
			rc = tfs_strvec_push(names, o->name);
	return rc;
}

/* Long names of the options that the program has */
static int own_names(const struct parser *p, struct tfs_strvec *names)
{
	int rc = 0;

	for (const struct option *o = p->longs; !rc && o->name; o++)
		if (is_option(row_at(p->table, p->rows, (size_t)(o->val - VAL_ROW))))
			rc = tfs_strvec_push(names, o->name);
	return rc;
}

static int unknown_option(const struct parser *p, const char *typed, const char *bare,
			  struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT, near = TFS_STRVEC_INIT;
	struct tfs_strbuf choice = TFS_STRBUF_INIT;
	int rc;

	rc = own_names(p, &names);
	if (!rc)
		rc = tfs_suggest_names(bare, &names, 3, &near);
	if (!rc)
		rc = add_choice(&choice, &near);
	if (!rc) {
		tfs_err_say(err, -EINVAL, "unknown option '%s'", typed);
		if (near.n)
			tfs_err_hint(err, "did you mean %s?", choice.s);
		else
			tfs_err_hint(err, "-h lists the options");
		rc = -EINVAL;
	}
	tfs_strbuf_release(&choice);
	tfs_strvec_release(&near);
	tfs_strvec_release(&names);
	return rc;
}

static int ambiguous_option(const char *typed, const struct tfs_strvec *names, struct tfs_err *err)
{
	struct tfs_strbuf choice = TFS_STRBUF_INIT;
	int rc = add_choice(&choice, names);

	if (!rc) {
		tfs_err_say(err, -EINVAL, "option '%s' is ambiguous", typed);
		tfs_err_hint(err, "it could be %s", choice.s);
		rc = -EINVAL;
	}
	tfs_strbuf_release(&choice);
	return rc;
}

/* getopt_long() said '?': an unknown option, an ambiguous one, or one that takes no argument. */
static int invalid_option(const struct parser *p, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf typed = TFS_STRBUF_INIT;
	bool is_long = !strncmp(p->word, "--", 2);
	int rc;

	rc = typed_name(p, optopt, &typed);
	if (!rc && !is_long) {
		/* with one dash too few, a long name reads as a bundle of letters */
		rc = unknown_option(p, typed.s, p->word + strspn(p->word, "-"), err);
		goto out;
	}
	if (!rc)
		rc = names_with(p, typed.s + 2, &names);
	if (rc)
		goto out;
	if (!names.n || typed.len == 2) {
		rc = unknown_option(p, typed.s, typed.s + 2, err);
	} else if (names.n > 1 && !tfs_strvec_has(&names, typed.s + 2)) {
		rc = ambiguous_option(typed.s, &names, err);
	} else {
		rc = tfs_err_say(err, -EINVAL, "option '%s' takes no argument", typed.s);
		tfs_err_input(err, p->word, (int)typed.len);
	}
out:
	tfs_strbuf_release(&typed);
	tfs_strvec_release(&names);
	return rc;
}

static int missing_argument(const struct parser *p, int val, struct tfs_err *err)
{
	struct tfs_strbuf typed = TFS_STRBUF_INIT;
	const struct tc_option *opt;
	size_t i;
	int rc;

	opt = row_of(p, val, &i);
	rc = typed_name(p, val, &typed);
	if (!rc)
		rc = tfs_err_say(err, -EINVAL, "option '%s' needs an argument: %s", typed.s,
				 opt ? opt->arg : "ARG");
	if (opt && opt->help)
		tfs_err_hint(err, "%s: %s", opt->arg, opt->help);
	tfs_strbuf_release(&typed);
	return rc;
}

/* The member has room for one value, and nobody knows which of two was meant. */
static bool takes_one(const struct tc_option *opt)
{
	if (opt->flags & TC_OPT_ONCE)
		return true;
	return !(opt->flags & TC_OPT_REPEATS) &&
	       (opt->type == TC_OPT_U64 || opt->type == TC_OPT_SIZE ||
		opt->type == TC_OPT_DURATION || opt->type == TC_OPT_CPUS);
}

/* An option that the program accepts only once is given again. */
static int given_twice(const struct parser *p, const struct tc_option *opt, const char *typed,
		       const char *arg, struct tfs_err *err)
{
	const char *const *before = (const void *)((const char *)p->request + opt->offset);

	if (opt->type == TC_OPT_STRING && *before && arg)
		return tfs_err_say(err, -EINVAL, "option '%s' is given twice: '%s' and '%s'", typed,
				   *before, arg);
	return tfs_err_say(err, -EINVAL, "option '%s' is given twice", typed);
}

static int add_cpus(struct tfs_cpus *to, const char *arg, bool more, struct tfs_err *err)
{
	struct tfs_cpus cpus;
	unsigned int cpu;
	int rc = tfs_cpus_parse(arg, &cpus, err);

	if (rc)
		return rc;
	for (cpu = 0; more && cpu < TFS_CPUS_MAX; cpu++)
		if (tfs_cpus_has(to, cpu))
			tfs_cpus_add(&cpus, cpu);
	*to = cpus;
	return 0;
}

static int store(const struct parser *p, const struct tc_option *opt, bool seen, const char *arg,
		 struct tfs_err *err)
{
	void *member = (char *)p->request + opt->offset;
	uint64_t max = opt->max ? opt->max : UINT64_MAX;
	int rc;

	switch (opt->type) {
	case TC_OPT_FLAG:
		*(bool *)member = true;
		return 0;
	case TC_OPT_STRING:
		*(const char **)member = arg;
		return 0;
	case TC_OPT_LIST:
		rc = tfs_strvec_push(member, arg);
		return rc ? tfs_err_set(err, rc, "cannot keep '%s'", arg) : 0;
	case TC_OPT_U64:
		return tfs_parse_u64(arg, opt->min, max, member, err);
	case TC_OPT_SIZE:
		return tfs_parse_size(arg, opt->unit ? opt->unit : 1, opt->min, max, member, err);
	case TC_OPT_DURATION:
		return tfs_parse_duration(arg, member, err);
	case TC_OPT_CPUS:
		return add_cpus(member, arg, seen, err);
	case TC_OPT_CALL:
		return opt->call(p->request, opt, arg, err);
	case TC_OPT_ABSENT:
		tfs_err_say(err, -EINVAL, "%s has it, this program does not",
			    opt->of ? opt->of : "trace-cmd");
		tfs_err_hint(err, "%s", opt->help);
		return -EINVAL;
	case TC_OPT_GROUP:
	case TC_OPT_TABLE:
		break;
	}
	return 0;
}

static int take(const struct parser *p, const struct tc_option *opt, size_t i, int val,
		struct tfs_err *err)
{
	struct tfs_strbuf typed = TFS_STRBUF_INIT;
	struct tfs_err why = TFS_ERR_INIT;
	int rc;

	rc = typed_name(p, val, &typed);
	if (rc)
		goto out;
	if (p->seen[i] && takes_one(opt)) {
		rc = given_twice(p, opt, typed.s, optarg, err);
		goto out;
	}
	rc = store(p, opt, p->seen[i], optarg, &why);
	p->seen[i] = true;
	if (!rc)
		goto out;
	if (!why.msg[0])
		tfs_err_set(&why, rc, "cannot use '%s'", optarg ? optarg : typed.s);
	tfs_err_prefix(&why, "option '%s'", typed.s);
	if (err)
		*err = why;
out:
	tfs_strbuf_release(&typed);
	return rc;
}

/* Moves the operand at @i after everything left to read and the operands moved before. */
static bool move_operand(const struct parser *p, int i, int *left, int argc, char **argv)
{
	char *word;

	if (!(end_of(p->table)->flags & TC_OPT_ANY_ORDER) || i >= *left)
		return false;
	/* what follows "--" are operands */
	if (!strcmp(argv[i - 1], "--"))
		return false;
	word = argv[i];
	memmove(&argv[i], &argv[i + 1], (size_t)(argc - i - 1) * sizeof(*argv));
	argv[argc - 1] = word;
	(*left)--;
	return true;
}

static int parse_words(struct parser *p, int argc, char **argv, struct tc_opt_result *res,
		       struct tfs_err *err)
{
	const struct tc_option *opt;
	size_t i = 0;
	int val, rc = 0, left = argc;

	/* 0 makes glibc and musl forget an earlier run, also one that stopped inside a bundle */
	optind = 0;
	opterr = 0;
	while (!rc && res->action == TC_OPT_RUN) {
		p->word = argv[optind ? optind : 1];
		val = getopt_long(left, argv, p->letters.s, p->longs, NULL);
		if (val == -1 && move_operand(p, optind, &left, argc, argv))
			continue;
		if (val == -1)
			break;
		if (val == '?')
			return invalid_option(p, err);
		if (val == ':')
			return missing_argument(p, optopt, err);
		opt = row_of(p, val, &i);
		if (!opt)
			return invalid_option(p, err);
		if (i >= p->rows)
			res->action = (enum tc_opt_action)(i - p->rows);
		else
			rc = take(p, opt, i, val, err);
	}
	res->first = optind;
	return rc;
}

int tc_opt_parse(const struct tc_option *table, int argc, char **argv, void *request,
		 struct tc_opt_result *res, struct tfs_err *err)
{
	struct parser p;
	int rc;

	res->action = TC_OPT_RUN;
	res->first = argc;
	if (argc < 2)
		return 0;
	rc = parser_init(&p, table, request);
	if (!rc)
		rc = parse_words(&p, argc, argv, res, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read the options");
	parser_release(&p);
	return rc;
}

/* "-o, --output=FILE" */
static int add_option_text(struct tfs_strbuf *sb, const struct tc_option *opt)
{
	bool optional = opt->flags & TC_OPT_OPTIONAL_ARG;
	const char *arg = opt->arg ? opt->arg : "";
	int rc;

	if (opt->letter && opt->name)
		rc = tfs_strbuf_addf(sb, "  -%c, --%s", opt->letter, opt->name);
	else if (opt->letter)
		rc = tfs_strbuf_addf(sb, "  -%c", opt->letter);
	else
		rc = tfs_strbuf_addf(sb, "      --%s", opt->name);
	if (rc || !opt->arg)
		return rc;
	if (!opt->name)
		return tfs_strbuf_addf(sb, optional ? "[%s]" : " %s", arg);
	return tfs_strbuf_addf(sb, optional ? "[=%s]" : "=%s", arg);
}

/* Column of the help texts: after the widest option, up to HELP_COLUMN_MAX. */
static size_t help_column(const struct tc_option *table)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const struct tc_option *opt;
	size_t i, rows = count_rows(table), column = 0;

	for (i = 0; (opt = row_at(table, rows, i)); i++) {
		tfs_strbuf_reset(&sb);
		if (is_option(opt) && !add_option_text(&sb, opt) && sb.len > column &&
		    sb.len <= HELP_COLUMN_MAX)
			column = sb.len;
	}
	tfs_strbuf_release(&sb);
	return column + 2;
}

/* @text from column @at on, its further lines from @indent on. */
static void print_wrapped(const char *text, size_t at, size_t indent, FILE *to)
{
	const char *gap = "";
	size_t len;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (at > indent && at + strlen(gap) + len > HELP_WIDTH) {
			fprintf(to, "\n%*s", (int)indent, "");
			at = indent;
			gap = "";
		}
		fprintf(to, "%s%.*s", gap, (int)len, text);
		at += strlen(gap) + len;
		gap = " ";
		text += len;
	}
	fputc('\n', to);
}

static void print_option(const struct tc_option *opt, size_t column, FILE *to)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	if (!add_option_text(&sb, opt)) {
		if (sb.len + 2 > column)
			fprintf(to, "%s\n%*s", sb.s, (int)column, "");
		else
			fprintf(to, "%-*s", (int)column, sb.s);
		print_wrapped(opt->help ? opt->help : "", column, column, to);
	}
	tfs_strbuf_release(&sb);
}

void tc_opt_help(const struct tc_command *cmd, FILE *to)
{
	size_t i, rows = count_rows(cmd->options), column = help_column(cmd->options);
	const struct tc_option *opt;
	size_t at;

	at = (size_t)fprintf(to, "Usage: %s%s%s [OPTION...]", cmd->name, cmd->verb ? " " : "",
			     cmd->verb ? cmd->verb : "");
	if (cmd->operands && *cmd->operands) {
		fputc(' ', to);
		print_wrapped(cmd->operands, at + 1, strlen("Usage: "), to);
	} else {
		fputc('\n', to);
	}
	print_wrapped(cmd->summary, 0, 0, to);
	/* a table need not begin with a heading */
	if (cmd->options->type != TC_OPT_GROUP && rows)
		fputc('\n', to);
	for (i = 0; (opt = row_at(cmd->options, rows, i)); i++) {
		if (opt->type == TC_OPT_GROUP)
			fprintf(to, "\n%s:\n", opt->help);
		else if (is_option(opt) && !is_replaced(cmd->options, rows, i))
			print_option(opt, column, to);
	}
	fprintf(to, "\nThe manual page is %s(1).\n", cmd->name);
}

void tc_opt_dump(const struct tc_command *cmd, FILE *to)
{
	static const char *const words[] = { "-", "optional", "repeats", "optional,repeats" };
	size_t i, rows = count_rows(cmd->options);
	const struct tc_option *opt;
	bool repeats, optional;

	for (i = 0; (opt = row_at(cmd->options, rows, i)); i++) {
		if (!is_option(opt) || is_replaced(cmd->options, rows, i))
			continue;
		repeats = (opt->flags & TC_OPT_REPEATS) || opt->type == TC_OPT_LIST;
		optional = opt->arg && (opt->flags & TC_OPT_OPTIONAL_ARG);
		if (opt->letter)
			fprintf(to, "-%c\t", opt->letter);
		else
			fputs("-\t", to);
		fprintf(to, "%s%s\t", opt->name ? "--" : "-", opt->name ? opt->name : "");
		fprintf(to, "%s\t", opt->arg ? opt->arg : "-");
		fprintf(to, "%s\t", opt->complete ? opt->complete : opt->arg ? "none" : "-");
		fprintf(to, "%s\n", words[optional + 2 * repeats]);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/validate.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strvec.h"
#include "probe/features.h"
#include "probe/fetch-type.h"
#include "probe/fetch.h"
#include "probe/name.h"

#define PATH_CHARS_MAX 4096

/*
 * struct check - a definition under examination
 * @names: of the arguments so far
 */
struct check {
	const struct tfs_probe_type_info *type;
	const struct tfs_probe_features *features;
	const char *line;
	bool is_return;
	bool at_entry;
	bool has_maxactive;
	size_t n_args;
	struct tfs_strvec names;
	struct tfs_err *err;
};

/*
 * struct operand - what a fetch-arg without its type comes to
 * @in_memory: its bytes are somewhere, not in a register or in the definition
 * @is_asked: only the kernel knows what it is: a parameter's name, a cast, a variable of its own
 */
struct operand {
	unsigned int depth;
	bool in_memory;
	bool is_comm;
	bool is_text;
	bool is_immediate;
	bool is_asked;
};

static int fault(const struct check *c, const char *at, const char *what)
{
	tfs_err_say(c->err, -EINVAL, "the kernel would refuse '%s': %s", c->line, what);
	tfs_err_input(c->err, c->line, at ? (int)(at - c->line) : -1);
	return -EINVAL;
}

/* Text that the kernel takes, to do something else than it says. */
static int misread(const struct check *c, const char *at, const char *what)
{
	tfs_err_say(c->err, -EINVAL, "the kernel would misread '%s': %s", c->line, what);
	tfs_err_input(c->err, c->line, (int)(at - c->line));
	return -EINVAL;
}

/* Bytes of a definition that are not part of a word. */
enum { END = 1, BLANK = 2, ODD = 4 };
static const unsigned char kinds[256] = {
	[0] = END,     [1 ... 8] = ODD, ['\t'] = BLANK, ['\n' ... 31] = ODD,
	[' '] = BLANK, ['#'] = ODD,     [0xa0] = ODD,
};

static bool is_blank(char c)
{
	return kinds[(unsigned char)c] & BLANK;
}

/* The first byte from @p on of one of @kind, which has END. */
static const char *find_kind(const char *p, unsigned int kind)
{
	while (!(kinds[(unsigned char)*p] & kind))
		p++;
	return p;
}

/* Bytes that the kernel would read differently, or not at all. */
static int odd_byte(const struct check *c, const char *p)
{
	if (*p == '#')
		return misread(c, p, "the kernel takes what follows a '#' for a comment");
	if ((unsigned char)*p == 0xa0)
		return misread(c, p, "the kernel takes this byte (0xa0) for a blank");
	return fault(c, p, "a definition is one line of text");
}

/* As the kernel's kstrtoull() with base 0: octal after 0. True if @from to @end is a number. */
static bool number(const char *from, const char *end, uint64_t *out)
{
	unsigned int base = 10, digit;
	uint64_t value = 0;

	if (from < end && *from == '+')
		from++;
	if (end - from > 2 && from[0] == '0' && (from[1] == 'x' || from[1] == 'X')) {
		base = 16;
		from += 2;
	} else if (end - from > 1 && from[0] == '0') {
		base = 8;
	}
	if (from == end)
		return false;
	for (; from < end; from++) {
		if (!isxdigit((unsigned char)*from))
			return false;
		digit = isdigit((unsigned char)*from) ? (unsigned int)(*from - '0') :
							(unsigned int)((*from | 32) - 'a') + 10;
		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*out = value;
	return true;
}

/* An offset with its sign; the kernel keeps 32 bits of it. */
static bool is_offset(char sign, const char *from, const char *end)
{
	uint64_t n;

	return from < end && isdigit((unsigned char)*from) && number(from, end, &n) &&
	       n <= (sign == '-' ? (uint64_t)INT_MAX + 1 : INT_MAX);
}

/* One that is added to an address: a second sign counts after '+', and 'u' stands before it. */
static int check_added(const struct check *c, const char *from, const char *end)
{
	const char *p = from + 1;
	char sign = *from;
	uint64_t n;

	if (p < end && *p == 'u')
		p++;
	if (sign == '+' && p < end && (*p == '+' || *p == '-'))
		sign = *p++;
	if (p == end || !isdigit((unsigned char)*p) || !number(p, end, &n) ||
	    n > (uint64_t)LONG_MAX + (sign == '-'))
		return fault(c, from, "this is not an offset");
	return is_offset(sign, p, end) ? 0 : misread(c, from, "an offset has 31 bits");
}

static bool is_word(const char *from, const char *end, const char *word)
{
	return (size_t)(end - from) == strlen(word) && !memcmp(from, word, strlen(word));
}

/* $argN */
static int numbered(const struct check *c, const char *from, struct operand *op)
{
	op->is_asked = true;
	if (!(c->type->allows & TFS_PROBE_KERNEL) || !c->at_entry)
		return fault(c, from, "$argN is for the entry of a kernel function");
	if (c->is_return && tfs_probe_features_lack(c->features, TFS_PROBE_HAS_RETURN_ARGS))
		return fault(c, from, "$argN in a return probe needs kernel 6.9 or later");
	return 0;
}

/* Each kernel knows more of them: what is not known here is for the kernel to judge. */
static int dollar(const struct check *c, const char *from, const char *end, struct operand *op)
{
	uint64_t n;

	if (is_word(from, end, "$comm") || is_word(from, end, "$COMM")) {
		op->is_comm = true;
		return 0;
	}
	if (is_word(from, end, "$retval")) {
		op->is_asked = c->type->allows & TFS_PROBE_KERNEL;
		/* it makes an fprobe one of the return, from 6.10 on */
		return c->is_return || c->type->form == TFS_PROBE_FORM_FUNCTION ?
			       0 :
			       fault(c, from, "$retval is for return probes");
	}
	if (is_word(from, end, "$stack"))
		return 0;
	if (end - from > 6 && !strncmp(from, "$stack", 6) && number(from + 6, end, &n))
		return n <= INT_MAX ? 0 : fault(c, from, "the stack is not that large");
	if (end - from > 4 && !strncmp(from, "$arg", 4) && number(from + 4, end, &n))
		return n ? numbered(c, from, op) : fault(c, from, "the first one is $arg1");
	if (from + 1 == end)
		return fault(c, from, "there is no name after '$'");
	op->is_asked = true;
	return 0;
}

static int at_sign(const struct check *c, const char *from, const char *end, struct operand *op)
{
	const char *p = from + 1, *name = p;
	uint64_t n;

	op->in_memory = true;
	if (p == end)
		return fault(c, from, "there is no address after '@'");
	if (isdigit((unsigned char)*p))
		return number(p, end, &n) ? 0 : fault(c, p, "this is not an address");
	if (*p == '+') {
		if (c->type->allows & TFS_PROBE_KERNEL)
			return fault(c, from, "@+OFFSET is for programs, not for the kernel");
		if (!number(p + 1, end, &n) || !isdigit((unsigned char)p[1]) || n > LONG_MAX)
			return fault(c, p, "this is not an offset");
		return 0;
	}
	if (!(c->type->allows & TFS_PROBE_KERNEL))
		return fault(c, from, "@SYMBOL is for the kernel, not for programs");
	while (p < end && *p != '+' && *p != '-')
		p++;
	if (p == name)
		return fault(c, from, "there is no symbol after '@'");
	if (p < end && !is_offset(*p, p + 1, end))
		return fault(c, p, "this is not an offset of 31 bits");
	return 0;
}

static int backslash(const struct check *c, const char *from, const char *end, struct operand *op)
{
	const char *p = from + 1;
	uint64_t n;

	if (p < end && *p == '"') {
		op->is_text = true;
		if (end - p < 2 || end[-1] != '"')
			return fault(c, from, "the string is not closed");
		return 0;
	}
	op->is_immediate = true;
	if (p + 1 < end && (*p == '-' || *p == '+')) {
		if (isdigit((unsigned char)p[1]) && number(p + 1, end, &n) &&
		    n <= (uint64_t)INT64_MAX + (*p == '-'))
			return 0;
	} else if (p < end && isdigit((unsigned char)*p) && number(p, end, &n)) {
		return 0;
	}
	return fault(c, from, "this is not a constant");
}

static int reg(const struct check *c, const char *from, const char *end)
{
	if (!(c->type->allows & TFS_PROBE_REGISTERS))
		return fault(c, from, "there are no registers here: $argN is the N-th argument");
	if (from + 1 == end)
		return fault(c, from, "there is no register after '%'");
	for (const char *p = from + 1; p < end; p++) {
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
			return fault(c, from, "there is no such register");
	}
	return 0;
}

/*
 * A parameter by its name, a cast, a CPU's variable: the kernel finds them by its type information
 * (Linux 6.4 and later). It takes none of them in a program.
 */
static int by_type(const struct check *c, const char *from, struct operand *op)
{
	op->is_asked = op->in_memory = true;
	if (!(c->type->allows & TFS_PROBE_KERNEL) ||
	    (!isalpha((unsigned char)*from) && *from != '_' && *from != '('))
		return fault(c, from, "this cannot be fetched");
	return 0;
}

/* The innermost operand: the whole fetch-arg if nothing is dereferenced. */
static int innermost(const struct check *c, const char *from, const char *end, struct operand *op)
{
	if (from == end)
		return fault(c, from, "there is nothing to fetch");
	switch (*from) {
	case '%':
		return reg(c, from, end);
	case '$':
		return dollar(c, from, end, op);
	case '@':
		return at_sign(c, from, end, op);
	case '\\':
		return backslash(c, from, end, op);
	default:
		return by_type(c, from, op);
	}
}

static int fetch(const struct check *c, const char *from, const char *end, struct operand *op)
{
	const char *open, *close;
	int rc = 0;

	while (!rc && from < end && (*from == '+' || *from == '-')) {
		if (++op->depth > TFS_FETCH_DEREF_MAX)
			return fault(c, from, "it is nested too deeply");
		open = memchr(from, '(', (size_t)(end - from));
		if (!open)
			return fault(c, from,
				     "an offset is followed by what it is added to, in brackets");
		close = memrchr(open, ')', (size_t)(end - open));
		if (!close)
			return fault(c, from, "a bracket is not closed");
		if (close + 1 != end)
			return misread(c, close + 1, "nothing that follows the bracket counts");
		rc = check_added(c, from, open);
		from = open + 1;
		end = close;
	}
	if (!rc)
		rc = innermost(c, from, end, op);
	if (!rc && op->depth && (op->is_comm || op->is_text))
		return fault(c, from, "it is not an address");
	if (op->depth)
		op->in_memory = true;
	return rc;
}

/* bWIDTH@OFFSET/CONTAINER */
static int bitfield(const struct check *c, const char *type, const char *end)
{
	const char *at = memchr(type, '@', (size_t)(end - type));
	const char *slash = memchr(type, '/', (size_t)(end - type));
	uint64_t width, shift, size;

	if (!at || !slash || slash < at || !number(type + 1, at, &width) ||
	    !number(at + 1, slash, &shift) || !number(slash + 1, end, &size) || slash[1] == '0')
		return fault(c, type, "a bit field is bWIDTH@OFFSET/CONTAINER");
	if (!tfs_fetch_is_width(size) || !width || width > size || shift > size ||
	    width + shift > size)
		return fault(c, type, "the bit field does not fit into its container");
	return 0;
}

static int no_type(const struct check *c, const char *type)
{
	fault(c, type, "there is no such type");
	tfs_err_hint(c->err, "there are u8 to u64, s8 to s64, x8 to x64, string, ustring, "
			     "symbol, char, bWIDTH@OFFSET/SIZE, and arrays of them: x8[4]");
	return -EINVAL;
}

/* Does this kernel have the type, for probes of this type? */
static int known_type(const struct check *c, const char *text, const struct tfs_fetch_type *type)
{
	bool is_path = type->info->members;

	/* kernels before 6.3 take symstr in a program, for nothing */
	if (type->info->flags & TFS_FETCH_KERNEL && !(type->info->flags & TFS_FETCH_STRING) &&
	    !(c->type->allows & TFS_PROBE_KERNEL))
		return is_path ? fault(c, text, "%pd and %pD are for what is in the kernel") :
				 no_type(c, text);
	if (tfs_probe_features_lack(c->features, type->info->needs))
		return is_path ? fault(c, text,
				       "this kernel has no such type; of a variable that is named "
				       "any has it") :
				 no_type(c, text);
	return type->info->flags & TFS_FETCH_SIZED && !type->bits ? no_type(c, text) : 0;
}

static int array(const struct check *c, const char *open, const char *end, const struct operand *op)
{
	uint64_t n;

	if (end[-1] != ']')
		return fault(c, open, "the array is not closed");
	if (!number(open + 1, end - 1, &n) || !n)
		return fault(c, open, "this is not a number of elements");
	if (n > TFS_FETCH_ARRAY_MAX)
		return fault(c, open, "an array has 64 elements at most");
	if (!op->in_memory && !op->is_asked)
		return fault(c, open, "only what is in memory can be an array");
	return 0;
}

/* Does the type suit the operand? */
static int fits_operand(const struct check *c, const char *text, const struct tfs_fetch_type *type,
			const struct operand *op)
{
	const bool string = type->info->flags & TFS_FETCH_STRING;

	if ((op->is_comm || op->is_text) &&
	    (*type->array || strcmp(type->info->name, "string") != 0))
		return fault(c, text, "this can only be a string");
	/* what a register holds can be shown as a symbol */
	if (type->info->flags & TFS_FETCH_TEXT && !op->in_memory && !op->is_asked && !op->is_comm &&
	    !op->is_text && !op->is_immediate)
		return fault(c, text, "only what is in memory can be a string");
	if (op->depth == TFS_FETCH_DEREF_MAX &&
	    (string || type->info->flags & TFS_FETCH_BITS || *type->array))
		return fault(c, text, "it is nested too deeply for this type");
	return 0;
}

static int check_type(const struct check *c, const char *text, const char *end,
		      const struct operand *op)
{
	struct tfs_fetch_type type;
	int rc;

	if (text == end || *text == '[')
		return fault(c, text, "there is no type after ':'");
	/* the kernel may have more than are known here */
	if (tfs_fetch_type_parse(text, end, &type))
		return 0;
	rc = known_type(c, text, &type);
	if (!rc && type.info->flags & TFS_FETCH_BITS)
		rc = bitfield(c, text, *type.array ? type.array : end);
	if (!rc && *type.array)
		rc = type.info->flags & TFS_FETCH_NO_ARRAY ? no_type(c, text) :
							     array(c, type.array, end, op);
	return rc ? rc : fits_operand(c, text, &type, op);
}

static int check_name(struct check *c, const char *from, const char *eq)
{
	char name[TFS_PROBE_ARG_NAME_MAX + 1];
	size_t len = (size_t)(eq - from);
	int rc;

	if (!len)
		return fault(c, from, "there is no name before '='");
	if (len > TFS_PROBE_ARG_NAME_MAX)
		return fault(c, from, "the name of an argument has 32 characters at most");
	memcpy(name, from, len);
	name[len] = '\0';
	if (!tfs_probe_is_identifier(name, TFS_PROBE_ARG_NAME_MAX))
		return fault(c, from, "the name of an argument has letters, digits and '_'");
	if (tfs_probe_is_reserved(name) || tfs_strvec_has(&c->names, name))
		return fault(c, from, "the name of the argument is taken");
	rc = tfs_strvec_push(&c->names, name);
	return rc ? tfs_err_set(c->err, rc, "cannot check '%s'", c->line) : 0;
}

static int check_arg(struct check *c, const char *from, const char *end)
{
	const char *eq = memchr(from, '=', (size_t)(end - from));
	struct operand op = { 0 };
	char implied[32];
	const char *colon;
	size_t n = ++c->n_args;
	int rc;

	if (eq) {
		rc = check_name(c, from, eq);
		from = eq + 1;
	} else if (isalpha((unsigned char)*from) || strchr("_($", *from)) {
		/* the kernel names it after what it finds */
		rc = 0;
	} else {
		/* the kernel numbers it */
		snprintf(implied, sizeof(implied), "arg%zu", n);
		if (tfs_strvec_has(&c->names, implied))
			return fault(c, from, "the name of the argument is taken");
		rc = tfs_strvec_push(&c->names, implied);
	}
	if (rc)
		return rc;
	if (from == end)
		return fault(c, from, "there is no expression after '='");
	if ((size_t)(end - from) > TFS_PROBE_EXPR_MOST)
		return fault(c, from, "an argument's expression has 255 characters at most");
	/* the fields of an event are the kernel's to know */
	if (c->type->form == TFS_PROBE_FORM_EVENT)
		return 0;
	colon = memchr(from, ':', (size_t)(end - from));
	rc = fetch(c, from, colon ? colon : end, &op);
	if (!rc && colon)
		rc = check_type(c, colon + 1, end, &op);
	return rc;
}

/* p:, r:, r8: and the names; *@p is left at the place. */
static int check_head(struct check *c, const char **p)
{
	char name[TFS_PROBE_NAME_MAX + 1];
	const char *from, *end, *slash;
	uint64_t n;

	if (*c->line != c->type->letter && *c->line != c->type->return_letter)
		return fault(c, c->line, "a definition begins with p, r, f, t or e");
	c->is_return = *c->line != c->type->letter;
	from = end = c->line + 1;
	while (isdigit((unsigned char)*end))
		end++;
	if (end > from && !(c->type->allows & TFS_PROBE_MAXACTIVE))
		return fault(c, from,
			     "a number of calls to follow is for return probes of the kernel");
	if (end > from && (!number(from, end, &n) || n > TFS_PROBE_MAXACTIVE_MAX))
		return fault(c, from, "the kernel follows 4096 calls at a time at most");
	c->has_maxactive = end > from;
	if (c->has_maxactive && !c->is_return && c->type->return_letter != c->type->letter)
		return fault(c, from, "a number of calls is for return probes");
	from = end;
	if (*from++ != ':')
		return fault(c, c->line, "the names follow the first letter and ':'");
	end = find_kind(from, END | BLANK);
	slash = memchr(from, '/', (size_t)(end - from));
	if (slash) {
		if ((size_t)(slash - from) >= sizeof(name))
			return fault(c, from, "the name of a group has 63 characters at most");
		memcpy(name, from, (size_t)(slash - from));
		name[slash - from] = '\0';
		if (!tfs_probe_is_group(name))
			return fault(c, from, "this is not a group name");
		from = slash + 1;
	}
	if ((size_t)(end - from) >= sizeof(name))
		return fault(c, from, "the name of an event has 63 characters at most");
	memcpy(name, from, (size_t)(end - from));
	name[end - from] = '\0';
	if (!tfs_probe_is_identifier(name, TFS_PROBE_NAME_MAX))
		return fault(c, from, "this is not an event name");
	while (is_blank(*end))
		end++;
	*p = end;
	return 0;
}

/* Takes "%return" off the place; a probe that has it is a return probe, whatever its letter. */
static void take_return(struct check *c, const char *from, const char **end)
{
	static const char ret[] = "%return";
	const size_t len = sizeof(ret) - 1;

	if ((size_t)(*end - from) <= len || strncmp(*end - len, ret, len) != 0)
		return;
	c->is_return = true;
	*end -= len;
}

/* PATH:0xOFFSET[%return][(0xOFFSET)] */
static int uprobe_location(struct check *c, const char *from, const char *end)
{
	const char *colon = memrchr(from, ':', (size_t)(end - from));
	const char *paren;
	uint64_t n;

	if (!colon || colon == from || colon - from >= PATH_CHARS_MAX)
		return fault(c, from, "the place is PATH:OFFSET");
	if (*from != '/' && *from != '.')
		return fault(c, from, "the path is not absolute");
	paren = memchr(colon, '(', (size_t)(end - colon));
	if (paren) {
		if (end[-1] != ')' || !number(paren + 1, end - 1, &n))
			return fault(c, paren, "this is not an offset of a semaphore");
		end = paren;
	}
	take_return(c, colon + 1, &end);
	if (!number(colon + 1, end, &n) || n > LONG_MAX)
		return fault(c, colon + 1, "this is not an offset");
	return 0;
}

/* [MODULE:]SYMBOL[+OFFSET][%return], or an address */
static int kprobe_location(struct check *c, const char *from, const char *end)
{
	const char *plus;
	uint64_t n = 0;

	take_return(c, from, &end);
	plus = memchr(from, '+', (size_t)(end - from));
	if (isdigit((unsigned char)*from))
		return number(from, end, &n) ? 0 : fault(c, from, "this is not an address");
	for (const char *p = from; p < (plus ? plus : end); p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_.:$", *p))
			return fault(c, p, "this is in no symbol's name");
	}
	if (plus == from)
		return fault(c, from, "there is no symbol");
	if (plus && (!isdigit((unsigned char)plus[1]) || !number(plus + 1, end, &n)))
		return fault(c, plus, "this is not an offset");
	c->at_entry = !n;
	if (n && c->is_return)
		return fault(c, plus, "a return probe is at the start of a function");
	return 0;
}

/* SYMBOL or SYMBOL%return */
static int fprobe_location(struct check *c, const char *from, const char *end)
{
	take_return(c, from, &end);
	c->at_entry = true;
	if (c->has_maxactive && !c->is_return)
		return fault(c, c->line + 1, "a number of calls is for return probes");
	for (const char *p = from; p < end; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_.", *p))
			return fault(c, p, "an fprobe is on a function, by its name alone");
	}
	return isdigit((unsigned char)*from) ? fault(c, from, "this is not a function") : 0;
}

static int tprobe_location(struct check *c, const char *from, const char *end)
{
	c->at_entry = true;
	for (const char *p = from; p < end; p++) {
		if (!isalnum((unsigned char)*p) && *p != '_')
			return fault(c, p, "a tprobe is on a tracepoint, by its name alone");
	}
	return isdigit((unsigned char)*from) ? fault(c, from, "this is not a tracepoint") : 0;
}

/* SYSTEM.EVENT or SYSTEM/EVENT */
static int eprobe_location(const struct check *c, const char *from, const char *end)
{
	const char *sep = from;

	while (sep < end && *sep != '.' && *sep != '/')
		sep++;
	if (sep == from || sep == end || sep + 1 == end)
		return fault(c, from, "an event probe is on SYSTEM.EVENT");
	return 0;
}

static int check_location(struct check *c, const char *from, const char *end)
{
	switch (c->type->form) {
	case TFS_PROBE_FORM_FILE:
		return uprobe_location(c, from, end);
	case TFS_PROBE_FORM_FUNCTION:
		return fprobe_location(c, from, end);
	case TFS_PROBE_FORM_TRACEPOINT:
		return tprobe_location(c, from, end);
	case TFS_PROBE_FORM_SYMBOL:
		return kprobe_location(c, from, end);
	case TFS_PROBE_FORM_EVENT:
		return eprobe_location(c, from, end);
	default:
		return fault(c, from, "definitions of this type are not known");
	}
}

static int check_line(struct check *c)
{
	const char *p, *end;
	size_t n = 0;
	int rc;

	if (strlen(c->line) > TFS_PROBE_LINE_MAX)
		return fault(c, NULL, "a definition has 4094 characters at most");
	p = find_kind(c->line, END | ODD);
	if (*p)
		return odd_byte(c, p);
	rc = check_head(c, &p);
	if (rc)
		return rc;
	end = find_kind(p, END | BLANK);
	if (p == end)
		return fault(c, p, "there is no location");
	rc = check_location(c, p, end);
	while (!rc) {
		for (p = end; is_blank(*p); p++)
			;
		if (!*p)
			break;
		end = find_kind(p, END | BLANK);
		/* what follows is a filter */
		if (c->type->form == TFS_PROBE_FORM_EVENT && is_word(p, end, "if"))
			break;
		if (++n > TFS_PROBE_ARGS_MAX)
			return fault(c, p, "an event has 128 arguments at most");
		rc = check_arg(c, p, end);
	}
	return rc;
}

int tfs_probe_validate(enum tfs_probe_type type, const char *line,
		       const struct tfs_probe_features *features, struct tfs_err *err)
{
	struct check c = {
		.type = tfs_probe_type(type), .features = features, .line = line, .err = err
	};
	int rc = check_line(&c);

	tfs_strvec_release(&c.names);
	return rc;
}

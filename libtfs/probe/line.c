/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "dso/dso.h"
#include "probe/name.h"
#include "probe/parse.h"
#include "probe/spec.h"
#include "probe/validate.h"

void tfs_probe_line_release(struct tfs_probe_line *line)
{
	free(line->group);
	free(line->event);
	free(line->path);
	free(line->location);
	free(line->args);
	*line = (struct tfs_probe_line){ 0 };
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* The text after "p:" or "r8:"; NULL if it begins otherwise. */
static const char *names_of(const char *text)
{
	const struct tfs_probe_type_info *type = tfs_probe_type(TFS_PROBE_KPROBE);
	const char *p = skip_blanks(text);

	if (*p != type->letter && *p != type->return_letter)
		return NULL;
	if (*p++ == type->return_letter)
		p += strspn(p, "0123456789");
	return *p == ':' ? p + 1 : NULL;
}

bool tfs_probe_is_line(const char *text)
{
	const char *names = names_of(text);
	size_t len = names ? strcspn(names, " \t=") : 0;

	/* "p:f=g" is event f of group p in our own notation, which has no slash there */
	return len && memchr(names, '/', len) && names[len] != '=';
}

static int fault(const char *text, const char *at, const char *what, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s': %s", text, what);
	tfs_err_input(err, text, (int)(at - text));
	return -EINVAL;
}

static int copy(const char *from, const char *end, char **out)
{
	*out = strndup(from, (size_t)(end - from));
	return *out ? 0 : -ENOMEM;
}

static bool number(const char *from, const char *end, uint64_t max, uint64_t *out)
{
	char digits[24];

	if (end <= from || (size_t)(end - from) >= sizeof(digits))
		return false;
	memcpy(digits, from, (size_t)(end - from));
	digits[end - from] = '\0';
	return !tfs_parse_u64(digits, 0, max, out, NULL);
}

static int parse_names(const char *text, const char *names, struct tfs_probe_line *line,
		       struct tfs_err *err)
{
	const char *end = names + strcspn(names, " \t"), *slash = memchr(names, '/', end - names);
	const char *head = skip_blanks(text);
	uint64_t n = 0;
	int rc;

	line->ret = *head == tfs_probe_type(TFS_PROBE_KPROBE)->return_letter;
	if (names > head + 2 && !number(head + 1, names - 1, TFS_PROBE_MAXACTIVE_MAX, &n))
		return fault(text, head + 1, "the kernel follows 4096 calls at a time at most",
			     err);
	line->maxactive = (unsigned int)n;
	rc = copy(names, slash, &line->group);
	if (!rc)
		rc = copy(slash + 1, end, &line->event);
	if (rc)
		return rc;
	if (!tfs_probe_is_group(line->group))
		return fault(text, names, "this is not a group name", err);
	if (!tfs_probe_is_identifier(line->event, TFS_PROBE_NAME_MAX))
		return fault(text, slash + 1, "this is not an event name", err);
	return 0;
}

/* PATH:0xOFFSET[%return][(0xCOUNTER)] */
static int parse_offset(const char *text, const char *from, const char *end,
			struct tfs_probe_line *line, struct tfs_err *err)
{
	static const char ret[] = "%return";
	const char *colon = memrchr(from, ':', (size_t)(end - from));
	const char *paren = colon ? memchr(colon, '(', (size_t)(end - colon)) : NULL;

	if (!colon)
		return fault(text, from, "the location in a program is PATH:OFFSET", err);
	if (paren && (end[-1] != ')' || !number(paren + 1, end - 1, LONG_MAX, &line->counter)))
		return fault(text, paren, "this is not the offset of a counter", err);
	end = paren ? paren : end;
	if (end - colon > (long)sizeof(ret) - 1 &&
	    !strncmp(end - sizeof(ret) + 1, ret, sizeof(ret) - 1)) {
		line->ret = true;
		end -= sizeof(ret) - 1;
	}
	if (!number(colon + 1, end, LONG_MAX, &line->offset))
		return fault(text, colon + 1, "this is not an offset", err);
	return copy(from, colon, &line->path);
}

int tfs_probe_line_parse(const char *text, struct tfs_probe_line *out, struct tfs_err *err)
{
	struct tfs_probe_line line = { 0 };
	const char *names = names_of(text), *from, *end;
	int rc;

	if (!tfs_probe_is_line(text))
		return fault(text, text, "this is not a line of the kernel's: p:GROUP/EVENT PLACE",
			     err);
	rc = parse_names(text, names, &line, err);
	from = skip_blanks(names + strcspn(names, " \t"));
	end = from + strcspn(from, " \t\n");
	if (!rc && end == from)
		rc = fault(text, from, "there is no location", err);
	if (!rc)
		rc = *from == '/' ? parse_offset(text, from, end, &line, err) :
				    copy(from, end, &line.location);
	end = skip_blanks(end);
	if (!rc)
		rc = copy(end, end + strcspn(end, "\n"), &line.args);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read '%s'", text);
	if (rc)
		tfs_probe_line_release(&line);
	else
		*out = line;
	return rc;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int program_point(struct tfs_dso *dso, const struct tfs_probe_line *line,
			 struct tfs_strbuf *sb, struct tfs_err *err)
{
	uint64_t addr;

	if (tfs_dso_kind(dso) != TFS_DSO_PROGRAM || !is_same_file(line->path, tfs_dso_path(dso))) {
		tfs_err_say(err, -EINVAL, "the definition is for '%s', not for '%s'", line->path,
			    tfs_dso_path(dso));
		tfs_err_hint(err, "without -x, -k and -m the program is the one that it names");
		return -EINVAL;
	}
	if (tfs_dso_address(dso, line->offset, &addr))
		return tfs_err_say(err, -EINVAL, "nothing of '%s' is loaded from offset 0x%" PRIx64,
				   line->path, line->offset);
	return tfs_strbuf_addf(sb, "0x%" PRIx64, addr);
}

/* MODULE:SYMBOL is a function of the module that is looked into. */
static int kernel_point(struct tfs_dso *dso, const struct tfs_probe_line *line,
			struct tfs_strbuf *sb, struct tfs_err *err)
{
	const char *module = tfs_dso_kind(dso) == TFS_DSO_MODULE ? tfs_dso_module(dso) : NULL;
	const char *colon = strchr(line->location, ':'),
		   *symbol = colon ? colon + 1 : line->location;
	size_t len = colon ? (size_t)(colon - line->location) : 0;

	if (tfs_dso_kind(dso) == TFS_DSO_PROGRAM) {
		tfs_err_say(err, -EINVAL, "the definition is for the kernel, not for '%s'",
			    tfs_dso_path(dso));
		tfs_err_hint(err, "the location in a program is PATH:OFFSET");
		return -EINVAL;
	}
	if (colon &&
	    (!module || strlen(module) != len || strncmp(module, line->location, len) != 0)) {
		tfs_err_say(err, -EINVAL, "the definition is for the module '%.*s'", (int)len,
			    line->location);
		tfs_err_hint(err, "-m %.*s looks into it", (int)len, line->location);
		return -EINVAL;
	}
	/* "f+0", as the kernel writes each */
	len = strlen(symbol);
	if (len > 2 && !strcmp(symbol + len - 2, "+0"))
		len -= 2;
	return tfs_strbuf_addf(sb, "%.*s", (int)len, symbol);
}

int tfs_probe_line_spec(struct tfs_dso *dso, const char *text, struct tfs_probe_spec *spec,
			struct tfs_err *err)
{
	struct tfs_probe_line line = { 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_probe_line_parse(text, &line, err);

	if (rc)
		return rc;
	/* the kernel takes '-' in the name of a group, and so do we */
	rc = tfs_strbuf_addf(&sb, "%s:%s=", line.group, line.event);
	if (!rc)
		rc = line.path ? program_point(dso, &line, &sb, err) :
				 kernel_point(dso, &line, &sb, err);
	if (!rc)
		rc = tfs_strbuf_addf(&sb, "%s %s", line.ret ? "%return" : "", line.args);
	if (!rc)
		rc = tfs_probe_parse(sb.s, spec, err);
	if (!rc) {
		spec->maxactive = line.maxactive;
		spec->counter = line.counter;
	}
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read '%s'", text);
	tfs_strbuf_release(&sb);
	tfs_probe_line_release(&line);
	return rc;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/sql.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"

/* Parentheses within parentheses */
#define DEPTH_MAX 50

enum token { END, WORD, NUMBER, STRING, SIGN };

/*
 * @p: after the present token, which is @len bytes at @at
 * @depth: of parentheses
 */
struct parser {
	struct tfs_sql *sql;
	struct tfs_err *err;
	const char *p, *at;
	size_t len;
	enum token token;
	unsigned int depth;
};

/* A condition, and the event that it is about */
struct condition {
	struct tfs_strbuf text;
	unsigned int event;
	size_t at;
};

static int fail(struct parser *p, const char *at, const char *message)
{
	tfs_err_say(p->err, -EINVAL, "%s", message);
	tfs_err_input(p->err, p->sql->text, (int)(at - p->sql->text));
	return -EINVAL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Signs of one or two characters */
static size_t sign_length(const char *s)
{
	static const char *const two[] = { "&&", "||", "==", "!=", "<=", ">=" };

	for (size_t i = 0; i < ARRAY_SIZE(two); i++)
		if (!strncmp(s, two[i], 2))
			return 2;
	return 1;
}

static int next(struct parser *p)
{
	const char *s = p->p + strspn(p->p, " \t\r\n;");
	const char *end;

	p->at = s;
	if (!*s) {
		p->token = END;
		p->len = 0;
	} else if (*s == '"' || *s == '\'') {
		end = strchr(s + 1, *s);
		if (!end)
			return fail(p, s, "the quotes are not closed");
		p->token = STRING;
		p->len = (size_t)(end - s) + 1;
	} else if (is_word(*s) || (*s == '-' && isdigit((unsigned char)s[1]))) {
		p->token = isalpha((unsigned char)*s) || *s == '_' ? WORD : NUMBER;
		for (p->len = 1; is_word(s[p->len]); p->len++)
			;
	} else {
		p->token = SIGN;
		p->len = sign_length(s);
	}
	p->p = s + p->len;
	return 0;
}

static bool is(const struct parser *p, const char *text)
{
	return p->len == strlen(text) && !strncasecmp(p->at, text, p->len) && p->token != STRING;
}

/* Is it this token? Then take it: 1, 0, -errno */
static int take(struct parser *p, const char *text)
{
	if (!is(p, text))
		return 0;
	return next(p) ? -EINVAL : 1;
}

static int need(struct parser *p, const char *text, const char *message)
{
	int rc = take(p, text);

	return rc > 0 ? 0 : rc ? rc : fail(p, p->at, message);
}

static bool is_keyword(const struct parser *p)
{
	static const char *const words[] = { "SELECT", "FROM", "JOIN",  "ON",    "WHERE",
					     "AS",     "AND",  "OR",    "NOT",   "GROUP",
					     "ORDER",  "BY",   "LIMIT", "HAVING" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is(p, words[i]))
			return true;
	return false;
}

static int take_name(struct parser *p, char **name, const char *message)
{
	if (p->token != WORD || is_keyword(p))
		return fail(p, p->at, message);
	free(*name);
	*name = strndup(p->at, p->len);
	return *name ? next(p) : -ENOMEM;
}

/* [AS NAME] */
static int take_as(struct parser *p, char **name)
{
	const char *at;
	int rc = take(p, "AS");

	if (rc <= 0)
		return rc;
	at = p->at;
	rc = take_name(p, name, "a name is missing after AS");
	return rc || !strchr(*name, '.') ? rc : fail(p, at, "a name after AS has no dot");
}

static int take_field(struct parser *p, struct tfs_sql_field *f)
{
	f->at = (size_t)(p->at - p->sql->text);
	return take_name(p, &f->name, "a field is missing");
}

/* In parentheses: COUNT(*), SUM(FIELD), CAST(FIELD AS TYPE); the word before them was taken. */
static int take_function(struct parser *p, struct tfs_sql_column *col)
{
	int rc = need(p, "(", "'(' is missing");

	if (!rc && col->what == TFS_SQL_COUNT)
		rc = need(p, "*", "COUNT takes *: COUNT(*)");
	else if (!rc)
		rc = take_field(p, &col->field);
	if (!rc && col->what == TFS_SQL_KEY) {
		rc = need(p, "AS", "CAST takes a type: CAST(FIELD AS SYSCALL)");
		if (!rc && (is(p, "_COUNTER_") || is(p, "__COUNTER__")))
			col->what = TFS_SQL_SUM;
		else if (!rc && is(p, "SYSCALL"))
			col->syscall = true;
		else if (!rc && (is(p, "LOG2") || is(p, "LOG")))
			col->log2 = true;
		else if (!rc)
			rc = fail(p, p->at, "this type is not supported: SYSCALL, LOG2, _COUNTER_");
		if (!rc)
			rc = next(p);
	}
	return rc ? rc : need(p, ")", "')' is missing");
}

/* "(b.TIMESTAMP_USECS - a.TIMESTAMP_USECS)": which is which is known when the events are. */
static int take_difference(struct parser *p, struct tfs_sql_column *col)
{
	struct tfs_sql_field second = { 0 };
	int rc = need(p, "(", "'(' is missing");

	col->what = TFS_SQL_DELTA;
	if (!rc)
		rc = take_field(p, &col->field);
	if (!rc)
		rc = need(p, "-",
			  "only differences of time stamps are supported: "
			  "(b.TIMESTAMP_USECS - a.TIMESTAMP_USECS)");
	if (!rc)
		rc = take_field(p, &second);
	if (!rc) {
		const char *a = strrchr(col->field.name, '.'), *b = strrchr(second.name, '.');

		col->usecs = a && !strcasecmp(a, ".TIMESTAMP_USECS");
		if (!a || !b || strcasecmp(a, b) != 0 ||
		    (!col->usecs && strcasecmp(a, ".TIMESTAMP") != 0))
			rc = fail(p, p->sql->text + col->field.at,
				  "only differences of time stamps are supported: "
				  "(b.TIMESTAMP_USECS - a.TIMESTAMP_USECS)");
	}
	free(second.name);
	return rc ? rc : need(p, ")", "')' is missing");
}

static int set_name(struct tfs_sql_column *col, const char *name)
{
	col->name = strdup(name);
	return col->name ? 0 : -ENOMEM;
}

static int take_column(struct parser *p, struct tfs_sql_column *col)
{
	static const struct {
		const char *word;
		enum tfs_sql_what what;
	} functions[] = { { "COUNT", TFS_SQL_COUNT },
			  { "SUM", TFS_SQL_SUM },
			  { "CAST", TFS_SQL_KEY } };
	const char *at = p->at, *after = p->p + strspn(p->p, " \t\r\n");

	if (is(p, "("))
		return take_difference(p, col);
	if (is(p, "TIMESTAMP_DELTA") || is(p, "TIMESTAMP_DELTA_USECS")) {
		col->what = TFS_SQL_DELTA;
		col->usecs = is(p, "TIMESTAMP_DELTA_USECS");
		col->field.at = (size_t)(at - p->sql->text);
		return next(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (*after == '(' && is(p, functions[i].word)) {
			col->what = functions[i].what;
			return next(p) ? -EINVAL : take_function(p, col);
		}
	if (p->token == SIGN && is(p, "*"))
		return fail(p, at, "name the fields: a row is made for each of their combinations");
	return take_field(p, &col->field);
}

static int take_columns(struct parser *p)
{
	struct tfs_sql *sql = p->sql;
	int rc;

	do {
		if (tfs_grow_one(&sql->v, sql->n))
			return -ENOMEM;
		sql->v[sql->n++] = (struct tfs_sql_column){ .what = TFS_SQL_KEY };
		rc = take_column(p, &sql->v[sql->n - 1]);
		if (!rc)
			rc = take_as(p, &sql->v[sql->n - 1].name);
		if (!rc)
			rc = take(p, ",");
	} while (rc > 0);
	return rc;
}

/* EVENT or SYSTEM.EVENT [AS NAME] */
static int take_event(struct parser *p, struct tfs_sql_event *e)
{
	char *dot;
	int rc;

	e->at = (size_t)(p->at - p->sql->text);
	rc = take_name(p, &e->name, "an event is missing");
	if (rc)
		return rc;
	dot = strchr(e->name, '.');
	if (dot)
		*dot = ':';
	return take_as(p, &e->alias);
}

static bool has_prefix(const char *name, const char *prefix, const char **rest)
{
	const size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) != 0 || name[len] != '.')
		return false;
	*rest = name + len + 1;
	return true;
}

/* Is the name one of a field of this event: ALIAS.FIELD, EVENT.FIELD, SYSTEM.EVENT.FIELD? */
static bool belongs(const char *name, const struct tfs_sql_event *e, const char **field)
{
	const char *colon = strchr(e->name, ':');
	const char *rest = name;

	if (e->alias && has_prefix(name, e->alias, field))
		return true;
	if (!colon)
		return has_prefix(name, e->name, field);
	if (!strncmp(name, e->name, (size_t)(colon - e->name)) && name[colon - e->name] == '.')
		rest = name + (colon - e->name) + 1;
	return has_prefix(rest, colon + 1, field);
}

/* Which event's field it is; @f->name is the field's alone from then on. */
static int resolve(struct parser *p, struct tfs_sql_field *f)
{
	const char *at = p->sql->text + f->at, *field = NULL;
	const unsigned int n = p->sql->n_events;
	char *name;

	for (f->event = 0; f->event < n; f->event++)
		if (belongs(f->name, &p->sql->event[f->event], &field))
			break;
	if (f->event == n && (strchr(f->name, '.') || p->sql->join))
		return fail(p, at,
			    p->sql->join ? "this is not a field of one of the events: NAME.FIELD" :
					   "this is not a field of the event");
	if (f->event == n) {
		f->event = 0;
		return 0;
	}
	name = strdup(field);
	if (!name)
		return -ENOMEM;
	free(f->name);
	f->name = name;
	return strchr(name, '.') ? fail(p, at, "a field has no dot") : 0;
}

static int take_on(struct parser *p)
{
	struct tfs_sql_field a = { 0 }, b = { 0 };
	int rc = need(p, "ON", "ON is missing: JOIN EVENT AS b ON a.FIELD = b.FIELD");

	if (!rc)
		rc = take_field(p, &a);
	if (!rc && !is(p, "=") && !is(p, "=="))
		rc = fail(p, p->at, "'=' is missing");
	if (!rc)
		rc = next(p);
	if (!rc)
		rc = take_field(p, &b);
	if (!rc)
		rc = resolve(p, &a);
	if (!rc)
		rc = resolve(p, &b);
	if (!rc && a.event == b.event)
		rc = fail(p, p->sql->text + b.at, "ON takes a field of each event");
	if (!rc && (is(p, "AND") || is(p, "&&")))
		rc = fail(p, p->at, "only one pair of fields is supported");
	if (rc) {
		free(a.name);
		free(b.name);
		return rc;
	}
	p->sql->event[a.event].on = a;
	p->sql->event[b.event].on = b;
	return 0;
}

static int mixed(struct parser *p, size_t at)
{
	return fail(p, p->sql->text + at,
		    "only AND may join conditions about different events, outside of parentheses");
}

static int take_value(struct parser *p, struct tfs_strbuf *sb)
{
	int rc;

	if (p->token == STRING)
		rc = tfs_strbuf_addf(sb, "\"%.*s\"", (int)p->len - 2, p->at + 1);
	else if (p->token == NUMBER)
		rc = tfs_strbuf_add(sb, p->at, p->len);
	else
		return fail(p, p->at, "a number or a text in quotes is missing");
	return rc ? rc : next(p);
}

static int take_comparison(struct parser *p, struct condition *c)
{
	static const char *const signs[] = { "==", "=", "!=", "<=", "<", ">=", ">", "&", "~" };
	struct tfs_sql_field f = { 0 };
	size_t i = 0;
	int rc = take_field(p, &f);

	if (!rc)
		rc = resolve(p, &f);
	while (!rc && i < ARRAY_SIZE(signs) && !is(p, signs[i]))
		i++;
	if (!rc && i == ARRAY_SIZE(signs))
		rc = fail(p, p->at, "a comparison is missing: == != < <= > >= & ~");
	if (!rc)
		rc = tfs_strbuf_addf(&c->text, "%s %s ", f.name, i == 1 ? "==" : signs[i]);
	if (!rc)
		rc = next(p);
	if (!rc)
		rc = take_value(p, &c->text);
	c->event = f.event;
	c->at = f.at;
	free(f.name);
	return rc;
}

static int take_or(struct parser *p, struct condition *c, bool top);

static int take_unit(struct parser *p, struct condition *c)
{
	const char *at = p->at;
	int rc;

	if (p->depth++ >= DEPTH_MAX)
		return fail(p, at, "too many parentheses");
	rc = take(p, "NOT");
	if (!rc)
		rc = take(p, "!");
	if (rc > 0) {
		rc = tfs_strbuf_adds(&c->text, "!(");
		if (!rc)
			rc = take_unit(p, c);
		if (!rc)
			rc = tfs_strbuf_addc(&c->text, ')');
	} else if (!rc && (rc = take(p, "(")) > 0) {
		rc = tfs_strbuf_addc(&c->text, '(');
		if (!rc)
			rc = take_or(p, c, false);
		if (!rc)
			rc = tfs_strbuf_addc(&c->text, ')');
		if (!rc)
			rc = need(p, ")", "')' is missing");
	} else if (!rc) {
		rc = take_comparison(p, c);
	}
	p->depth--;
	return rc;
}

/* Add a condition to those about its event. */
static int keep(struct parser *p, const struct condition *c)
{
	struct tfs_strbuf *filter = &p->sql->event[c->event].filter;

	return tfs_strbuf_addf(filter, "%s%s", filter->len ? " && " : "", c->text.s);
}

/* At the top, conditions about different events may be joined: each goes to its event's filter. */
static int take_and(struct parser *p, struct condition *c, bool top)
{
	struct condition more;
	int rc = take_unit(p, c);

	while (!rc && (is(p, "AND") || is(p, "&&"))) {
		more = (struct condition){ .text = TFS_STRBUF_INIT };
		rc = next(p);
		if (!rc)
			rc = take_unit(p, &more);
		if (!rc && top && more.event != c->event) {
			rc = keep(p, c);
			tfs_strbuf_release(&c->text);
			*c = more;
			continue;
		}
		if (!rc && more.event != c->event)
			rc = mixed(p, more.at);
		if (!rc)
			rc = tfs_strbuf_addf(&c->text, " && %s", more.text.s);
		tfs_strbuf_release(&more.text);
	}
	return rc;
}

static int take_or(struct parser *p, struct condition *c, bool top)
{
	int rc = take_and(p, c, top);

	while (!rc && (is(p, "OR") || is(p, "||"))) {
		struct condition more = { .text = TFS_STRBUF_INIT };
		const struct tfs_sql_event *e = p->sql->event;

		rc = top && (e[0].filter.len || e[1].filter.len) ? mixed(p, c->at) : next(p);
		if (!rc)
			rc = take_and(p, &more, false);
		if (!rc && more.event != c->event)
			rc = mixed(p, more.at);
		if (!rc)
			rc = tfs_strbuf_addf(&c->text, " || %s", more.text.s);
		tfs_strbuf_release(&more.text);
	}
	return rc;
}

static int take_where(struct parser *p)
{
	struct condition c = { .text = TFS_STRBUF_INIT };
	int rc = take_or(p, &c, true);

	if (!rc)
		rc = keep(p, &c);
	tfs_strbuf_release(&c.text);
	return rc;
}

static int name_column(struct parser *p, struct tfs_sql_column *col)
{
	if (col->name)
		return 0;
	switch (col->what) {
	case TFS_SQL_COUNT:
		return set_name(col, "count");
	case TFS_SQL_DELTA:
		return col->field.name ? fail(p, p->sql->text + col->field.at,
					      "a difference needs a name: (...) AS NAME") :
					 set_name(col, "delta");
	default:
		return set_name(col, col->field.name);
	}
}

static int check_column(struct parser *p, size_t i)
{
	struct tfs_sql_column *col = &p->sql->v[i];
	const char *at = p->sql->text + col->field.at;
	int rc = 0;

	if (col->what == TFS_SQL_KEY || col->what == TFS_SQL_SUM)
		rc = resolve(p, &col->field);
	if (!rc)
		rc = name_column(p, col);
	if (!rc && col->what == TFS_SQL_DELTA && !p->sql->join)
		rc = fail(p, at, "a time from one event to another needs JOIN");
	for (size_t k = 0; k < i && !rc; k++)
		if (!strcmp(p->sql->v[k].name, col->name))
			rc = fail(p, at, "two columns have the same name: use AS");
	return rc;
}

static int check(struct parser *p)
{
	bool key = false;
	int rc = 0;

	for (size_t i = 0; i < p->sql->n && !rc; i++) {
		rc = check_column(p, i);
		key |= p->sql->v[i].what == TFS_SQL_KEY;
	}
	if (!rc && !key)
		rc = fail(p, p->sql->text, "a field is missing, of whose values rows are made");
	return rc;
}

/* Clauses of SQL that people expect, and that a table does not need */
static int fail_at_end(struct parser *p)
{
	static const struct {
		const char *word, *hint;
	} clauses[] = {
		{ "GROUP",
		  "there is a row for each combination of the fields: leave GROUP BY out" },
		{ "ORDER", "rows are sorted by count, the largest first: leave ORDER BY out" },
	};
	int rc = fail(p, p->at, "this is not understood here");

	for (size_t i = 0; i < ARRAY_SIZE(clauses); i++)
		if (is(p, clauses[i].word))
			tfs_err_hint(p->err, "%s", clauses[i].hint);
	return rc;
}

static int parse(struct parser *p)
{
	int rc = next(p), more = 0;

	if (!rc)
		rc = need(p, "SELECT", "a query begins with SELECT");
	if (!rc)
		rc = take_columns(p);
	if (!rc)
		rc = need(p, "FROM", "FROM is missing");
	if (!rc)
		rc = take_event(p, &p->sql->event[0]);
	if (!rc)
		more = take(p, "JOIN");
	if (!rc && more > 0) {
		rc = take_event(p, &p->sql->event[1]);
		p->sql->join = !rc;
		p->sql->n_events = rc ? 1 : 2;
		if (!rc)
			rc = take_on(p);
	}
	if (!rc && more >= 0) {
		more = take(p, "WHERE");
		rc = more > 0 ? take_where(p) : more;
	}
	if (!rc && p->token != END)
		rc = fail_at_end(p);
	return rc ? rc : check(p);
}

int tfs_sql_parse(const char *text, struct tfs_sql *sql, struct tfs_err *err)
{
	struct parser p = { .sql = sql, .err = err, .p = text };
	int rc;

	*sql = (struct tfs_sql){ .text = text, .n_events = 1 };
	tfs_strbuf_init(&sql->event[0].filter);
	tfs_strbuf_init(&sql->event[1].filter);
	rc = parse(&p);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot read the query") : rc;
}

void tfs_sql_release(struct tfs_sql *sql)
{
	for (size_t i = 0; i < sql->n; i++) {
		free(sql->v[i].field.name);
		free(sql->v[i].name);
	}
	free(sql->v);
	for (size_t i = 0; i < ARRAY_SIZE(sql->event); i++) {
		free(sql->event[i].name);
		free(sql->event[i].alias);
		free(sql->event[i].on.name);
		tfs_strbuf_release(&sql->event[i].filter);
	}
	*sql = (struct tfs_sql){ 0 };
}

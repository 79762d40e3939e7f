/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/array.h"
#include "base/err.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "decode/event-regex.h"
#include "decode/event-type.h"
#include "decode/names.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "filter/filter-program.h"
#include "filter/filter-syntax.h"
#include "tracedat/page.h"

/*
 * struct tfs_filter - see filter.h
 * @text: as it was typed
 * @events: those it is about, with commas between them
 * @tep: libtraceevent's, which owns the trees
 * @programs: by index of the type; NULL: the filter is not about it
 * @order: of types, as libtraceevent goes through them: backwards, and twice what is named twice
 */
struct tfs_filter {
	struct tfs_trace *trace;
	char *text;
	struct tfs_strbuf events;
	struct tep_event_filter *tep;
	struct tfs_filter_program **programs;
	size_t *order;
	size_t n_order;
	struct tfs_err notice;
	bool noticed;
};

static int add_type(struct tfs_filter *f, size_t index)
{
	if (tfs_grow_one(&f->order, f->n_order))
		return -ENOMEM;
	f->order[f->n_order++] = index;
	return 0;
}

/* "system/event", without blanks: its events are parsed and noted, by id. */
static int take_events(struct tfs_filter *f, const char *name, struct tfs_strvec *missing,
		       struct tfs_err *err)
{
	struct tfs_trace *trace = f->trace;
	struct tfs_event_regex re;
	size_t before = f->n_order;
	int id, rc;

	rc = tfs_event_regex_init(&re, name, '/', TFS_REGEX_WHOLE, err);
	if (rc)
		return rc;
	for (id = 0; !rc && id < TFS_EVENT_IDS; id++) {
		const struct tfs_event_type *t = tfs_trace_type(trace, id);

		if (t && tfs_event_regex_match(&re, t) && tfs_trace_event(trace, id))
			rc = add_type(f, t->index);
	}
	tfs_event_regex_release(&re);
	if (rc)
		return rc;
	if (f->n_order > before)
		return tfs_strbuf_addf(&f->events, "%s%s", f->events.len ? "," : "", name);
	if (missing)
		return tfs_strvec_pushf(missing, "event '%s'", name);
	return tfs_names_no_event(trace, name, err);
}

/* libtraceevent takes blanks around names as part of nothing. */
static int add_trimmed(struct tfs_strbuf *sb, const char *s, size_t len)
{
	while (len && strchr(" \t\n", *s)) {
		s++;
		len--;
	}
	while (len && strchr(" \t\n", s[len - 1]))
		len--;
	return tfs_strbuf_add(sb, s, len);
}

static int take_event_list(struct tfs_filter *f, size_t len, struct tfs_strvec *missing,
			   struct tfs_err *err)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	const char *s = f->text, *end = s + len, *comma, *slash;
	int rc = 0;

	do {
		comma = memchr(s, ',', (size_t)(end - s));
		comma = comma ? comma : end;
		slash = memchr(s, '/', (size_t)(comma - s));
		tfs_strbuf_reset(&name);
		if (slash) {
			rc = add_trimmed(&name, s, (size_t)(slash - s));
			if (!rc)
				rc = tfs_strbuf_addc(&name, '/');
		}
		s = slash ? slash + 1 : s;
		if (!rc)
			rc = add_trimmed(&name, s, (size_t)(comma - s));
		if (!rc && (!name.len || name.s[0] == '/' || name.s[name.len - 1] == '/')) {
			tfs_err_say(err, -EINVAL, "filter: an event is needed here");
			tfs_err_input(err, f->text, (int)(s - f->text));
			rc = -EINVAL;
		}
		if (!rc)
			rc = take_events(f, name.s, missing, err);
		s = comma + 1;
	} while (!rc && comma < end);
	tfs_strbuf_release(&name);
	return rc;
}

static struct tep_event *event_at(const struct tfs_filter *f, size_t n)
{
	return tfs_trace_index(f->trace)->types[f->order[n]].tep;
}

static int add_fields(const struct tep_format_field *fields, struct tfs_strvec *names)
{
	int rc = 0;

	for (; fields && !rc; fields = fields->next)
		if (!tfs_strvec_has(names, fields->name))
			rc = tfs_strvec_push(names, fields->name);
	return rc;
}

static void hint_fields(const struct tfs_filter *f, const char *name, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; i < f->n_order && !rc; i++) {
		rc = add_fields(event_at(f, i)->format.common_fields, &names);
		if (!rc)
			rc = add_fields(event_at(f, i)->format.fields, &names);
	}
	tfs_suggest_hint(err, name, &names, "--event shows the fields of an event");
	tfs_strvec_release(&names);
}

/* --- words: enumerators of probes */

static const struct tfs_field *field_at(const struct tfs_filter *f, size_t n, const char *name,
					size_t len)
{
	return tfs_fields_find(tfs_trace_index(f->trace)->types[f->order[n]].fields, name, len);
}

/* As the field's number is compared: with its sign, which libtraceevent's filters have not. */
static uint64_t as_compared(const struct tfs_filter *f, const struct tfs_field *field,
			    uint64_t value)
{
	if (tfs_trace_is_compat(f->trace) || field->kind != TFS_VALUE_SIGNED || !field->element)
		return value;
	return tfs_meaning_extend(field->bits ? field->bits : 8 * field->element, value);
}

static void hint_words(const struct tfs_meaning *means, const char *word, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < means->n && !rc; i++)
		rc = tfs_strvec_push(&names, means->names[i].name);
	tfs_suggest_hint(err, word, &names, "--json shows the names of values that were recorded");
	tfs_strvec_release(&names);
}

static int no_word(const struct tfs_filter *f, const struct tfs_meaning *means,
		   const struct tfs_filter_name *field, const struct tfs_filter_name *word,
		   struct tfs_err *err)
{
	char *text = strndup(f->text + word->at, word->len);

	if (!text)
		return -ENOMEM;
	tfs_err_say(err, -EINVAL, "filter: '%s' is not a value of '%.*s'", text, (int)field->len,
		    f->text + field->at);
	tfs_err_input(err, f->text, (int)word->at);
	hint_words(means, text, err);
	free(text);
	return -EINVAL;
}

static int find_word(const void *context, const struct tfs_filter_name *field,
		     const struct tfs_filter_name *word, uint64_t *value, struct tfs_err *err)
{
	const struct tfs_meaning *means = NULL;
	const struct tfs_filter *f = context;
	bool found = false;
	uint64_t v;

	for (size_t i = 0; i < f->n_order; i++) {
		const struct tfs_field *at = field_at(f, i, f->text + field->at, field->len);

		if (!at || !at->means || at->means->kind != TFS_MEANS_NAME)
			continue;
		means = at->means;
		if (!tfs_meaning_value(means, f->text + word->at, word->len, &v))
			continue;
		v = as_compared(f, at, v);
		if (found && v != *value) {
			tfs_err_say(err, -EINVAL, "filter: '%.*s' is another number in each event",
				    (int)word->len, f->text + word->at);
			tfs_err_input(err, f->text, (int)word->at);
			tfs_err_hint(err, "filter one event at a time, or compare with the number");
			return -EINVAL;
		}
		*value = v;
		found = true;
	}
	return found ? 1 : means ? no_word(f, means, field, word, err) : 0;
}

/* The recorded bits of a floating-point number are in another order than its values. */
static int check_float(const struct tfs_filter *f, const struct tfs_filter_name *n,
		       struct tfs_err *err)
{
	for (size_t i = 0; i < f->n_order; i++) {
		const struct tfs_field *at = field_at(f, i, f->text + n->at, n->len);

		if (!at || !at->means || at->means->kind != TFS_MEANS_FLOAT)
			continue;
		tfs_err_say(err, -EINVAL,
			    "filter: '%.*s' is a floating-point number, and filters "
			    "compare integers",
			    (int)n->len, f->text + n->at);
		tfs_err_input(err, f->text, (int)n->at);
		tfs_err_hint(err, "--json gives it to other programs, such as jq");
		return -EINVAL;
	}
	return 0;
}

/* A name that none of the events has makes nothing of what it stands in. */
static int check_name(struct tfs_filter *f, const struct tfs_filter_name *n, struct tfs_err *err)
{
	char *name = strndup(f->text + n->at, n->len);
	bool known = false;
	size_t i;
	int rc;

	if (!name)
		return -ENOMEM;
	rc = check_float(f, n, err);
	if (rc) {
		free(name);
		return rc;
	}
	for (i = 0; i < f->n_order && !known; i++)
		known = tep_find_any_field(event_at(f, i), name) || !strcmp(name, "COMM") ||
			!strcmp(name, "CPU");
	if (!known && !f->noticed) {
		tfs_err_say(&f->notice, -ENOENT, "filter: no event has a field '%s'", name);
		tfs_err_input(&f->notice, f->text, (int)n->at);
		hint_fields(f, name, &f->notice);
		f->noticed = true;
	}
	free(name);
	return 0;
}

/* libtraceevent's own message follows the text and a line with a caret. */
static int refuse(struct tfs_filter *f, enum tep_errno code, struct tfs_err *err)
{
	char buf[TEP_FILTER_ERROR_BUFSZ + 1];
	const char *last;

	if (code == TEP_ERRNO__MEM_ALLOC_FAILED)
		return -ENOMEM;
	if (tep_filter_strerror(f->tep, code, buf, sizeof(buf)))
		*buf = '\0';
	last = strrchr(buf, '\n');
	tfs_err_say(err, -EINVAL, "filter: %s", last ? last + 1 : *buf ? buf : "it cannot be used");
	tfs_err_input(err, f->text, -1);
	return -EINVAL;
}

/* The filter as libtraceevent takes it */
static int give(struct tfs_filter *f, const char *expression, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	enum tep_errno code;
	int rc;

	rc = tfs_strbuf_add(&sb, f->events.s, f->events.len);
	if (!rc && expression)
		rc = tfs_strbuf_addf(&sb, ":%s", expression);
	code = rc ? 0 : tep_filter_add_filter_str(f->tep, sb.s);
	if (code < 0)
		rc = refuse(f, code, err);
	tfs_strbuf_release(&sb);
	return rc;
}

/* A field that is compared with what it never is makes nothing of the filter, too. */
static void check_program(struct tfs_filter *f, const struct tfs_filter_program *p)
{
	bool is_text;
	const char *name = tfs_filter_program_odd(p, &is_text);

	if (!name || f->noticed)
		return;
	f->noticed = true;
	tfs_err_say(&f->notice, -EINVAL, "filter: '%s' is a %s, and compared with a %s", name,
		    is_text ? "text" : "number", is_text ? "number" : "text");
	tfs_err_hint(&f->notice, is_text ? "put what it is compared with in double quotes" :
					   "write the number without quotes");
}

static int compile(struct tfs_filter *f)
{
	struct tfs_filter_program **p;
	const struct tep_event_filter *tep = f->tep;
	int i, rc = 0;

	for (i = 0; i < tep->filters && !rc; i++) {
		const struct tep_filter_type *ft = &tep->event_filters[i];
		const struct tfs_event_type *t = tfs_trace_type(f->trace, ft->event_id);

		if (!t)
			continue;
		p = &f->programs[t->index];
		rc = tfs_filter_program_new(f->trace, ft->filter, p);
		if (!rc)
			check_program(f, *p);
	}
	return rc;
}

static int build(struct tfs_filter *f, struct tfs_strvec *missing, struct tfs_err *err)
{
	const char *colon = strchr(f->text, ':');
	struct tfs_filter_syntax syntax = { .text = TFS_STRBUF_INIT };
	const struct tfs_filter_words words = { .value = find_word, .context = f };
	size_t i;
	int rc;

	rc = take_event_list(f, colon ? (size_t)(colon - f->text) : strlen(f->text), missing, err);
	if (!rc && colon)
		rc = tfs_filter_syntax(f->text, (size_t)(colon + 1 - f->text), &words, &syntax,
				       err);
	for (i = 0; i < syntax.n_names && !rc && f->n_order; i++)
		rc = check_name(f, &syntax.names[i], err);
	if (!rc && f->n_order)
		rc = give(f, colon ? syntax.text.s : NULL, err);
	if (!rc)
		rc = compile(f);
	tfs_filter_syntax_release(&syntax);
	return rc;
}

int tfs_filter_new(struct tfs_trace *trace, const char *text, struct tfs_strvec *missing,
		   struct tfs_filter **out, struct tfs_err *err)
{
	struct tfs_filter *f = calloc(1, sizeof(*f));
	int rc = -ENOMEM;

	if (!f)
		goto out;
	f->trace = trace;
	f->notice = TFS_ERR_INIT;
	tfs_strbuf_init(&f->events);
	f->text = strdup(text);
	f->tep = tep_filter_alloc(tfs_trace_tep(trace));
	f->programs = calloc(tfs_trace_index(trace)->n + 1, sizeof(struct tfs_filter_program *));
	if (f->text && f->tep && f->programs)
		rc = build(f, missing, err);
out:
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the filter");
	if (rc)
		tfs_filter_free(f);
	else
		*out = f;
	return rc;
}

void tfs_filter_free(struct tfs_filter *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; f->programs && i < tfs_trace_index(f->trace)->n; i++)
		tfs_filter_program_free(f->programs[i]);
	free(f->programs);
	if (f->tep)
		tep_filter_free(f->tep);
	tfs_err_clear(&f->notice);
	tfs_strbuf_release(&f->events);
	free(f->order);
	free(f->text);
	free(f);
}

enum tfs_filter_verdict tfs_filter_match(const struct tfs_filter *f, const struct tfs_record *rec)
{
	const struct tfs_event_type *t =
		tfs_trace_type(f->trace, tfs_trace_record_id(f->trace, rec));
	const struct tfs_filter_program *p = t ? f->programs[t->index] : NULL;

	if (!p)
		return TFS_FILTER_NONE;
	return tfs_filter_program_run(p, rec) ? TFS_FILTER_MATCH : TFS_FILTER_MISS;
}

bool tfs_filter_is_empty(const struct tfs_filter *f)
{
	return !f->n_order;
}

int tfs_filter_describe(const struct tfs_filter *f, struct tfs_strbuf *out)
{
	const struct tep_event *event;
	size_t i;
	char *s;
	int rc = 0;

	for (i = f->n_order; i-- && !rc;) {
		event = event_at(f, i);
		s = tep_filter_make_string(f->tep, event->id);
		rc = s ? tfs_strbuf_addf(out, " '%s: %s'\n", event->name, s) : -ENOMEM;
		free(s);
	}
	return rc;
}

const struct tfs_err *tfs_filter_notice(const struct tfs_filter *f)
{
	return f->noticed ? &f->notice : NULL;
}

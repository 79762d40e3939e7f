/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/cxx-type-name.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"

/* Templates in templates: deeper is not looked at, but taken as it is. */
#define DEPTH_MAX 64

static const struct {
	const char *is;
	const char *means;
} synonyms[] = {
	{ "std::__cxx11::basic_string<char,std::char_traits<char>,std::allocator<char>>",
	  "std::string" },
	{ "std::basic_string<char,std::char_traits<char>,std::allocator<char>>", "std::string" },
	{ "basic_string<char,std::char_traits<char>,std::allocator<char>>", "string" },
	{ "std::basic_string_view<char,std::char_traits<char>>", "std::string_view" },
	{ "basic_string_view<char,std::char_traits<char>>", "string_view" },
	{ "std::__cxx11::string", "std::string" },
	{ "__cxx11::string", "string" },
};

/* Words of a number's type, in any order; "int" says nothing beside another. */
struct number {
	unsigned int longs, shorts, unsigneds, signeds, ints, chars;
	bool any;
};

/*
 * struct reader - @p is what comes next; text after @end is not read
 */
struct reader {
	const char *p;
	unsigned int depth;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '~' || c == '$' || c == '{' ||
	       c == '}' || c == '#' || c == '.' || (c & 0x80);
}

static void skip_blanks(struct reader *r)
{
	while (*r->p == ' ')
		r->p++;
}

static int read_list(struct reader *r, char close, struct tfs_strbuf *out);

static bool take_number(struct number *n, const char *word, size_t len)
{
	const struct {
		const char *word;
		unsigned int *count;
	} words[] = {
		{ "long", &n->longs },     { "short", &n->shorts }, { "unsigned", &n->unsigneds },
		{ "signed", &n->signeds }, { "int", &n->ints },     { "char", &n->chars },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) == len && !strncmp(word, words[i].word, len)) {
			++*words[i].count;
			n->any = true;
			return true;
		}
	}
	return false;
}

static int add_number(const struct number *n, struct tfs_strbuf *out)
{
	const char *base = n->chars     ? "char" :
			   n->shorts    ? "short" :
			   n->longs > 1 ? "long long" :
			   n->longs     ? "long" :
					  "int";

	if (n->chars && n->signeds)
		return tfs_strbuf_adds(out, "signed char");
	return tfs_strbuf_addf(out, "%s%s", n->unsigneds ? "unsigned " : "", base);
}

/* "class", "const" and the like: true if it says nothing here. */
static bool is_keyword(const char *word, size_t len, bool *is_const)
{
	static const char *const words[] = { "struct", "class", "union", "enum", "typename" };

	if (len == 5 && !strncmp(word, "const", 5)) {
		*is_const = true;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i]) == len && !strncmp(word, words[i], len))
			return true;
	}
	return false;
}

static int add_synonym(const struct tfs_strbuf *name, struct tfs_strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(synonyms); i++) {
		if (!strcmp(name->s, synonyms[i].is))
			return tfs_strbuf_adds(out, synonyms[i].means);
	}
	return tfs_strbuf_adds(out, name->s);
}

/*
 * The text between < and >: template arguments. At the front of a name it is Rust's <TYPE>::f,
 * which becomes TYPE::f, or <TYPE as TRAIT>::f, which is kept.
 */
static int read_arguments(struct reader *r, struct tfs_strbuf *name)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	int rc = read_list(r, '>', &list);

	if (!rc && !name->len && list.len && !strchr(list.s, ' '))
		rc = tfs_strbuf_adds(name, list.s);
	else if (!rc)
		rc = tfs_strbuf_addf(name, "<%s>", list.len ? list.s : "");
	tfs_strbuf_release(&list);
	return rc;
}

/* A word, with its scopes and the arguments of a template. */
static int read_name(struct reader *r, struct tfs_strbuf *name)
{
	int rc = 0;

	while (*r->p && !rc) {
		if (is_word(*r->p)) {
			rc = tfs_strbuf_addc(name, *r->p++);
		} else if (r->p[0] == ':' && r->p[1] == ':') {
			/* Rust's "f::<T>" is "f<T>" */
			if (r->p[2] != '<')
				rc = tfs_strbuf_adds(name, "::");
			r->p += 2;
		} else if (*r->p == '<') {
			r->p++;
			rc = read_arguments(r, name);
		} else if (!strncmp(r->p, "(anonymous", 10) && strchr(r->p, ')')) {
			while (*r->p && *r->p != ')' && !rc)
				rc = tfs_strbuf_addc(name, *r->p++);
			if (!rc && *r->p)
				rc = tfs_strbuf_addc(name, *r->p++);
		} else {
			break;
		}
	}
	return rc;
}

/* The pointers, references, arrays and parameter lists after the name of a type. */
static int read_declarator(struct reader *r, struct tfs_strbuf *out)
{
	int rc = 0;

	while (*r->p && !strchr(",)>", *r->p) && !rc) {
		skip_blanks(r);
		if (!strncmp(r->p, "const", 5) && !is_word(r->p[5])) {
			r->p += 5;
			skip_blanks(r);
			/* that the parameter itself is const is nobody's business */
			if (*r->p && !strchr(",)>", *r->p))
				rc = tfs_strbuf_adds(out, "const");
		} else if (*r->p == '(') {
			r->p++;
			rc = tfs_strbuf_addc(out, '(');
			if (!rc)
				rc = read_list(r, ')', out);
			if (!rc)
				rc = tfs_strbuf_addc(out, ')');
		} else if (*r->p && !strchr(",)>", *r->p)) {
			rc = tfs_strbuf_addc(out, *r->p++);
		}
	}
	return rc;
}

static int read_type(struct reader *r, struct tfs_strbuf *out)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	struct number n = { 0 };
	bool is_const = false;
	int rc = 0;

	for (skip_blanks(r); !rc && (is_word(*r->p) || !strncmp(r->p, "::", 2) || *r->p == '<' ||
				     !strncmp(r->p, "(anonymous", 10));
	     skip_blanks(r)) {
		struct tfs_strbuf word = TFS_STRBUF_INIT;

		rc = read_name(r, &word);
		if (!rc && !is_keyword(word.s, word.len, &is_const) &&
		    !take_number(&n, word.s, word.len)) {
			if (name.len)
				rc = tfs_strbuf_addc(&name, ' ');
			if (!rc)
				rc = tfs_strbuf_adds(&name, word.s);
		}
		tfs_strbuf_release(&word);
	}
	if (!rc && is_const)
		rc = tfs_strbuf_adds(out, strchr("*&(", *r->p) && *r->p ? "const " : "");
	if (!rc && name.len)
		rc = add_synonym(&name, out);
	else if (!rc && n.any)
		rc = add_number(&n, out);
	if (!rc)
		rc = read_declarator(r, out);
	tfs_strbuf_release(&name);
	return rc;
}

/* Types with commas between, up to @close, which is read too. */
static int read_list(struct reader *r, char close, struct tfs_strbuf *out)
{
	bool first = true;
	int rc = 0;

	if (++r->depth > DEPTH_MAX)
		return -ELOOP;
	while (*r->p && *r->p != close && !rc) {
		if (!first)
			rc = tfs_strbuf_addc(out, ',');
		first = false;
		if (!rc)
			rc = read_type(r, out);
		if (*r->p == ',' || (*r->p && *r->p != close && strchr(")>", *r->p)))
			r->p++;
	}
	if (*r->p)
		r->p++;
	r->depth--;
	return rc;
}

int tfs_cxx_type_name(const char *text, struct tfs_strbuf *out)
{
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	struct reader r = { .p = text };
	int rc = 0;

	if (*text == '(') {
		r.p++;
		rc = tfs_strbuf_addc(&all, '(');
		if (!rc)
			rc = read_list(&r, ')', &all);
		if (!rc)
			rc = tfs_strbuf_addc(&all, ')');
		/* no parameters, as C has them */
		if (!rc && !strcmp(all.s, "(void)")) {
			tfs_strbuf_reset(&all);
			rc = tfs_strbuf_adds(&all, "()");
		}
	} else {
		rc = read_type(&r, &all);
	}
	/* as it is, then: too deep */
	if (rc == -ELOOP) {
		tfs_strbuf_reset(&all);
		rc = tfs_strbuf_adds(&all, text);
	}
	if (!rc)
		rc = tfs_strbuf_add(out, all.s ? all.s : "", all.len);
	tfs_strbuf_release(&all);
	return rc;
}

static bool ends_scope(const char *full, size_t at)
{
	return !at || (at >= 2 && !strncmp(full + at - 2, "::", 2)) ||
	       strchr("<,( ", full[at - 1]) != NULL;
}

/* Compare from the end: any name in the text may lack its leading scopes. */
static bool same_text(const char *typed, const char *full)
{
	while (*typed && *full) {
		size_t t = strcspn(typed, "<>,()*& "), f = strcspn(full, "<>,()*& ");

		if (t > f || strncmp(full + f - t, typed, t) != 0 ||
		    (t != f && (!t || !ends_scope(full, f - t) || full[f - t - 1] != ':')))
			return false;
		typed += t;
		full += f;
		if (*typed != *full)
			return false;
		if (*typed) {
			typed++;
			full++;
		}
	}
	return !*typed && !*full;
}

bool tfs_cxx_type_name_same(const char *typed, const char *full)
{
	struct tfs_strbuf a = TFS_STRBUF_INIT, b = TFS_STRBUF_INIT;
	bool same = !tfs_cxx_type_name(typed, &a) && !tfs_cxx_type_name(full, &b) &&
		    same_text(a.s ? a.s : "", b.s ? b.s : "");

	tfs_strbuf_release(&a);
	tfs_strbuf_release(&b);
	return same;
}

/* Index after the word "operator" and its punctuation. */
static size_t after_operator(const char *name, size_t i)
{
	i += strlen("operator");
	if (!strncmp(name + i, "()", 2))
		return i + 2;
	return i + strspn(name + i, "+-*/%^&|~!=<>,[]");
}

void tfs_cxx_type_name_split(const char *name, size_t *params, size_t *last)
{
	static const char word[] = "operator";
	unsigned int depth = 0;
	size_t i = 0;

	*last = 0;
	*params = strlen(name);
	while (name[i]) {
		if (!strncmp(name + i, word, sizeof(word) - 1) && (!i || !is_word(name[i - 1])) &&
		    !is_word(name[i + sizeof(word) - 1])) {
			i = after_operator(name, i);
			continue;
		}
		/* parameters, but neither "main.(*T).Method" nor "(anonymous namespace)::f" */
		if (name[i] == '(' && i && !depth && name[i - 1] != '.' && name[i - 1] != ':') {
			*params = i;
			return;
		}
		depth += name[i] == '<' || name[i] == '(' || name[i] == '{';
		depth -= depth && (name[i] == '>' || name[i] == ')' || name[i] == '}');
		if (!depth && !strncmp(name + i, "::", 2)) {
			*last = i + 2;
			i++;
		}
		i++;
	}
}

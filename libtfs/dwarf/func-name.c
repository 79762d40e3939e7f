/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-name.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "dso/demangle.h"
#include "dwarf/cxx-type-name.h"
#include "dwarf/func-internal.h"
#include "dwarf/type.h"

static bool is_operator(const char *name)
{
	static const char word[] = "operator";

	return !strncmp(name, word, sizeof(word) - 1) && name[sizeof(word) - 1] &&
	       strchr("+-*/%^&|~!=<>,[(", name[sizeof(word) - 1]);
}

/* "operator new", "operator bool": what is mangled to something else. */
static bool is_conversion(const char *name)
{
	static const char word[] = "operator ";

	return !strncmp(name, word, sizeof(word) - 1);
}

/* How long the end of F[...] is, which stands for all instances of a generic function of Go's. */
static size_t any_length(const char *name)
{
	static const char any[] = "[...]";
	size_t len = strlen(name), end = strlen(any);

	return len > end && !strcmp(name + len - end, any) ? end : 0;
}

int tfs_wanted_init(struct tfs_wanted *w, const char *name)
{
	size_t params, last, len;

	memset(w, 0, sizeof(*w));
	tfs_cxx_type_name_split(name, &params, &last);
	w->name = strndup(name, params);
	if (name[params])
		w->params = strdup(name + params);
	if (!w->name || (name[params] && !w->params))
		return -ENOMEM;
	w->last = w->name + last;
	w->qualified = last > 0;
	len = is_operator(w->last) ? strlen(w->last) : strcspn(w->last, "<");
	w->template = len && w->last[len];
	w->base = strndup(w->last, w->template ? len : strlen(w->last) - any_length(w->last));
	return w->base ? 0 : -ENOMEM;
}

void tfs_wanted_release(struct tfs_wanted *w)
{
	free(w->name);
	free(w->base);
	free(w->params);
	memset(w, 0, sizeof(*w));
}

/* The end of a path, from a slash on: "pkg.F" means "example.com/m/pkg.F". */
static bool is_end_of_path(const char *typed, const char *name)
{
	size_t len = strlen(name), want = strlen(typed);

	return len > want && name[len - want - 1] == '/' && !strcmp(name + len - want, typed);
}

/*
 * A generic function of Go's is there once for each shape of its types, F[go.shape.int_0], and F or
 * F[...] means them all.
 */
static bool is_instance(const char *typed, const char *name)
{
	const char *bracket = strchr(name, '[');
	size_t want = strlen(typed) - any_length(typed),
	       len = bracket ? (size_t)(bracket - name) : 0;

	return want && len >= want && !strncmp(name + len - want, typed, want) &&
	       (len == want || name[len - want - 1] == '/');
}

/* Does a name differ before the pattern's first * ? [ or \\ ? Most names do. */
static bool begins_otherwise(const char *glob, const char *name)
{
	for (; *glob && !strchr("*?[\\", *glob); glob++, name++)
		if (*glob != *name)
			return true;
	return false;
}

static bool glob_fits(const char *glob, const char *name)
{
	return !begins_otherwise(glob, name) && !fnmatch(glob, name, 0);
}

/* "f" means "f<int>" too: equal up to the arguments of a template that were not typed. */
static bool name_fits(const struct tfs_wanted *w, const char *name)
{
	size_t len = strlen(w->base);

	if (!name)
		return false;
	if (w->glob)
		return glob_fits(w->qualified ? w->last : w->name, name);
	if (w->go && (is_end_of_path(w->name, name) || is_instance(w->name, name)))
		return true;
	if (strncmp(w->base, name, len) != 0)
		return false;
	if (w->template)
		return name[len] == '<' && tfs_cxx_type_name_same(w->last, name);
	return !name[len] || (name[len] == '<' && !is_operator(name));
}

/* "ns::vec<int>::push" without what is between < and >; operators keep theirs. */
static void strip_template(char *name)
{
	size_t depth = 0, kept = 0;
	const char *op = strstr(name, "operator");

	for (size_t i = 0; name[i]; i++) {
		if (op && name + i >= op) {
			name[kept++] = name[i];
			continue;
		}
		depth += name[i] == '<';
		if (!depth)
			name[kept++] = name[i];
		depth -= depth && name[i] == '>';
	}
	name[kept] = '\0';
}

/* "Derived::meth" means "ns::Derived::meth" too. */
static bool is_tail(const char *want, const char *full)
{
	size_t len = strlen(full), tail = strlen(want);

	return len >= tail && !strcmp(full + len - tail, want) &&
	       (len == tail || full[len - tail - 1] == ':');
}

/* A namespace without a name, which a source cannot name: what is in it is in the one around it. */
static void strip_anonymous(char *name)
{
	static const char word[] = "(anonymous namespace)::";
	char *at;

	while ((at = strstr(name, word)))
		memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* Takes over @full, a qualified name without parameters; NULL fits nothing. */
static bool qualified_fits(const struct tfs_wanted *w, char *full)
{
	bool fits;

	if (!full)
		return false;
	if (w->glob) {
		fits = !fnmatch(w->name, full, 0);
	} else if (strchr(w->name, '<') &&
		   (!is_operator(w->last) || strchr(w->name, '<') < w->last)) {
		fits = tfs_cxx_type_name_same(w->name, full);
	} else {
		strip_template(full);
		fits = is_tail(w->name, full);
		strip_anonymous(full);
		fits = fits || is_tail(w->name, full);
	}
	free(full);
	return fits;
}

/* The text after two lists of parameters, " const" or " &&", but for blanks; none is any. */
static bool qualifiers_fit(const char *typed, const char *full)
{
	typed = strrchr(typed, ')');
	full = strrchr(full, ')');
	if (!typed || !typed[1])
		return true;
	while (full && *typed && *typed == *full) {
		typed += 1 + strspn(typed + 1, " ");
		full += 1 + strspn(full + 1, " ");
	}
	return full && !*typed && !*full;
}

/* Whether the types of a function's parameters are those of the list that was typed. */
static bool params_fit(const struct tfs_wanted *w, Dwarf_Die *die)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	const char *linkage = tfs_die_linkage_name(die);
	char *full = linkage ? tfs_demangle(linkage, TFS_DEMANGLE_PARAMS) : NULL;
	size_t params = 0, last;
	Dwarf_Die origin, param;
	bool more, fits = false, other = false;
	int n = 0, rc;

	if (full)
		tfs_cxx_type_name_split(full, &params, &last);
	if (full && full[params]) {
		fits = tfs_cxx_type_name_same(w->params, full + params);
		other = !qualifiers_fit(w->params, full + params);
	}
	free(full);
	if (fits || other)
		return fits && !other;
	tfs_die_origin(die, &origin);
	rc = tfs_strbuf_addc(&list, '(');
	for (more = !dwarf_child(&origin, &param); more && !rc;
	     more = !dwarf_siblingof(&param, &param)) {
		if (dwarf_tag(&param) != DW_TAG_formal_parameter ||
		    dwarf_hasattr(&param, DW_AT_artificial))
			continue;
		rc = n++ ? tfs_strbuf_addc(&list, ',') : 0;
		if (!rc)
			rc = tfs_type_name(&param, &list);
	}
	if (!rc)
		rc = tfs_strbuf_addc(&list, ')');
	fits = !rc && tfs_cxx_type_name_same(w->params, list.s);
	tfs_strbuf_release(&list);
	return fits;
}

/* "<r::Pt>::f" and "r::f::<i32>" of Rust's as a source has them: "r::Pt::f", "r::f<i32>". */
static char *path_of(const char *demangled, size_t len)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *plain = strndup(demangled, len), *path = NULL;

	if (!plain || (*plain != '<' && !strstr(plain, "::<")))
		return plain;
	if (tfs_cxx_type_name(plain, &sb) || tfs_strbuf_detach(&sb, &path))
		path = NULL;
	tfs_strbuf_release(&sb);
	free(plain);
	return path;
}

/* Is a function in the scopes that were typed? Its mangled name contains them, too. */
static bool scopes_fit(struct tfs_debuginfo *dbg, const struct tfs_wanted *w, Dwarf_Die *die)
{
	const char *linkage = tfs_die_linkage_name(die);
	char *full = linkage ? tfs_demangle(linkage, TFS_DEMANGLE_PARAMS) : NULL;
	bool demangled = full != NULL, fits = false;
	size_t params, last;

	if (full) {
		tfs_cxx_type_name_split(full, &params, &last);
		fits = qualified_fits(w, path_of(full, params));
		free(full);
	}
	if (fits || (demangled && w->glob))
		return fits;
	return qualified_fits(w, tfs_func_qualified_name(dbg, die)) ||
	       qualified_fits(w, tfs_func_visible_name(dbg, die));
}

bool tfs_wanted_name(const struct tfs_wanted *w, const char *name, const char *linkage)
{
	return name_fits(w, name) || (!w->glob && linkage && !strcmp(w->name, linkage));
}

bool tfs_wanted_die(struct tfs_debuginfo *dbg, const struct tfs_wanted *w, Dwarf_Die *die)
{
	const char *linkage;

	if (name_fits(w, tfs_die_name(die)))
		return (!w->qualified || scopes_fit(dbg, w, die)) &&
		       (!w->params || params_fit(w, die));
	linkage = w->glob ? NULL : tfs_die_linkage_name(die);
	return linkage && !strcmp(w->name, linkage);
}

/* Their constructors and destructors: "_ZNSsC1Ev" has none of the letters (Itanium ABI 5.1.10). */
static bool is_abbreviated(const char *word)
{
	static const char *const words[] = { "allocator", "basic_string", "basic_istream",
					     "basic_ostream", "basic_iostream" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i]))
			return true;
	}
	return false;
}

/* Letters of a name are in its mangled form; to look for them is quicker than to demangle. */
static bool can_be(const struct tfs_wanted *w, const char *symbol)
{
	const char *word = w->base;

	if (w->glob || is_operator(word) || is_conversion(word) || *word == '<')
		return true;
	word += *word == '~';
	if (is_abbreviated(word))
		return true;
	/* "f[abi:cxx11]" */
	if (strchr(word, '['))
		return memmem(symbol, strlen(symbol), word, strcspn(word, "["));
	return !*word || strpbrk(word, "{}#") || strstr(symbol, word);
}

/* To the letter, as it is listed. */
static bool is_written_so(const struct tfs_wanted *w, const char *full, size_t params)
{
	return strlen(w->name) == params && !strncmp(w->name, full, params) &&
	       (!w->params || !strcmp(w->params, full + params));
}

bool tfs_wanted_symbol(const struct tfs_wanted *w, const char *symbol)
{
	size_t params, last;
	char *full;
	bool fits;

	if (w->go && !w->glob && (is_end_of_path(w->name, symbol) || is_instance(w->name, symbol)))
		return true;
	if (!tfs_demangle_is_mangled(symbol) || !can_be(w, symbol))
		return false;
	full = tfs_demangle(symbol, TFS_DEMANGLE_PARAMS);
	if (!full)
		return false;
	tfs_cxx_type_name_split(full, &params, &last);
	if (!w->glob && is_written_so(w, full, params)) {
		free(full);
		return true;
	}
	fits = qualified_fits(w, path_of(full, params));
	if (fits && w->params && !w->glob)
		fits = full[params] && tfs_cxx_type_name_same(w->params, full + params) &&
		       qualifiers_fit(w->params, full + params);
	free(full);
	return fits;
}

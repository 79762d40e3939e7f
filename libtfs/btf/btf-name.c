/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "btf/btf-name.h"

#include <errno.h>
#include <stdbool.h>

#include "base/strbuf-core.h"
#include "btf/btf.h"

#define DEPTH_MAX 32
/* Parameters of parameters: a damaged file could go on for ever. */
#define PARAMS_MAX 4096

static int declare(const struct tfs_btf *btf, uint32_t id, unsigned int depth, const char *inner,
		   struct tfs_strbuf *out);

static const char *word_of(const struct tfs_btf_type *t)
{
	switch (t->kind) {
	case TFS_BTF_STRUCT:
		return "struct ";
	case TFS_BTF_UNION:
		return "union ";
	case TFS_BTF_ENUM:
	case TFS_BTF_ENUM64:
		return "enum ";
	case TFS_BTF_FWD:
		return t->flag ? "union " : "struct ";
	default:
		return "";
	}
}

static const char *qualifier(enum tfs_btf_kind kind)
{
	return kind == TFS_BTF_CONST    ? "const" :
	       kind == TFS_BTF_VOLATILE ? "volatile" :
	       kind == TFS_BTF_RESTRICT ? "restrict" :
					  NULL;
}

/* The declarator follows the type's name: "char *buf", "char" alone. */
static int add_base(const char *word, const char *name, const char *inner, struct tfs_strbuf *out)
{
	return tfs_strbuf_addf(out, "%s%s%s%s", word, name, *inner ? " " : "", inner);
}

/* "*inner", in brackets before what binds closer */
static int add_pointer(const struct tfs_btf *btf, const struct tfs_btf_type *t, unsigned int depth,
		       const char *inner, struct tfs_strbuf *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_btf_type to;
	bool closer;
	int rc;

	closer = !tfs_btf_type(btf, t->ref, &to) &&
		 (to.kind == TFS_BTF_FUNC_PROTO || to.kind == TFS_BTF_ARRAY);
	rc = tfs_strbuf_addf(&sb, closer ? "(*%s)" : "*%s", inner);
	if (!rc)
		rc = declare(btf, t->ref, depth + 1, sb.s, out);
	tfs_strbuf_release(&sb);
	return rc;
}

/* A pointer's qualifier follows its star, any other one precedes the type's name. */
static int add_qualified(const struct tfs_btf *btf, const struct tfs_btf_type *t,
			 unsigned int depth, const char *inner, struct tfs_strbuf *out)
{
	const char *word = qualifier(t->kind);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_btf_type to;
	int rc;

	if (!tfs_btf_type(btf, t->ref, &to) && to.kind == TFS_BTF_PTR) {
		rc = tfs_strbuf_addf(&sb, "%s%s%s", word, *inner ? " " : "", inner);
		if (!rc)
			rc = declare(btf, t->ref, depth + 1, sb.s, out);
	} else {
		rc = tfs_strbuf_addf(out, "%s ", word);
		if (!rc)
			rc = declare(btf, t->ref, depth + 1, inner, out);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

static int add_array(const struct tfs_btf *btf, const struct tfs_btf_type *t, unsigned int depth,
		     const char *inner, struct tfs_strbuf *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint32_t element, n;
	int rc;

	tfs_btf_array(btf, t, &element, &n);
	rc = tfs_strbuf_addf(&sb, "%s[%u]", inner, n);
	if (!rc)
		rc = declare(btf, element, depth + 1, sb.s, out);
	tfs_strbuf_release(&sb);
	return rc;
}

static int add_params(const struct tfs_btf *btf, const struct tfs_btf_type *proto,
		      unsigned int depth, struct tfs_strbuf *out)
{
	const char *name;
	uint32_t type;
	int rc;

	rc = tfs_strbuf_adds(out, proto->n ? "(" : "(void");
	for (uint32_t i = 0; i < proto->n && !rc; i++) {
		if (i)
			rc = tfs_strbuf_adds(out, ", ");
		if (rc)
			break;
		if (out->len > PARAMS_MAX)
			return tfs_strbuf_adds(out, "?)");
		if (tfs_btf_param(btf, proto, i, &name, &type))
			rc = tfs_strbuf_adds(out, "?");
		else if (!type && !*name)
			rc = tfs_strbuf_adds(out, "...");
		else
			rc = declare(btf, type, depth + 1, name, out);
	}
	return rc ? rc : tfs_strbuf_addc(out, ')');
}

static int add_function(const struct tfs_btf *btf, const struct tfs_btf_type *proto,
			unsigned int depth, const char *inner, struct tfs_strbuf *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_adds(&sb, inner);
	if (!rc)
		rc = add_params(btf, proto, depth, &sb);
	if (!rc)
		rc = declare(btf, proto->ref, depth + 1, sb.s, out);
	tfs_strbuf_release(&sb);
	return rc;
}

static int declare(const struct tfs_btf *btf, uint32_t id, unsigned int depth, const char *inner,
		   struct tfs_strbuf *out)
{
	struct tfs_btf_type t;

	if (depth > DEPTH_MAX || tfs_btf_type(btf, id, &t))
		return add_base("", "?", inner, out);
	switch (t.kind) {
	case TFS_BTF_VOID:
		return add_base("", "void", inner, out);
	case TFS_BTF_PTR:
		return add_pointer(btf, &t, depth, inner, out);
	case TFS_BTF_ARRAY:
		return add_array(btf, &t, depth, inner, out);
	case TFS_BTF_FUNC_PROTO:
		return add_function(btf, &t, depth, inner, out);
	case TFS_BTF_CONST:
	case TFS_BTF_VOLATILE:
	case TFS_BTF_RESTRICT:
		return add_qualified(btf, &t, depth, inner, out);
	case TFS_BTF_TYPE_TAG:
		return declare(btf, t.ref, depth + 1, inner, out);
	default:
		return add_base(word_of(&t), *t.name ? t.name : "{...}", inner, out);
	}
}

int tfs_btf_declare(const struct tfs_btf *btf, uint32_t type, const char *name,
		    struct tfs_strbuf *out)
{
	return declare(btf, type, 0, name, out);
}

int tfs_btf_prototype(const struct tfs_btf *btf, const char *func, struct tfs_strbuf *out)
{
	struct tfs_btf_type proto;

	if (tfs_btf_func(btf, func, &proto))
		return -ENOENT;
	return add_function(btf, &proto, 0, func, out);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/raw.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/arch/machine.h"
#include "dso/dso.h"
#include "dso/kallsyms.h"
#include "probe/features.h"

#define NAME_MAX_LEN 15

/* The name the kernel has for what assembler calls rdi, r8d, w0 or, on Power, r3; or false. */
static bool kernel_name(const struct tfs_machine *m, const char *name, char *out, size_t size)
{
	size_t len = strlen(name);

	snprintf(out, size, "%s", name + (*name != '\0'));
	if (tfs_machine_has(m, out))
		return true;
	snprintf(out, size, "x%s", name + (*name != '\0'));
	if (*name == 'w' && tfs_machine_has(m, out))
		return true;
	snprintf(out, size, "gp%s", name);
	if (tfs_machine_has(m, out))
		return true;
	snprintf(out, size, "%.*s", (int)(len ? len - 1 : 0), name);
	return len > 2 && strchr("dwb", name[len - 1]) && tfs_machine_has(m, out);
}

static int unknown(const struct tfs_machine *m, const char *name, struct tfs_err *err)
{
	char list[256] = "", meant[NAME_MAX_LEN + 3];
	size_t len = 0;

	tfs_err_say(err, -EINVAL, "'%%%s': the kernel knows no such register of %s", name, m->name);
	if (kernel_name(m, name, meant, sizeof(meant))) {
		tfs_err_hint(err, "did you mean '%%%s'?", meant);
		return -EINVAL;
	}
	for (size_t i = 0; i < m->n_reg; i++)
		if (m->reg[i] && len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, " %%%s", m->reg[i]);
	tfs_err_hint(err, "it has%s; $stack is the stack pointer", list);
	return -EINVAL;
}

int tfs_probe_raw_add(const struct tfs_machine *machine, const char *expr, struct tfs_strbuf *out,
		      struct tfs_err *err)
{
	/* what is in quotes is text */
	bool quoted = !strncmp(expr, "\\\"", 2);
	int rc = 0;

	while (!rc && *expr) {
		size_t len = 0;
		char name[NAME_MAX_LEN + 1];

		if (*expr == '%' && !quoted && machine)
			while (isalnum((unsigned char)expr[1 + len]) || expr[1 + len] == '_')
				len++;
		if (!len) {
			rc = tfs_strbuf_addc(out, *expr++);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : 0), expr + 1);
		expr += 1 + len;
		if (tfs_machine_has(machine, name))
			rc = tfs_strbuf_addf(out, "%%%s", name);
		else if (!strcmp(name, "sp"))
			rc = tfs_strbuf_adds(out, "$stack");
		else
			return unknown(machine, name, err);
	}
	return rc ? tfs_err_set(err, rc, "cannot read '%s'", expr) : 0;
}

static bool is_running(const struct tfs_dso *dso)
{
	char *id = NULL;
	bool is = tfs_dso_kind(dso) == TFS_DSO_SYMBOLS;

	if (tfs_dso_kind(dso) == TFS_DSO_VMLINUX && !tfs_dso_running_build_id(&id, NULL))
		is = !strcmp(id, tfs_dso_build_id(dso));
	free(id);
	return is;
}

/* @name: what follows the '@', up to @end */
static int check_symbol(const char *name, const char *end, struct tfs_err *err)
{
	char *copy = strndup(name, (size_t)(end - name));
	int rc = copy ? tfs_kallsyms_has(copy) : -ENOMEM;

	if (!rc)
		rc = tfs_err_say(err, -ENOENT, "'@%s': the kernel has no such symbol", copy);
	else if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot look for the symbol '%.*s'", (int)(end - name), name);
	else
		rc = 0;
	free(copy);
	return rc;
}

int tfs_probe_raw_symbols(const struct tfs_dso *dso, const char *args, struct tfs_err *err)
{
	const char *p = args, *end;
	int rc = 0;

	while (!rc && *p) {
		const char *text = strstr(p, "\\\"");
		const char *word_end = p + strcspn(p, " \t");

		for (p = strchr(p, '@'); !rc && p && p < word_end; p = strchr(p + 1, '@')) {
			/* what is in quotes is text, and a digit or '+' begins no symbol's name */
			if ((text && text < p) || (!isalpha((unsigned char)p[1]) && p[1] != '_'))
				continue;
			end = p + 1 + strcspn(p + 1, "+-):, \t");
			rc = is_running(dso) ? check_symbol(p + 1, end, err) : 0;
		}
		p = word_end + strspn(word_end, " \t");
	}
	return rc;
}

/* The feature that a fetch-arg needs, of those that newer kernels have; 0 for none. */
static unsigned int newer_feature(const char *expr, const char *end)
{
	const size_t len = (size_t)(end - expr);

	if (len > 1 && !strncmp(expr, "\\\"", 2))
		return 0;
	if (*expr == '(' || memmem(expr, len, "$current", 8) || memmem(expr, len, "this_cpu_", 9))
		return TFS_PROBE_HAS_CASTS;
	return isalpha((unsigned char)*expr) || *expr == '_' ||
			       (len > 4 && !strncmp(expr, "$arg*", 5)) ?
		       TFS_PROBE_HAS_NAMES :
		       0;
}

int tfs_probe_raw_note(const struct tfs_probe_features *features, const char *args,
		       struct tfs_strvec *notices)
{
	static const struct {
		unsigned int feature;
		const char *text;
	} rows[] = {
		{ TFS_PROBE_HAS_CASTS, "casts, $current and this_cpu_read() are not in the list of "
				       "what this kernel fetches; Linux 7.3 has them" },
		{ TFS_PROBE_HAS_NAMES,
		  "parameters by name and $arg* are not in the list of what this kernel fetches, "
		  "Linux 6.4 has them; EVENT=FUNC NAME and $params do without the kernel's help" },
	};
	const char *p = args, *end, *eq;
	int rc = 0;

	for (; notices && !rc && *p; p = end + strspn(end, " \t")) {
		unsigned int need;

		end = p + strcspn(p, " \t");
		eq = memchr(p, '=', (size_t)(end - p));
		need = newer_feature(eq ? eq + 1 : p, end);
		for (size_t i = 0; i < ARRAY_SIZE(rows) && !rc; i++) {
			if (need == rows[i].feature && tfs_probe_features_lack(features, need) &&
			    !tfs_strvec_has(notices, rows[i].text))
				rc = tfs_strvec_push(notices, rows[i].text);
		}
	}
	return rc;
}

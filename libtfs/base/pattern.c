/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/pattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/err.h"

int tfs_pattern_init(struct tfs_pattern *p, const char *text, struct tfs_err *err)
{
	char why[128];
	int rc;

	p->text = text;
	p->kind = TFS_PATTERN_PART;
	if (strpbrk(text, "*?["))
		p->kind = TFS_PATTERN_GLOB;
	if (strpbrk(text, "^$.\\"))
		p->kind = TFS_PATTERN_REGEX;
	if (p->kind != TFS_PATTERN_REGEX)
		return 0;
	rc = regcomp(&p->re, text, REG_ICASE | REG_NOSUB);
	if (!rc)
		return 0;
	p->kind = TFS_PATTERN_PART;
	if (rc == REG_ESPACE)
		return tfs_err_set(err, -ENOMEM, "cannot take '%s'", text);
	regerror(rc, &p->re, why, sizeof(why));
	return tfs_err_say(err, -EINVAL, "'%s' is not a regular expression: %s", text, why);
}

void tfs_pattern_release(struct tfs_pattern *p)
{
	if (p->kind == TFS_PATTERN_REGEX)
		regfree(&p->re);
	p->kind = TFS_PATTERN_PART;
}

bool tfs_pattern_match(const struct tfs_pattern *p, const char *name)
{
	switch (p->kind) {
	case TFS_PATTERN_REGEX:
		return !regexec(&p->re, name, 0, NULL, 0);
	case TFS_PATTERN_GLOB:
		return !fnmatch(p->text, name, 0);
	default:
		return strcasestr(name, p->text) != NULL;
	}
}

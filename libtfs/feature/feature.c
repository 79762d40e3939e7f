/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feature/feature.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strvec.h"
#include "base/suggest.h"
#include "feature/feature-internal.h"
#include "record/kconfig.h"
#include "tracefs/plan.h"

#define PROGRAM "tc-list"

size_t tfs_features(void)
{
	return tfs_feature_probes_n;
}

const struct tfs_feature *tfs_feature(size_t i)
{
	return &tfs_feature_probes[i].feature;
}

int tfs_feature_find(const char *name, size_t *i, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;

	for (*i = 0; *i < tfs_feature_probes_n; ++*i) {
		if (!strcmp(tfs_feature(*i)->name, name))
			return 0;
	}
	for (size_t k = 0; k < tfs_feature_probes_n; k++) {
		/* without memory there are less near names */
		if (tfs_strvec_push(&names, tfs_feature(k)->name))
			break;
	}
	tfs_err_say(err, -EINVAL, "there is no feature '%s'", name);
	tfs_suggest_hint(err, name, &names, "tc-list --features lists them");
	tfs_strvec_release(&names);
	return -EINVAL;
}

int tfs_sandbox_new(const struct tfs_root *root, const struct tfs_err *no_root,
		    struct tfs_journal *journal, struct tfs_sandbox **out)
{
	struct tfs_sandbox *sandbox = calloc(1, sizeof(*sandbox));

	if (!sandbox)
		return -ENOMEM;
	sandbox->root = root;
	sandbox->journal = journal;
	sandbox->no_root = no_root ? *no_root : TFS_ERR_INIT;
	tfs_strbuf_init(&sandbox->config);
	if (tfs_kconfig_read(&sandbox->config))
		tfs_strbuf_release(&sandbox->config);
	*out = sandbox;
	return 0;
}

int tfs_sandbox_free(struct tfs_sandbox *sandbox, struct tfs_err *err)
{
	int rc = 0;

	if (!sandbox)
		return 0;
	if (sandbox->plan)
		rc = tfs_plan_rollback(sandbox->plan, err);
	tfs_plan_free(sandbox->plan);
	tfs_strbuf_release(&sandbox->config);
	free(sandbox);
	return rc;
}

int tfs_sandbox_plan(struct tfs_sandbox *sandbox, struct tfs_plan **out, struct tfs_err *err)
{
	int rc = tfs_plan_new(sandbox->root, out);

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the probe");
	tfs_plan_set_journal(*out, sandbox->journal);
	return 0;
}

int tfs_sandbox_instance(struct tfs_sandbox *sandbox, struct tfs_err *err)
{
	if (!sandbox->plan) {
		sandbox->inst_err = TFS_ERR_INIT;
		tfs_instance_private(&sandbox->inst, PROGRAM);
		sandbox->inst_rc = tfs_sandbox_plan(sandbox, &sandbox->plan, &sandbox->inst_err);
		if (!sandbox->inst_rc)
			sandbox->inst_rc = tfs_instance_plan(&sandbox->inst, sandbox->plan);
		if (!sandbox->inst_rc)
			sandbox->inst_rc = tfs_plan_apply(sandbox->plan, &sandbox->inst_err);
	}
	if (sandbox->inst_rc && err)
		*err = sandbox->inst_err;
	return sandbox->inst_rc;
}

/* Refused because the kernel lacks it altogether: then the configuration has the reason. */
static bool is_absence(int code)
{
	return code == -ENOENT || code == -EINVAL || code == -ENODEV || code == -EOPNOTSUPP ||
	       code == -ENOSYS || code == -ENOTTY;
}

static void explain(struct tfs_sandbox *sandbox, const struct tfs_feature *f,
		    struct tfs_feature_result *out)
{
	if (!f->config || !sandbox->config.len)
		return;
	out->built = tfs_kconfig_get(sandbox->config.s, f->config);
	if (out->verdict == TFS_FAILS && out->built == 'n' && is_absence(out->why.code)) {
		tfs_err_say(&out->why, out->why.code, "the kernel is built without %s", f->config);
		tfs_err_hint(&out->why, "%s", "");
	}
}

void tfs_feature_try(struct tfs_sandbox *sandbox, size_t i, struct tfs_feature_result *out)
{
	const struct tfs_feature_probe *p = &tfs_feature_probes[i];
	int rc;

	*out = (struct tfs_feature_result){ .why = TFS_ERR_INIT };
	if (!sandbox->root && !p->no_tracefs) {
		out->why = sandbox->no_root;
		out->verdict = p->is_tracefs ? TFS_FAILS : TFS_UNTRIED;
		explain(sandbox, &p->feature, out);
		return;
	}
	rc = p->run(sandbox, p, &out->why);
	/* the advice to come here, which others get */
	if (strstr(out->why.hint, "tc-list --features"))
		tfs_err_hint(&out->why, "%s", "");
	if (rc < 0 && !out->why.code)
		tfs_err_set(&out->why, rc, "cannot try it");
	if (!rc)
		tfs_err_clear(&out->why);
	out->verdict = !rc ? TFS_WORKS : rc > 0 ? TFS_UNTRIED : TFS_FAILS;
	explain(sandbox, &p->feature, out);
}

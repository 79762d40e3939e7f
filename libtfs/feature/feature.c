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
	return tfs_trials_n;
}

const struct tfs_feature *tfs_feature(size_t i)
{
	return &tfs_trials[i].feature;
}

int tfs_feature_find(const char *name, size_t *i, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;

	for (*i = 0; *i < tfs_trials_n; ++*i) {
		if (!strcmp(tfs_feature(*i)->name, name))
			return 0;
	}
	for (size_t k = 0; k < tfs_trials_n; k++) {
		/* without memory there are less near names */
		if (tfs_strvec_push(&names, tfs_feature(k)->name))
			break;
	}
	tfs_err_say(err, -EINVAL, "there is no feature '%s'", name);
	tfs_near_hint(err, name, &names, "tc-list --features lists them");
	tfs_strvec_release(&names);
	return -EINVAL;
}

int tfs_feature_lab_new(const struct tfs_root *root, const struct tfs_err *no_root,
			struct tfs_journal *journal, struct tfs_feature_lab **out)
{
	struct tfs_feature_lab *lab = calloc(1, sizeof(*lab));

	if (!lab)
		return -ENOMEM;
	lab->root = root;
	lab->journal = journal;
	lab->no_root = no_root ? *no_root : TFS_ERR_INIT;
	tfs_strbuf_init(&lab->config);
	if (tfs_kconfig_read(&lab->config))
		tfs_strbuf_release(&lab->config);
	*out = lab;
	return 0;
}

int tfs_feature_lab_free(struct tfs_feature_lab *lab, struct tfs_err *err)
{
	int rc = 0;

	if (!lab)
		return 0;
	if (lab->plan)
		rc = tfs_plan_rollback(lab->plan, err);
	tfs_plan_free(lab->plan);
	tfs_strbuf_release(&lab->config);
	free(lab);
	return rc;
}

int tfs_lab_plan(struct tfs_feature_lab *lab, struct tfs_plan **out, struct tfs_err *err)
{
	int rc = tfs_plan_new(lab->root, out);

	if (rc)
		return tfs_err_set(err, rc, "cannot plan the trial");
	tfs_plan_set_journal(*out, lab->journal);
	return 0;
}

int tfs_lab_instance(struct tfs_feature_lab *lab, struct tfs_err *err)
{
	if (!lab->plan) {
		lab->inst_err = TFS_ERR_INIT;
		tfs_instance_private(&lab->inst, PROGRAM);
		lab->inst_rc = tfs_lab_plan(lab, &lab->plan, &lab->inst_err);
		if (!lab->inst_rc)
			lab->inst_rc = tfs_instance_plan(&lab->inst, lab->plan);
		if (!lab->inst_rc)
			lab->inst_rc = tfs_plan_apply(lab->plan, &lab->inst_err);
	}
	if (lab->inst_rc && err)
		*err = lab->inst_err;
	return lab->inst_rc;
}

/* What was refused because the kernel has not got it at all: then the configuration tells why. */
static bool is_absence(int code)
{
	return code == -ENOENT || code == -EINVAL || code == -ENODEV || code == -EOPNOTSUPP ||
	       code == -ENOSYS || code == -ENOTTY;
}

static void explain(struct tfs_feature_lab *lab, const struct tfs_feature *f,
		    struct tfs_finding *out)
{
	if (!f->config || !lab->config.len)
		return;
	out->built = tfs_kconfig_get(lab->config.s, f->config);
	if (out->verdict == TFS_FAILS && out->built == 'n' && is_absence(out->why.code)) {
		tfs_err_say(&out->why, out->why.code, "the kernel is built without %s", f->config);
		tfs_err_hint(&out->why, "%s", "");
	}
}

void tfs_feature_try(struct tfs_feature_lab *lab, size_t i, struct tfs_finding *out)
{
	const struct tfs_trial *t = &tfs_trials[i];
	int rc;

	*out = (struct tfs_finding){ .why = TFS_ERR_INIT };
	if (!lab->root && !t->no_tracefs) {
		out->why = lab->no_root;
		out->verdict = t->run == tfs_try_tracefs ? TFS_FAILS : TFS_UNTRIED;
		explain(lab, &t->feature, out);
		return;
	}
	rc = t->run(lab, t, &out->why);
	/* the advice to come here, which others get */
	if (strstr(out->why.hint, "tc-list --features"))
		tfs_err_hint(&out->why, "%s", "");
	if (rc < 0 && !out->why.code)
		tfs_err_set(&out->why, rc, "cannot try it");
	if (!rc)
		tfs_err_clear(&out->why);
	out->verdict = !rc ? TFS_WORKS : rc > 0 ? TFS_UNTRIED : TFS_FAILS;
	explain(lab, &t->feature, out);
}

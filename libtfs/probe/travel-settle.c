/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/travel-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "fs/link.h"
#include "probe/raw.h"
#include "probe/validate.h"
#include "sym/arch/machine.h"
#include "sym/image.h"
#include "sym/image-machine.h"

/* What stands for a file: its build-id, or the hash of its code. */
static int identity(const char *path, bool by_code, char **out, struct tfs_err *err)
{
	struct tfs_image *img = NULL;
	uint64_t hash = 0;
	int rc = tfs_image_open(path, NULL, &img, err);

	/* in a sysroot, say; the kernel would take a probe in any file */
	if (!rc)
		rc = tfs_image_check_native(img, err);
	if (rc)
		goto out;
	if (by_code)
		rc = tfs_image_code_hash(img, &hash);
	if (rc)
		tfs_err_set(err, rc, "cannot read the code of '%s'", path);
	else if (by_code)
		rc = asprintf(out, "%016" PRIx64, hash) < 0 ? -ENOMEM : 0;
	else
		rc = (*out = strdup(tfs_image_build_id(img))) ? 0 : -ENOMEM;
out:
	tfs_image_free(img);
	return rc;
}

static const char *wanted(const struct tfs_travel_target *t)
{
	return t->build_id ? t->build_id : t->code;
}

int tfs_travel_compare(const struct tfs_travel_target *t, const char *what, const char *id,
		       struct tfs_err *err)
{
	const char *kind = t->build_id ? "build-id" : "code";

	if (!strcmp(id, wanted(t)))
		return 0;
	tfs_err_say(err, -ESTALE, "%s has %s %s, the plan is for %s", what, kind,
		    *id ? id : "(none)", wanted(t));
	tfs_err_hint(err,
		     "what is at the plan's addresses there is something else; look the probes "
		     "up again with the debug information of %s",
		     *id ? id : "that file");
	return -ESTALE;
}

static int mismatch(const struct tfs_travel_target *t, const char *path, const char *id,
		    struct tfs_err *err)
{
	char *what = NULL;
	int rc = asprintf(&what, "'%s'", path) < 0 ? -ENOMEM : 0;

	if (!rc)
		rc = tfs_travel_compare(t, what, id, err);
	free(what);
	return rc;
}

/* Is @file the program? -ESTALE, naming both, if it is another. */
static int check_file(const struct tfs_travel_target *t, const char *file, struct tfs_err *err)
{
	char *id = NULL;
	int rc = identity(file, !t->build_id, &id, err);

	if (!rc)
		rc = mismatch(t, file, id, err);
	free(id);
	return rc;
}

/* The file of a program on this machine: what -x names if that is it, else the plan's path. */
static int find_program(const struct tfs_travel_target *t, const struct tfs_travel_opts *opts,
			char **file, struct tfs_err *err)
{
	char *path = NULL;
	int rc;

	if (opts->exec && !check_file(t, opts->exec, NULL))
		rc = (*file = realpath(opts->exec, NULL)) ? 0 : -errno;
	else
		rc = tfs_image_resolve(opts->root, t->name, &path, err);
	if (!rc && path)
		rc = check_file(t, path, err);
	if (rc == -ENOENT)
		tfs_err_hint(err, "-x names the file where it is elsewhere, --symfs the directory "
				  "that stands for /");
	if (!rc && path) {
		*file = path;
		path = NULL;
	}
	free(path);
	return rc;
}

/* What -x names has to be one of the plan's programs: what is wrong if it is not. */
static int check_exec(const struct tfs_travel *travel, const char *exec, struct tfs_err *err)
{
	int rc = -ENOENT;

	for (size_t t = 0; t < travel->n && rc; t++) {
		if (travel->target[t].kind == TFS_TRAVEL_PROGRAM)
			rc = check_file(&travel->target[t], exec, rc == -ENOENT ? err : NULL);
	}
	if (rc == -ENOENT && err && !err->code)
		tfs_err_say(err, rc, "the plan is for no program, -x '%s' is for none of it", exec);
	if (!rc)
		tfs_err_clear(err);
	return rc;
}

static int check_kernel(const struct tfs_travel_target *t, struct tfs_err *err)
{
	char *id = NULL;
	int rc;

	if (t->kind == TFS_TRAVEL_MODULE)
		rc = tfs_image_module_build_id(t->name, &id, err);
	else
		rc = tfs_image_running_build_id(&id, err);
	if (!rc && t->kind == TFS_TRAVEL_MODULE)
		rc = mismatch(t, t->name, id, err);
	else if (!rc)
		rc = tfs_travel_compare(t, "the running kernel", id, err);
	free(id);
	return rc;
}

/* The place of a kernel's probe belongs to what was checked. */
static int check_symbol(const struct tfs_travel_target *t, const char *place)
{
	const char *colon = strchr(place, ':');
	size_t len = strlen(t->name);

	if (*place >= '0' && *place <= '9')
		return -EINVAL;
	if (t->kind == TFS_TRAVEL_KERNEL)
		return colon ? -EINVAL : 0;
	return !strncmp(place, t->name, len) && place[len] == ':' ? 0 : -EINVAL;
}

static int set_place(struct tfs_probe_def *def, const char *file)
{
	char *told = NULL, *place = NULL, *path = strdup(file);
	int rc = path ? tfs_link_name(TFS_LINK_DIR, file, &told) : -ENOMEM;

	if (!rc && asprintf(&place, "%s%s", told, def->place) < 0)
		rc = -ENOMEM;
	free(told);
	if (rc) {
		free(path);
		return rc;
	}
	free(def->place);
	free(def->path);
	def->place = place;
	def->path = path;
	return 0;
}

/* The kernel takes the names of its own machine's registers, and no others. */
static int check_registers(const char *args, struct tfs_err *err)
{
	const struct tfs_machine *machine = tfs_machine_running();
	struct tfs_strbuf word = TFS_STRBUF_INIT, told = TFS_STRBUF_INIT;
	const char *expr;
	size_t len;
	int rc = 0;

	for (; machine && *args && !rc; args += len + strspn(args + len, " \t")) {
		len = strcspn(args, " \t");
		tfs_strbuf_reset(&word);
		tfs_strbuf_reset(&told);
		rc = tfs_strbuf_add(&word, args, len);
		expr = rc ? NULL : strchr(word.s, '=');
		expr = expr ? expr + 1 : word.s;
		if (!rc)
			rc = tfs_probe_raw_add(machine, expr, &told, err);
		/* a name that is told otherwise is none of the kernel's */
		if (!rc && strcmp(told.s ? told.s : "", expr) != 0)
			rc = tfs_err_say(err, -EINVAL, "'%s': the kernel writes it '%s'", expr,
					 told.s);
	}
	tfs_strbuf_release(&word);
	tfs_strbuf_release(&told);
	return rc;
}

static int settle_def(struct tfs_travel *travel, size_t i, const char *file,
		      const struct tfs_travel_opts *opts, struct tfs_err *err)
{
	struct tfs_probe_def *def = &travel->defs.v[i];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	if (file)
		rc = set_place(def, file);
	else if (check_symbol(&travel->target[def->request], def->place))
		rc = tfs_err_say(err, -EINVAL, "'%s' is not a place in '%s'", def->place,
				 travel->target[def->request].name);
	if (!rc)
		rc = tfs_probe_def_line(def, &sb);
	if (!rc)
		rc = tfs_probe_validate(def->file, sb.s, opts->features, err);
	if (!rc && def->args)
		rc = check_registers(def->args, err);
	if (rc && rc != -ENOMEM)
		tfs_err_prefix(err, "line %zu of the plan", travel->lines[i]);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_travel_settle(struct tfs_travel *travel, const struct tfs_travel_opts *opts,
		      struct tfs_err *err)
{
	size_t i = 0;
	int rc = opts->exec ? check_exec(travel, opts->exec, err) : 0;

	for (size_t t = 0; t < travel->n && !rc; t++) {
		char *file = NULL;

		if (travel->target[t].kind == TFS_TRAVEL_PROGRAM)
			rc = find_program(&travel->target[t], opts, &file, err);
		else
			rc = check_kernel(&travel->target[t], err);
		for (; i < travel->defs.n && travel->defs.v[i].request == t && !rc; i++)
			rc = settle_def(travel, i, file, opts, err);
		free(file);
	}
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot use the plan");
	return rc;
}

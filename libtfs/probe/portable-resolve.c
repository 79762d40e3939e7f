/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/portable-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "dso/arch/machine.h"
#include "dso/dso-machine.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "probe/locate.h"
#include "probe/raw.h"
#include "probe/validate.h"
#include "tracefs/link.h"

/* The identity of a file: its build-id, or the hash of its code. */
static int identity(struct tfs_dso *dso, bool by_code, char **out, struct tfs_err *err)
{
	uint64_t hash = 0;
	int rc = by_code ? tfs_dso_code_hash(dso, &hash) : 0;

	if (rc)
		return tfs_err_set(err, rc, "cannot read the code of '%s'", tfs_dso_file(dso));
	if (by_code)
		return asprintf(out, "%016" PRIx64, hash) < 0 ? -ENOMEM : 0;
	return (*out = strdup(tfs_dso_build_id(dso))) ? 0 : -ENOMEM;
}

static const char *wanted(const struct tfs_portable_target *t)
{
	return t->build_id ? t->build_id : t->code;
}

int tfs_portable_compare(const struct tfs_portable_target *t, const char *what, const char *id,
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

static int mismatch(const struct tfs_portable_target *t, const char *path, const char *id,
		    struct tfs_err *err)
{
	char *what = NULL;
	int rc = asprintf(&what, "'%s'", path) < 0 ? -ENOMEM : 0;

	if (!rc)
		rc = tfs_portable_compare(t, what, id, err);
	free(what);
	return rc;
}

/* Is the file the program? -ESTALE, naming both, if it is another. */
static int check_dso(const struct tfs_portable_target *t, struct tfs_dso *dso, struct tfs_err *err)
{
	char *id = NULL;
	/* in a sysroot, say; the kernel would take a probe in any file */
	int rc = tfs_dso_check_native(dso, err);

	if (!rc)
		rc = identity(dso, !t->build_id, &id, err);
	if (!rc)
		rc = mismatch(t, tfs_dso_file(dso), id ? id : "", err);
	free(id);
	return rc;
}

/* The plan's path, below what stands for / */
static int open_named(const struct tfs_portable_target *t, const struct tfs_portable_opts *opts,
		      struct tfs_dso **dso, struct tfs_err *err)
{
	struct tfs_dso_options how = { .symfs = opts->root };
	char *path = NULL;
	int rc;

	if (!opts->pid)
		rc = tfs_dso_open(t->name, &how, dso, err);
	else if (asprintf(&path, "/proc/%d/root%s", opts->pid, t->name) < 0)
		return -ENOMEM;
	else
		rc = tfs_dso_open(path, NULL, dso, err);
	free(path);
	if (rc == -ENOENT)
		tfs_err_hint(err, "-x names the file where it is elsewhere, --symfs the directory "
				  "that stands for /");
	return rc;
}

/* The file of a program on this machine: what -x names if that is it, else the plan's path. */
static int find_program(const struct tfs_portable_target *t, const struct tfs_portable_opts *opts,
			struct tfs_dso **dso, struct tfs_err *err)
{
	int rc;

	if (opts->exec && !tfs_dso_open(opts->exec, NULL, dso, NULL)) {
		if (!check_dso(t, *dso, NULL))
			return 0;
		tfs_dso_free(*dso);
		*dso = NULL;
	}
	rc = open_named(t, opts, dso, err);
	return rc ? rc : check_dso(t, *dso, err);
}

/* What -x names has to be one of the plan's programs: what is wrong if it is not. */
static int check_exec(const struct tfs_portable *portable, const char *exec, struct tfs_err *err)
{
	struct tfs_dso *dso = NULL;
	int rc = tfs_dso_open(exec, NULL, &dso, err);

	if (rc)
		return rc;
	rc = -ENOENT;
	for (size_t t = 0; t < portable->n && rc; t++) {
		if (portable->target[t].kind == TFS_PORTABLE_PROGRAM)
			rc = check_dso(&portable->target[t], dso, rc == -ENOENT ? err : NULL);
	}
	tfs_dso_free(dso);
	if (rc == -ENOENT && err && !err->code)
		tfs_err_say(err, rc, "the plan is for no program, -x '%s' is for none of it", exec);
	if (!rc)
		tfs_err_clear(err);
	return rc;
}

static int check_kernel(const struct tfs_portable_target *t, struct tfs_err *err)
{
	char *id = NULL;
	int rc;

	if (t->kind == TFS_PORTABLE_MODULE)
		rc = tfs_dso_module_build_id(t->name, &id, err);
	else
		rc = tfs_dso_running_build_id(&id, err);
	if (!rc && t->kind == TFS_PORTABLE_MODULE)
		rc = mismatch(t, t->name, id, err);
	else if (!rc)
		rc = tfs_portable_compare(t, "the running kernel", id, err);
	free(id);
	return rc;
}

/* The place of a kernel's probe belongs to what was checked. */
static int check_symbol(const struct tfs_portable_target *t, const char *location)
{
	const char *colon = strchr(location, ':');
	size_t len = strlen(t->name);

	if (*location >= '0' && *location <= '9')
		return -EINVAL;
	if (t->kind == TFS_PORTABLE_KERNEL)
		return colon ? -EINVAL : 0;
	return !strncmp(location, t->name, len) && location[len] == ':' ? 0 : -EINVAL;
}

static int set_location(struct tfs_probe_def *def, const char *file)
{
	char *kernel_path = NULL, *location = NULL, *path = strdup(file);
	int rc = path ? tfs_link_name(TFS_LINK_DIR, file, &kernel_path) : -ENOMEM;

	if (!rc && asprintf(&location, "%s%s", kernel_path, def->location) < 0)
		rc = -ENOMEM;
	free(kernel_path);
	if (rc) {
		free(path);
		return rc;
	}
	free(def->location);
	free(def->path);
	def->location = location;
	def->path = path;
	return 0;
}

/* The kernel takes the names of its own machine's registers, and no others. */
static int check_registers(const char *args, struct tfs_err *err)
{
	const struct tfs_machine *machine = tfs_machine_running();
	struct tfs_strbuf word = TFS_STRBUF_INIT, known = TFS_STRBUF_INIT;
	const char *expr;
	size_t len;
	int rc = 0;

	for (; machine && *args && !rc; args += len + strspn(args + len, " \t")) {
		len = strcspn(args, " \t");
		tfs_strbuf_reset(&word);
		tfs_strbuf_reset(&known);
		rc = tfs_strbuf_add(&word, args, len);
		expr = rc ? NULL : strchr(word.s, '=');
		expr = expr ? expr + 1 : word.s;
		if (!rc)
			rc = tfs_probe_raw_add(machine, expr, &known, err);
		/* a name that is known otherwise is none of the kernel's */
		if (!rc && strcmp(known.s ? known.s : "", expr) != 0)
			rc = tfs_err_say(err, -EINVAL, "'%s': the kernel writes it '%s'", expr,
					 known.s);
	}
	tfs_strbuf_release(&word);
	tfs_strbuf_release(&known);
	return rc;
}

/*
 * @text as the plan says it, in quotes; what is shown as a place is only what was looked up here.
 */
static int name_real(struct tfs_probe_def *def, const char *found)
{
	char *real = NULL, *said = def->real;

	if (!said || !strcmp(said, found)) {
		real = strdup(found);
	} else {
		for (char *c = said; *c; c++)
			*c = *c == '"' ? '\'' : *c;
		if (asprintf(&real, "%s, \"%s\" in the plan", found, said) < 0)
			real = NULL;
	}
	if (!real)
		return -ENOMEM;
	free(said);
	def->real = real;
	return 0;
}

/* Do not trust the location in the plan: check it in the file that is here. */
static int check_location(struct tfs_probe_def *def, struct tfs_debuginfo *dbg, bool force,
			  struct tfs_err *err)
{
	struct tfs_probe_location location;
	char *found = NULL;
	int rc;

	if (tfs_probe_location_parse(def->location + 1, &location))
		return tfs_err_say(err, -EINVAL, "'%s' is not a location in a program",
				   def->location + 1);
	location.ret |= def->ret;
	rc = tfs_probe_check_location(dbg, &location, force ? TFS_PROBE_FORCE : 0, err);
	if (!rc)
		rc = tfs_probe_name_location(dbg, &location, &found);
	if (!rc)
		rc = name_real(def, found ? found : def->location + 1);
	free(found);
	return rc;
}

static int resolve_def(struct tfs_portable *portable, size_t i, struct tfs_debuginfo *dbg,
		       const struct tfs_portable_opts *opts, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	struct tfs_probe_def *def = &portable->defs.v[i];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	if (dso)
		rc = check_location(def, dbg, opts->force, err);
	else if (check_symbol(&portable->target[def->request], def->location))
		rc = tfs_err_say(err, -EINVAL, "'%s' is not a location in '%s'", def->location,
				 portable->target[def->request].name);
	else
		rc = name_real(def, def->location);
	if (!rc && dso)
		rc = set_location(def, tfs_dso_file(dso));
	if (!rc)
		rc = tfs_probe_def_line(def, &sb);
	if (!rc)
		rc = tfs_probe_validate(def->type, sb.s, opts->features, err);
	if (!rc && def->args)
		rc = check_registers(def->args, err);
	if (rc && rc != -ENOMEM)
		tfs_err_prefix(err, "line %zu of the plan", portable->lines[i]);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_portable_resolve(struct tfs_portable *portable, const struct tfs_portable_opts *opts,
			 struct tfs_err *err)
{
	size_t i = 0;
	int rc = opts->exec ? check_exec(portable, opts->exec, err) : 0;

	for (size_t t = 0; t < portable->n && !rc; t++) {
		struct tfs_debuginfo *dbg = NULL;
		struct tfs_dso *dso = NULL;

		if (portable->target[t].kind == TFS_PORTABLE_PROGRAM)
			rc = find_program(&portable->target[t], opts, &dso, err);
		else
			rc = check_kernel(&portable->target[t], err);
		if (!rc && dso && !(dbg = tfs_debuginfo_new(dso)))
			rc = -ENOMEM;
		for (; i < portable->defs.n && portable->defs.v[i].request == t && !rc; i++)
			rc = resolve_def(portable, i, dbg, opts, err);
		tfs_debuginfo_free(dbg);
		tfs_dso_free(dso);
	}
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot use the plan");
	return rc;
}

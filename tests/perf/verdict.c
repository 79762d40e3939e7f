/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict [-t] GROUP <DEFINITIONS: what the running kernel says of uprobe definitions, a line
 * each, and whether tfs_probe_validate() says the same. Each is defined as an event of GROUP
 * and taken away again.
 *
 * With -t the lines from one empty line to the next are defined together, as one command
 * would, under the names they have: places of one event have to agree. The validator, which
 * sees a line at a time, is not asked then.
 *
 * Prints "N definitions, N refused, N judged otherwise", before that the lines of the last
 * two. Exit status 1 when something was judged otherwise, or could not be taken away.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "probe/features.h"
#include "probe/validate.h"
#include "tracefs/root.h"

struct verdict {
	const char *group;
	bool together;
	int fd;
	struct tfs_probe_features features;
	unsigned long total, refused, otherwise, stuck;
	/* lines defined since the last empty one */
	char **names;
	size_t n, cap;
};

static bool put(const struct verdict *v, const char *text)
{
	size_t len = strlen(text);

	return write(v->fd, text, len) == (ssize_t)len;
}

/* "p:GROUP/EVENT REST" with another group, in turn another event; false for no definition. */
static bool rename_event(const struct verdict *v, const char *line, char *out, size_t size)
{
	const char *slash = strchr(line, '/'), *blank = strchr(line, ' ');
	int n;

	if ((line[0] != 'p' && line[0] != 'r') || !blank || !slash || slash > blank)
		return false;
	n = v->together ? snprintf(out, size, "%.*s:%s%s\n", (int)strcspn(line, ":"), line,
				   v->group, slash) :
			  snprintf(out, size, "%.*s:%s/e%lu%s\n", (int)strcspn(line, ":"), line,
				   v->group, v->total, blank);
	return n > 0 && (size_t)n < size;
}

static void take_away(struct verdict *v, const char *name)
{
	char text[256];

	snprintf(text, sizeof(text), "-:%s\n", name);
	if (!put(v, text) && errno != ENOENT) {
		v->stuck++;
		printf("cannot take away: %s\n", name);
	}
}

static void take_all_away(struct verdict *v)
{
	while (v->n) {
		take_away(v, v->names[--v->n]);
		free(v->names[v->n]);
	}
}

/* "GROUP/EVENT" of what was written; yours */
static char *event_of(const char *def)
{
	const char *colon = strchr(def, ':') + 1;

	return strndup(colon, strcspn(colon, " \n"));
}

static bool keep_name(struct verdict *v, char *name)
{
	if (v->n == v->cap) {
		size_t cap = v->cap ? 2 * v->cap : 64;
		char **names = reallocarray(v->names, cap, sizeof(*names));

		if (!names)
			return false;
		v->names = names;
		v->cap = cap;
	}
	v->names[v->n++] = name;
	return true;
}

static void judge(struct verdict *v, const char *line)
{
	struct tfs_err err = TFS_ERR_INIT;
	char def[8192];
	bool takes, valid;
	char *name;

	if (!rename_event(v, line, def, sizeof(def))) {
		v->otherwise++;
		printf("no definition: %s\n", line);
		return;
	}
	v->total++;
	takes = put(v, def);
	v->refused += !takes;
	name = event_of(def);
	if (!name)
		exit(1);
	if (takes && !v->together)
		take_away(v, name);
	if (v->together) {
		if (!takes)
			printf("refused: %s\n", line);
		if (!keep_name(v, name))
			exit(1);
		return;
	}
	free(name);
	def[strcspn(def, "\n")] = '\0';
	valid = !tfs_probe_validate(TFS_PROBE_UPROBE, def, &v->features, &err);
	if (valid == takes)
		return;
	v->otherwise++;
	printf("%s: %s: %s\n", takes ? "the kernel takes it" : "the kernel refuses it",
	       valid ? "the validator has nothing against it" : err.msg, line);
}

static int start(struct verdict *v, int argc, char **argv)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_root *root = NULL;

	v->together = argc > 1 && !strcmp(argv[1], "-t");
	if (argc != 2 + v->together) {
		fputs("usage: verdict [-t] GROUP <DEFINITIONS\n", stderr);
		return 2;
	}
	v->group = argv[1 + v->together];
	if (tfs_root_open(NULL, &root, &err)) {
		fprintf(stderr, "verdict: %s\n", err.msg);
		return 2;
	}
	tfs_probe_features_read(root, &v->features);
	v->fd = openat(tfs_root_fd(root), "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	tfs_root_free(root);
	if (v->fd < 0) {
		perror("verdict: uprobe_events");
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct verdict v = { .fd = -1 };
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int rc = start(&v, argc, argv);

	if (rc)
		return rc;
	while ((len = getline(&line, &size, stdin)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			judge(&v, line);
		else
			take_all_away(&v);
	}
	take_all_away(&v);
	printf("%lu definitions, %lu refused, %lu judged otherwise\n", v.total, v.refused,
	       v.otherwise);
	free(line);
	free(v.names);
	close(v.fd);
	return v.otherwise || v.stuck ? 1 : 0;
}

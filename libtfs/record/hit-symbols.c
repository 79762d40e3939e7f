/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/hit-symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/open-in.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "record/images.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-symbols.h"

/* No vdso is larger. */
#define VDSO_MAX (64 * 1024)
/* Code that is further after a symbol without a size may be anything. */
#define UNSIZED_MAX 4096

static bool has_id(const struct tfs_image_object *o, const char *hex)
{
	char text[2 * TFS_MAP_ID_MAX + 1] = "";

	for (size_t i = 0; i < o->id_size; i++)
		snprintf(text + 2 * i, 3, "%02x", o->id[i]);
	return !strcmp(text, hex);
}

static void learn_id(struct tfs_image_object *o, const char *hex)
{
	size_t n = strlen(hex) / 2;
	unsigned int byte;

	if (n > TFS_MAP_ID_MAX)
		return;
	for (size_t i = 0; i < n && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		o->id[i] = (unsigned char)byte;
	o->id_size = n;
}

/* By name, for want of a descriptor: a file without a build-id is known by its number alone. */
static int open_by_name(const struct tfs_image_object *o)
{
	int fd = tfs_open_in(TFS_NO_ROOT, o->path, TFS_NO_LIMIT);
	struct stat st;

	if (fd >= 0 && !o->id_size && (!o->inode || fstat(fd, &st) || st.st_ino != o->inode))
		tfs_close(&fd);
	return fd;
}

static int open_file(const struct tfs_image_object *o)
{
	if (o->flags & TFS_DAT_OBJECT_VDSO)
		return tfs_hit_vdso();
	if (o->fd < 0)
		return open_by_name(o);
	return fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
}

int tfs_hit_object_open(struct tfs_hit_object *h)
{
	struct tfs_image_object *o = h->of;
	const char *id;
	int fd = open_file(o), rc;

	if (fd < 0) {
		h->flags |= TFS_DAT_OBJECT_MISSING;
		return 0;
	}
	rc = tfs_dso_open_fd(fd, o->path, &h->dso, NULL);
	if (rc) {
		h->dso = NULL;
		h->flags |= TFS_DAT_OBJECT_MISSING;
		return rc == -ENOMEM ? rc : 0;
	}
	id = tfs_dso_build_id(h->dso);
	if (!o->id_size) {
		learn_id(o, id);
	} else if (!has_id(o, id)) {
		tfs_dso_free(h->dso);
		h->dso = NULL;
		h->flags |= TFS_DAT_OBJECT_DIFFERS;
		return 0;
	}
	h->flags |= TFS_DAT_OBJECT_READ;
	for (size_t i = 0; i < h->n; i++) {
		uint64_t addr;

		if (!tfs_dso_address(h->dso, h->offsets[i], &addr)) {
			h->load_bias = addr - h->offsets[i];
			break;
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct tfs_dat_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * The function at an offset. One without a size is taken to reach to the address and no further. In
 * a file whose segments are shifted differently, those that are not as the first one are left out.
 */
bool tfs_hit_object_find(const struct tfs_hit_object *h, uint64_t offset,
			 struct tfs_dat_symbol *out)
{
	const struct tfs_symbol *sym;
	uint64_t addr;

	if (!h->dso || tfs_dso_address(h->dso, offset, &addr) || addr != offset + h->load_bias ||
	    !tfs_dso_is_code(h->dso, addr))
		return false;
	sym = tfs_symbol_at(h->dso, addr);
	if (!sym || sym->type == TFS_SYMBOL_DATA || sym->type == TFS_SYMBOL_TLS ||
	    (!sym->size && addr - sym->addr > UNSIZED_MAX))
		return false;
	*out = (struct tfs_dat_symbol){
		.start = sym->addr,
		.end = sym->size ? sym->addr + sym->size : addr + 1,
		.name = sym->name,
	};
	return addr >= out->start && addr < out->end && *sym->name;
}

/* Each function once; of one without a size the last address met is the end. */
static size_t unite(struct tfs_dat_symbol *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), compare_symbols);
	for (size_t i = 0; i < n; i++) {
		if (!kept || v[i].start != v[kept - 1].start || strcmp(v[i].name, v[kept - 1].name))
			v[kept++] = v[i];
		else if (v[i].end > v[kept - 1].end)
			v[kept - 1].end = v[i].end;
	}
	return kept;
}

int tfs_hit_object_symbols(struct tfs_hit_object *h, uint32_t number,
			   struct tfs_dat_symbols_writer *w)
{
	struct tfs_dat_symbol *v;
	size_t n = 0;
	int rc = 0;

	if (!h->dso || !h->n)
		return 0;
	v = calloc(h->n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	qsort(h->offsets, h->n, sizeof(*h->offsets), compare);
	for (size_t i = 0; i < h->n; i++)
		if ((!i || h->offsets[i] != h->offsets[i - 1]) &&
		    tfs_hit_object_find(h, h->offsets[i], &v[n]))
			n++;
	n = unite(v, n);
	if (n)
		rc = tfs_dat_symbols_add(w, number, v, n);
	free(v);
	return rc;
}

void tfs_hit_object_close(struct tfs_hit_object *h)
{
	tfs_dso_free(h->dso);
	h->dso = NULL;
}

void tfs_hit_object_release(struct tfs_hit_object *h)
{
	tfs_hit_object_close(h);
	free(h->offsets);
	*h = (struct tfs_hit_object){ .n = 0 };
}

/* Its section headers are the last of it. */
static size_t vdso_size(const unsigned char *vdso)
{
	uint64_t end = 0;
#if __SIZEOF_POINTER__ == 8
	Elf64_Ehdr h;
#else
	Elf32_Ehdr h;
#endif
	memcpy(&h, vdso, sizeof(h));
	end = h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
	return end <= VDSO_MAX ? (size_t)end : 0;
}

int tfs_hit_vdso(void)
{
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	size_t size = vdso ? vdso_size(vdso) : 0;
	int fd, rc;

	if (!size)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = tfs_pwrite_all(fd, vdso, size, 0);
	if (rc)
		tfs_close(&fd);
	return rc ? rc : fd;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dso/section.h"

/* A note is: name size, id size, type, "GNU\0", id. */
static int id_of_notes(const char *path, char **out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t at = 0;
	int rc = tfs_read_path(path, &sb);

	if (rc)
		goto out;
	rc = -ENODATA;
	while (sb.len - at >= sizeof(GElf_Nhdr)) {
		GElf_Nhdr note;
		size_t name, desc;

		memcpy(&note, sb.s + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > sb.len || note.n_descsz > sb.len)
			break;
		desc = name + ((note.n_namesz + 3u) & ~3u);
		if (desc > sb.len || note.n_descsz > sb.len - desc)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(sb.s + name, "GNU", 4)) {
			*out = tfs_dso_hex((unsigned char *)sb.s + desc, note.n_descsz);
			rc = *out ? 0 : -ENOMEM;
			break;
		}
		at = desc + ((note.n_descsz + 3u) & ~3u);
		if (at > sb.len)
			break;
	}
out:
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_dso_running_build_id(char **out, struct tfs_err *err)
{
	int rc = id_of_notes("/sys/kernel/notes", out);

	if (rc && rc != -ENOMEM)
		return tfs_err_say(err, -ENODATA,
				   "the running kernel does not report its build-id");
	return rc ? tfs_err_set(err, rc, "cannot read the kernel's build-id") : 0;
}

int tfs_dso_module_build_id(const char *name, char **out, struct tfs_err *err)
{
	struct tfs_dso *dso = NULL;
	char *path = NULL, *file = NULL;
	int rc;

	if (asprintf(&path, "/sys/module/%s/notes/.note.gnu.build-id", name) < 0)
		return tfs_err_set(err, -ENOMEM, "cannot look at module '%s'", name);
	rc = id_of_notes(path, out);
	if (!rc)
		goto out;
	rc = tfs_dso_find_module(name, NULL, &file, err);
	if (!rc)
		rc = tfs_dso_open(file, NULL, &dso, err);
	if (!rc)
		rc = (*out = strdup(tfs_dso_build_id(dso))) ?
			     0 :
			     tfs_err_set(err, -ENOMEM, "cannot look at module '%s'", name);
out:
	tfs_dso_free(dso);
	free(file);
	free(path);
	return rc;
}

int tfs_dso_code_hash(const struct tfs_dso *dso, uint64_t *hash)
{
	uint64_t h = TFS_HASH64_INIT;
	size_t size = 0;
	const char *raw = dso->elf ? elf_rawfile(dso->elf, &size) : NULL;

	if (!raw)
		return -EBADMSG;
	for (size_t i = 0; i < dso->n_seg; i++) {
		const struct tfs_segment *seg = &dso->seg[i];
		uint64_t from = seg->off, end;

		if (!(seg->flags & PF_X))
			continue;
		if (from > size || seg->file_size > size - from)
			return -EBADMSG;
		end = from + seg->file_size;
		if (from < sizeof(Elf64_Ehdr))
			from = sizeof(Elf64_Ehdr);
		if (from < end)
			h = tfs_hash64(h, raw + from, end - from);
	}
	*hash = h;
	return 0;
}

const char *tfs_dso_section(const struct tfs_dso *dso, uint64_t addr)
{
	struct tfs_section_walk walk;

	if (dso->rel || !tfs_section_walk(&walk, dso->elf))
		return NULL;
	while (tfs_section_next(&walk)) {
		const GElf_Shdr *sh = &walk.header;

		if (sh->sh_flags & SHF_ALLOC && addr >= sh->sh_addr &&
		    addr - sh->sh_addr < sh->sh_size)
			return *walk.name ? walk.name : NULL;
	}
	return NULL;
}

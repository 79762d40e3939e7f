/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/debuginfo-internal.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "dso/dso-elf.h"
#include "dso/dso-supplier.h"
#include "dso/section.h"

/* The units' own files are elsewhere, or are in a package that this libdw does not open. */
static int no_split(const struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	const char *file = dbg->path ? dbg->path : tfs_dso_file(dbg->dso);
	const char *base = strrchr(dbg->split_missing, '/');
	const char *slash = strrchr(file, '/');
	char *package = NULL;

	tfs_err_say(err, -ENODATA, "the debug information of '%s' is in '%s', which cannot be read",
		    tfs_dso_path(dbg->dso), dbg->split_missing);
	if (asprintf(&package, "%s.dwp", file) < 0)
		return -ENODATA;
	if (!access(package, R_OK))
		tfs_err_hint(err,
			     "'%s' is there, but libdw %s does not read such packages (0.191 "
			     "does): keep the .dwo files where they were made",
			     package, dwfl_version(NULL));
	else if (base && slash && base - dbg->split_missing == slash - file &&
		 !strncmp(dbg->split_missing, file, (size_t)(slash - file)))
		tfs_err_hint(err, "put the .dwo file there, or link without -gsplit-dwarf");
	else
		tfs_err_hint(err,
			     "put the .dwo file there, or into %.*s, or link without "
			     "-gsplit-dwarf; tried: %s, %.*s/%s",
			     (int)(slash ? slash - file : 1), slash ? file : ".",
			     dbg->split_missing, (int)(slash ? slash - file : 1),
			     slash ? file : ".", base ? base + 1 : dbg->split_missing);
	free(package);
	return -ENODATA;
}

static int no_shared(const struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	tfs_err_say(err, -ENODATA,
		    "debug information that '%s' shares with other files is missing: %s",
		    tfs_dso_title(dbg->dso), dbg->alt_missing.name);
	tfs_err_hint(err, "install it%s; tried: %s%s",
		     urls && *urls ? "" : ", or set DEBUGINFOD_URLS to a server that has it",
		     dbg->alt_missing.tried ? dbg->alt_missing.tried : "?",
		     urls && *urls ? ", and the servers of DEBUGINFOD_URLS" : "");
	return -ENODATA;
}

bool tfs_debuginfo_incomplete(const struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	if (dbg->dw && dbg->alt_missing.name)
		no_shared(dbg, err);
	else if (dbg->dw && dbg->split_missing)
		no_split(dbg, err);
	else
		return false;
	return true;
}

const char *tfs_debuginfo_shared_missing(const struct tfs_debuginfo *dbg)
{
	return dbg->alt_missing.name;
}

/* Those of which libdw cannot read a compressed section at all. */
static const char *compression(Elf_Scn *scn, const GElf_Shdr *header)
{
	GElf_Chdr packed;

	if (!(header->sh_flags & SHF_COMPRESSED) || !gelf_getchdr(scn, &packed) ||
	    packed.ch_type == ELFCOMPRESS_ZLIB)
		return NULL;
	/* ELFCOMPRESS_ZSTD, which <elf.h> of glibc 2.36 and older lacks */
	return packed.ch_type == 2 ? "compressed with zstd" : "compressed with another method";
}

static void say_unread(struct tfs_debuginfo *dbg, Elf *elf, const char *file)
{
	struct tfs_section_walk walk;

	if (!elf || !tfs_section_walk(&walk, elf))
		return;
	while (tfs_section_next(&walk)) {
		const char *packed;

		if (walk.header.sh_type == SHT_NOBITS || (strcmp(walk.name, ".debug_info") != 0 &&
							  strcmp(walk.name, ".zdebug_info") != 0))
			continue;
		packed = compression(walk.scn, &walk.header);
		dbg->unreadable = true;
		snprintf(dbg->why_not, sizeof(dbg->why_not),
			 "sections of '%s' are %s, which libdw %s does not read", file,
			 packed ? packed : "damaged or of another version of DWARF",
			 dwfl_version(NULL));
	}
}

void tfs_debuginfo_note_unread(struct tfs_debuginfo *dbg)
{
	int fd = tfs_dso_debug_file(dbg->dso);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	const char *path = tfs_dso_debug_path(dbg->dso);

	if (*dbg->why_not)
		return;
	say_unread(dbg, elf ? elf : tfs_dso_elf(dbg->dso),
		   elf && path ? path : tfs_dso_file(dbg->dso));
	elf_end(elf);
}

int tfs_debuginfo_missing(struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	const char *id = tfs_dso_build_id(dbg->dso);
	const char *refused, *hint;

	if (tfs_debuginfo_dwarf(dbg) && dbg->split_missing)
		return no_split(dbg, err);
	refused = tfs_debuginfo_refused(dbg);
	if (dbg->unreadable) {
		tfs_err_say(err, -ENODATA, "the debug information of '%s' cannot be read: %s",
			    tfs_dso_title(dbg->dso), refused);
		tfs_err_hint(err, "objcopy --decompress-debug-sections makes a file that can be "
				  "read of one that is compressed");
		return -ENODATA;
	}
	tfs_err_say(err, -ENODATA, "no debug information for '%s'%s%s%s%s%s",
		    tfs_dso_title(dbg->dso), *id ? " (build-id " : "", id, *id ? ")" : "",
		    *refused ? ": " : "", refused);
	if (tfs_dso_kind(dbg->dso) == TFS_DSO_SYMBOLS) {
		tfs_err_hint(err,
			     "install the kernel's package with debug information "
			     "(Debian: linux-image-$(uname -r)-dbg), or give its vmlinux with -k");
		return -ENODATA;
	}
	hint = err ? tfs_dso_debug_supplier(dbg->dso) : NULL;
	if (hint)
		tfs_err_hint(err, "%s", hint);
	return -ENODATA;
}

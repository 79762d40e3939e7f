/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/locate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/code-start.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "insn/insn.h"
#include "probe/sdt.h"

/* The longest instruction that enters the kernel, with prefixes. */
#define CODE_MAX 15

bool tfs_probe_kernel_steps(struct tfs_dso *dso, uint64_t addr)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t at;

	return tfs_insn_walk(dso, addr, UINT64_MAX, &walk) ||
	       tfs_insn_next(&walk, &at, &insn) <= 0 || !insn.no_uprobe;
}

static bool is_syscall(struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_machine *machine = tfs_dso_machine(dso);
	const struct tfs_symbol *sym = tfs_symbol_at(dso, addr);
	uint8_t code[CODE_MAX] = { 0 };
	size_t n = sizeof(code);

	while (n && tfs_dso_read(dso, addr, code, n))
		n--;
	/* arm's short instructions: svc is 0xdfNN */
	if (sym && sym->thumb)
		return n >= 2 && code[1] == 0xdf;
	return machine && tfs_insn_is_syscall(machine, code, n);
}

/* NAME+N, or the address where no name is known */
static void name_location(char *to, size_t size, const char *name, uint64_t entry, uint64_t addr)
{
	if (name && addr == entry)
		snprintf(to, size, "%s", name);
	else if (name && addr > entry)
		snprintf(to, size, "%s+%" PRIu64, name, addr - entry);
	else
		snprintf(to, size, "0x%" PRIx64, addr);
}

static void hint_before(struct tfs_dso *dso, uint64_t addr, const char *name, uint64_t entry,
			struct tfs_err *err)
{
	const struct tfs_symbol *own = tfs_symbol_at(dso, addr);
	uint64_t start, before;
	char location[160];

	if ((own && own->addr == addr) || tfs_code_start(dso, addr - 1, &start) ||
	    tfs_insn_before(dso, start, addr, &before)) {
		tfs_err_hint(err,
			     "probe a location before it, or the function that calls it; -f does "
			     "not change this");
		return;
	}
	/* an inlined copy may begin with it */
	if (name && before < entry) {
		name = own ? own->name : NULL;
		entry = own ? own->addr : 0;
	}
	name_location(location, sizeof(location), name, entry, before);
	tfs_err_hint(err,
		     "probe the instruction before it, '%s'; a register that this one sets has its "
		     "old value there (-f does not change this)",
		     location);
}

int tfs_probe_check_syscall(struct tfs_dso *dso, uint64_t addr, const char *name, uint64_t entry,
			    struct tfs_err *err)
{
	char location[160];

	if (tfs_dso_kind(dso) != TFS_DSO_PROGRAM || !is_syscall(dso, addr))
		return 0;
	name_location(location, sizeof(location), name, entry, addr);
	tfs_err_say(err, -EOPNOTSUPP,
		    "no probe can be put at '%s': it is a system call instruction, and a probe on "
		    "one can hang all tracing of the machine until it is rebooted",
		    location);
	hint_before(dso, addr, name, entry, err);
	return -EOPNOTSUPP;
}

/* --- places that somebody else says --- */

/* "0x" and digits; *@end: what follows */
static bool read_hex(const char *text, const char **end, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t len;

	if (text[0] != '0' || text[1] != 'x')
		return false;
	len = strspn(text + 2, digits);
	*end = text + 2 + len;
	if (!len || len > 16)
		return false;
	*out = 0;
	for (const char *p = text + 2; p < *end; p++)
		*out = *out << 4 | (uint64_t)(strchr(digits, *p) - digits);
	return true;
}

int tfs_probe_location_parse(const char *text, struct tfs_probe_location *out)
{
	static const char ret[] = "%return";
	struct tfs_probe_location location = { 0 };
	const char *end = text;

	if (!read_hex(text, &end, &location.offset))
		return -EINVAL;
	if (!strncmp(end, ret, strlen(ret))) {
		location.ret = true;
		end += strlen(ret);
	}
	if (*end == '(' && (!read_hex(end + 1, &end, &location.counter) || *end++ != ')'))
		return -EINVAL;
	if (*end)
		return -EINVAL;
	*out = location;
	return 0;
}

static int check_start(struct tfs_dso *dso, uint64_t addr, struct tfs_err *err)
{
	uint64_t start, begin = 0, end = 0;

	if (tfs_code_start(dso, addr, &start) ||
	    (start != addr && tfs_insn_at(dso, start, addr, &begin, &end))) {
		tfs_err_say(err, -EINVAL, "0x%" PRIx64 ": no instruction is known to begin there",
			    addr);
		tfs_err_hint(err,
			     "a probe inside an instruction crashes the program; -f accepts the "
			     "location as it is");
		return -EINVAL;
	}
	if (start == addr || begin == addr)
		return 0;
	tfs_err_say(err, -EINVAL, "0x%" PRIx64 " is inside an instruction", addr);
	tfs_err_hint(
		err,
		"that instruction begins %" PRIu64 " byte%s before, the next one %" PRIu64
		" after; a probe inside one crashes the program (-f accepts the location as it is)",
		addr - begin, addr - begin == 1 ? "" : "s", end - addr);
	return -EINVAL;
}

/* A return probe replaces the return address, which is in its place only at a function's entry. */
static int check_return(struct tfs_dso *dso, uint64_t addr, struct tfs_err *err)
{
	const struct tfs_symbol *sym = tfs_symbol_at(dso, addr);

	if (tfs_dso_is_go(dso))
		return tfs_err_say(err, -EOPNOTSUPP,
				   "a return probe ends programs in Go, which '%s' is",
				   tfs_dso_path(dso));
	if (sym && strstr(sym->name, ".cold"))
		return tfs_err_say(err, -EINVAL, "'%s' is jumped to, not called: it has no return",
				   sym->name);
	if (tfs_code_is_entry(dso, addr))
		return 0;
	return tfs_err_say(err, -EINVAL,
			   "0x%" PRIx64 ": a return probe is on the entry of a function, and none "
			   "is known to begin there",
			   addr);
}

int tfs_probe_check_counter(struct tfs_debuginfo *dbg, uint64_t addr, uint64_t counter,
			    struct tfs_err *err)
{
	struct tfs_points points = TFS_POINTS_INIT;
	bool found = false;
	int rc;

	if (!counter)
		return 0;
	rc = tfs_sdt_find(dbg, "*", &points, NULL);
	for (size_t i = 0; i < points.n && !found; i++)
		found = points.v[i].addr == addr && points.v[i].marker &&
			points.v[i].marker->counter == counter;
	tfs_points_release(&points);
	if (rc == -ENOMEM || found)
		return rc == -ENOMEM ? rc : 0;
	return tfs_err_say(err, -EINVAL,
			   "0x%" PRIx64
			   " is not the counter of a marker there, and the kernel would "
			   "add to it",
			   counter);
}

int tfs_probe_check_location(struct tfs_debuginfo *dbg, const struct tfs_probe_location *location,
			     unsigned int flags, struct tfs_err *err)
{
	const bool force = flags & TFS_PROBE_FORCE;
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	const struct tfs_symbol *sym;
	uint64_t addr;
	int rc;

	if (tfs_dso_address(dso, location->offset, &addr) || !tfs_dso_is_code(dso, addr))
		return tfs_err_say(err, -ENOENT, "0x%" PRIx64 " is not in the code of '%s'",
				   location->offset, tfs_dso_path(dso));
	sym = tfs_symbol_at(dso, addr);
	rc = tfs_probe_check_syscall(dso, addr, sym ? sym->name : NULL, sym ? sym->addr : 0, err);
	if (!rc && sym && sym->thumb)
		rc = tfs_err_say(err, -EOPNOTSUPP,
				 "'%s': the kernel puts no probes in Thumb code of programs",
				 sym->name);
	if (!rc && !force)
		rc = check_start(dso, addr, err);
	if (!rc && !force && !tfs_probe_kernel_steps(dso, addr))
		rc = tfs_err_say(
			err, -EOPNOTSUPP,
			"the kernel does not allow a probe at 0x%" PRIx64
			": it cannot step over this kind of instruction (locked, privileged, "
			"AVX-512, ...)",
			addr);
	if (!rc && location->ret)
		rc = check_return(dso, addr, err);
	return rc ? rc : tfs_probe_check_counter(dbg, addr, location->counter, err);
}

int tfs_probe_name_point(struct tfs_debuginfo *dbg, struct tfs_point *point, bool ret, char **out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *func = point->func ? point->func : point->symbol;
	int rc;

	tfs_point_read_line(dbg, point);
	if (func)
		rc = tfs_strbuf_adds(&sb, func);
	else
		rc = tfs_strbuf_addf(&sb, "0x%" PRIx64, point->addr);
	if (!rc && func && point->addr != point->entry)
		rc = tfs_strbuf_addf(&sb, "+%" PRIu64, point->addr - point->entry);
	if (!rc && point->file && point->line)
		rc = tfs_strbuf_addf(&sb, "@%s:%u", point->file, point->line);
	if (!rc && point->into)
		rc = tfs_strbuf_addf(&sb, " inlined into %s", point->into);
	if (!rc && ret)
		rc = tfs_strbuf_adds(&sb, "%return");
	if (!rc)
		rc = tfs_strbuf_detach(&sb, out);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_probe_name_location(struct tfs_debuginfo *dbg, const struct tfs_probe_location *location,
			    char **out)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	struct tfs_points points = TFS_POINTS_INIT;
	uint64_t addr;
	int rc = tfs_dso_address(dso, location->offset, &addr);

	if (!rc)
		rc = tfs_point_at(dbg, addr, &points, NULL);
	if (!rc)
		rc = tfs_probe_name_point(dbg, &points.v[0], location->ret, out);
	tfs_points_release(&points);
	return rc == -ENOMEM ? rc : 0;
}

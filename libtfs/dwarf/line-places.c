/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/line-places.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dso/arch/machine.h"
#include "dso/dso-machine.h"
#include "dwarf/basic-block.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/line-internal.h"
#include "dwarf/line-table.h"
#include "insn/control-flow-graph.h"
#include "insn/insn.h"

/* Instructions compared at two places. */
#define COMPARED_MAX 6

/**
 * struct finding - the places of a line, while they are told apart
 * @entry: of an inlined copy, of which @line is the first
 * @row: where statements of the line begin, ascending
 * @node: of each; @kept: it is a place
 */
struct finding {
	struct tfs_debuginfo *dbg;
	Dwarf_Die func;
	Dwarf_Die copy;
	const char *file;
	unsigned int line;
	bool entry;
	Dwarf_Lines *lines;
	size_t n_lines;
	uint64_t row[TFS_LINE_PLACES_MAX];
	size_t n;
	long node[TFS_LINE_PLACES_MAX];
	bool kept[TFS_LINE_PLACES_MAX];
	struct tfs_flow_graph graph;
};

/* Line of the code at an address, 0 if it is of none; @file may be NULL. */
static unsigned int line_at(const struct finding *f, uint64_t addr, const char **file)
{
	size_t i = tfs_line_row_from(f->lines, f->n_lines, addr + 1);
	Dwarf_Line *row = i ? dwarf_onesrcline(f->lines, i - 1) : NULL;
	int line = 0;

	/* what the compiler made for no line belongs to what is before it */
	while (row && !dwarf_lineno(row, &line) && !line && --i)
		row = dwarf_onesrcline(f->lines, i - 1);
	if (file)
		*file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	return line > 0 ? (unsigned int)line : 0;
}

/* Code of the line itself, or of what was inlined there; of the copy, if that is wanted. */
static bool is_of_line(const struct finding *f, uint64_t addr)
{
	Dwarf_Attribute attr;
	Dwarf_Word call = 0;
	Dwarf_Die inner, copy = f->copy;
	const char *file;

	if (f->entry)
		return dwarf_haspc(&copy, addr) > 0;
	if (line_at(f, addr, &file) == f->line && tfs_same_source(file, f->file))
		return true;
	return tfs_die_step(&copy, addr, &inner) &&
	       !dwarf_formudata(dwarf_attr(&inner, DW_AT_call_line, &attr), &call) &&
	       call == f->line;
}

static void add_row(struct finding *f, uint64_t addr)
{
	size_t i = f->n;

	if (f->n == TFS_LINE_PLACES_MAX)
		return;
	for (size_t k = 0; k < f->n; k++) {
		if (f->row[k] == addr)
			return;
	}
	for (; i && f->row[i - 1] > addr; i--)
		f->row[i] = f->row[i - 1];
	f->row[i] = addr;
	f->n++;
}

static void find_rows(struct finding *f)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;
	Dwarf_Die owner;

	while ((at = dwarf_ranges(&f->copy, at, &base, &from, &to)) > 0) {
		for (size_t i = tfs_line_row_from(f->lines, f->n_lines, from); i < f->n_lines;
		     i++) {
			struct tfs_line_row row;

			if (!tfs_line_row_get(f->lines, i, &row))
				continue;
			if (row.addr >= to)
				break;
			if (row.line != f->line || !tfs_same_source(row.file, f->file))
				continue;
			tfs_line_owner(f->dbg, &f->func, &row, &owner);
			if (owner.addr == f->copy.addr)
				add_row(f, row.addr);
		}
	}
}

/* Does control come to a row's node from code of another line? */
static bool is_entered(const struct finding *f, size_t i)
{
	const struct tfs_flow_graph *g = &f->graph;
	bool known = false;

	for (size_t k = 0; k < g->n; k++) {
		if (g->node[k].next[0] != f->node[i] && g->node[k].next[1] != f->node[i])
			continue;
		known = true;
		if (!is_of_line(f, g->node[k].last))
			return true;
	}
	return !known;
}

static size_t kept_nodes(const struct finding *f, size_t but, long *node)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->kept[i] && i != but)
			node[n++] = f->node[i];
	}
	return n;
}

/* Is it come to without coming to one of the places, be it for the second time? */
static bool is_missed(const struct finding *f, size_t i)
{
	long avoid[TFS_LINE_PLACES_MAX];
	size_t n = kept_nodes(f, i, avoid);

	return tfs_flow_graph_reaches(&f->graph, -1, f->node[i], avoid, n) ||
	       tfs_flow_graph_reaches(&f->graph, f->node[i], f->node[i], avoid, n);
}

/* An address may be computed where a constant is in the other turn of the loop. */
static bool same_access(const struct tfs_insn_mem *a, const struct tfs_insn_mem *b)
{
	unsigned int kinds = TFS_INSN_READS | TFS_INSN_WRITES;

	return (a->access & kinds) == (b->access & kinds) &&
	       (!(a->access & kinds) || a->width == b->width);
}

/* Target of the first call after @addr within the line; 0 if there is none. */
static uint64_t first_call(const struct finding *f, uint64_t addr)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t at;

	if (tfs_insn_walk(f->dbg->dso, addr, UINT64_MAX, &walk))
		return 0;
	for (unsigned int i = 0; i < 2 * COMPARED_MAX && is_of_line(f, walk.addr); i++) {
		if (tfs_insn_next(&walk, &at, &insn) <= 0)
			return 0;
		if (insn.kind != TFS_INSN_OTHER)
			return insn.kind == TFS_INSN_CALL && insn.has_target ? insn.target : 0;
	}
	return 0;
}

/* Between two rows of a copy's first line there is one of the line that calls it. */
static bool is_called_between(const struct finding *f, uint64_t from, uint64_t to)
{
	Dwarf_Die copy = f->copy;
	Dwarf_Attribute attr;
	Dwarf_Word call;

	if (dwarf_formudata(dwarf_attr(&copy, DW_AT_call_line, &attr), &call))
		return false;
	for (size_t i = tfs_line_row_from(f->lines, f->n_lines, from + 1); i < f->n_lines; i++) {
		struct tfs_line_row row;

		if (!tfs_line_row_get(f->lines, i, &row))
			continue;
		if (row.addr >= to)
			return false;
		if (row.line == call)
			return true;
	}
	return false;
}

/* The instructions at two places, as far as they are of the line, do the same. */
static bool do_the_same(const struct finding *f, uint64_t a, uint64_t b)
{
	uint64_t call = first_call(f, a);
	struct tfs_insn_walk x, y;

	if (call && call == first_call(f, b))
		return true;
	if (tfs_insn_walk(f->dbg->dso, a, UINT64_MAX, &x) ||
	    tfs_insn_walk(f->dbg->dso, b, UINT64_MAX, &y))
		return false;
	for (unsigned int i = 0; i < COMPARED_MAX; i++) {
		struct tfs_insn one, other;
		bool of_a = is_of_line(f, x.addr), of_b = is_of_line(f, y.addr);
		uint64_t at;

		if (!of_a || !of_b)
			return i && of_a == of_b;
		if (tfs_insn_next(&x, &at, &one) <= 0 || tfs_insn_next(&y, &at, &other) <= 0 ||
		    one.kind != other.kind || !same_access(&one.mem, &other.mem) ||
		    (one.kind == TFS_INSN_CALL && one.target != other.target))
			return false;
	}
	return true;
}

/* Another place always comes before: is it the same once more, as where a loop is unrolled? */
static bool is_repeated(const struct finding *f, size_t i)
{
	for (size_t k = 0; k < f->n; k++) {
		if (f->kept[k] && k != i && do_the_same(f, f->row[k], f->row[i]))
			return true;
	}
	return false;
}

static bool is_kept_node(const struct finding *f, long node)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->kept[i] && f->node[i] == node)
			return true;
	}
	return false;
}

static bool same_store(const struct tfs_insn *a, const struct tfs_insn *b)
{
	return a->mem.access & b->mem.access & TFS_INSN_WRITES && a->mem.base == b->mem.base &&
	       a->mem.index == b->mem.index && a->mem.absolute == b->mem.absolute &&
	       a->mem.width == b->mem.width;
}

/*
 * LLVM joins rows of one line: of a loop that was unrolled to several turns in a row there is but
 * one. Where the code from a place on writes, or calls, the same twice, it may be such.
 */
static bool may_be_several(const struct finding *f, uint64_t addr)
{
	struct tfs_insn seen[COMPARED_MAX], insn;
	struct tfs_insn_walk walk;
	size_t n = 0;
	uint64_t at;

	if (tfs_insn_walk(f->dbg->dso, addr, UINT64_MAX, &walk))
		return false;
	while (is_of_line(f, walk.addr) && tfs_insn_next(&walk, &at, &insn) > 0) {
		bool call = insn.kind == TFS_INSN_CALL && insn.has_target;

		if (insn.kind != TFS_INSN_OTHER && !call)
			return false;
		if (!call && !(insn.mem.access & TFS_INSN_WRITES))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (call ? seen[i].kind == TFS_INSN_CALL && seen[i].target == insn.target :
				   same_store(&seen[i], &insn))
				return true;
		}
		if (n < COMPARED_MAX)
			seen[n++] = insn;
	}
	return false;
}

/* From place @i control comes to another one before it leaves the line: as the head of a while. */
static bool leads_on(const struct finding *f, size_t i)
{
	const struct tfs_flow_graph *g = &f->graph;
	long at = f->node[i];

	/* only where there is no choice */
	for (unsigned int steps = 0; steps < 8; steps++) {
		const struct tfs_flow_graph_node *node = &g->node[at];
		long next = node->next[0] >= 0 ? node->next[0] : node->next[1];

		if (node->indirect || next < 0 || (node->next[0] >= 0 && node->next[1] >= 0) ||
		    !is_of_line(f, node->last))
			return false;
		if (is_kept_node(f, next) && next != f->node[i])
			return true;
		at = next;
		if (!is_of_line(f, g->node[at].begin))
			return false;
	}
	return false;
}

static int choose(struct finding *f, uint64_t first, bool optimised, struct tfs_line_places *out)
{
	Dwarf_Addr entry;
	int rc = tfs_die_entry(f->dbg, &f->func, &entry) ? -ENOENT : 0;

	if (!rc)
		rc = tfs_func_graph(f->dbg, &f->func, entry, f->row, f->n, &f->graph);
	if (rc)
		return rc;
	for (size_t i = 0; i < f->n; i++) {
		f->node[i] = tfs_flow_graph_at(&f->graph, f->row[i]);
		/* a row where no instruction begins is none that can be trusted */
		if (f->node[i] < 0 || f->graph.node[f->node[i]].begin != f->row[i])
			return -ENOENT;
		f->kept[i] = f->row[i] == first;
	}
	for (size_t i = 0; i < f->n; i++) {
		if (f->kept[i])
			continue;
		if (!is_entered(f, i)) {
			out->left_out |= f->entry && optimised &&
					 (is_called_between(f, first, f->row[i]) ||
					  do_the_same(f, first, f->row[i]));
			continue;
		}
		f->kept[i] = is_missed(f, i) || (optimised && is_repeated(f, i));
		out->left_out |= optimised && !f->kept[i];
	}
	for (size_t i = 0; i < f->n; i++)
		f->kept[i] = f->kept[i] && !leads_on(f, i);
	out->n = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (f->kept[i])
			out->addr[out->n++] = f->row[i];
	}
	return out->n ? 0 : -ENOENT;
}

/* LLVM notes no options, but describes all calls only where it optimises. */
static bool is_optimised(Dwarf_Die *unit, Dwarf_Die *func)
{
	return !tfs_unit_is_unoptimised(unit) &&
	       (tfs_unit_is_gcc(unit) || dwarf_hasattr(func, DW_AT_call_all_calls) ||
		dwarf_hasattr(func, DW_AT_GNU_all_call_sites));
}

int tfs_line_places(struct tfs_debuginfo *dbg, const struct tfs_line_query *q,
		    struct tfs_line_places *out)
{
	struct finding f = { .dbg = dbg,
			     .func = q->func,
			     .copy = q->copy,
			     .file = q->file,
			     .line = q->line,
			     .entry = q->entry };
	bool optimised, several;
	Dwarf_Die unit;
	int rc = 0;

	*out = (struct tfs_line_places){ .addr = { q->first }, .n = 1 };
	if (!dwarf_diecu(&f.copy, &unit, NULL, NULL) ||
	    tfs_unit_lines(dbg, &unit, &f.lines, &f.n_lines))
		return 0;
	find_rows(&f);
	optimised = is_optimised(&unit, &f.func);
	if (f.n > 1)
		rc = choose(&f, q->first, optimised, out);
	tfs_flow_graph_release(&f.graph);
	if (rc)
		*out = (struct tfs_line_places){ .addr = { q->first },
						 .n = 1,
						 .left_out = rc != -ENOMEM && !q->entry };
	several = f.n && optimised && !tfs_unit_is_gcc(&unit);
	for (size_t i = 0; several && i < out->n && !out->left_out; i++)
		out->left_out = may_be_several(&f, out->addr[i]);
	return rc == -ENOMEM ? rc : 0;
}

static bool is_x86(struct tfs_debuginfo *dbg)
{
	const struct tfs_machine *machine = tfs_dso_machine(dbg->dso);

	return machine && (machine->elf == EM_X86_64 || machine->elf == EM_386);
}

/* Is it one of x86's instructions that do nothing but fill? */
static bool is_padding(struct tfs_debuginfo *dbg, uint64_t addr, size_t len)
{
	unsigned char code[16];
	size_t i = 0;

	if (len > sizeof(code) || tfs_dso_read(dbg->dso, addr, code, len))
		return false;
	while (i < len && (code[i] == 0x66 || code[i] == 0x2e))
		i++;
	return (i + 1 == len && code[i] == 0x90) ||
	       (i + 2 < len && code[i] == 0x0f && code[i + 1] == 0x1f);
}

/*
 * A copy that is the body of a loop may begin with padding that aligns the loop: it is executed at
 * most once, while each iteration jumps to after it.
 */
static uint64_t skip_padding(struct tfs_debuginfo *dbg, Dwarf_Die *copy, uint64_t first)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;

	if (!is_x86(dbg) || tfs_insn_walk(dbg->dso, first, UINT64_MAX, &walk))
		return first;
	while (tfs_insn_next(&walk, &addr, &insn) > 0 && is_padding(dbg, addr, insn.len)) {
		if (dwarf_haspc(copy, walk.addr) <= 0)
			return first;
	}
	return addr;
}

int tfs_copy_places(struct tfs_debuginfo *dbg, Dwarf_Die *func, Dwarf_Die *copy, uint64_t first,
		    struct tfs_line_places *out)
{
	struct tfs_line_query q = { .func = *func, .copy = *copy, .entry = true };
	Dwarf_Die unit, owner;
	struct tfs_line_row row;
	Dwarf_Lines *lines;
	size_t n, i;

	q.first = skip_padding(dbg, copy, first);
	*out = (struct tfs_line_places){ .addr = { q.first }, .n = 1 };
	if (!dwarf_diecu(copy, &unit, NULL, NULL) || tfs_unit_lines(dbg, &unit, &lines, &n))
		return 0;
	/* of several rows of one address, the last is of the code there */
	for (i = tfs_line_row_from(lines, n, q.first); i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;

		if (!line || dwarf_lineaddr(line, &addr) || addr != q.first)
			break;
		if (!tfs_line_row_get(lines, i, &row))
			continue;
		tfs_line_owner(dbg, func, &row, &owner);
		if (owner.addr != copy->addr)
			continue;
		q.file = row.file;
		q.line = row.line;
	}
	if (!q.file)
		return 0;
	return tfs_line_places(dbg, &q, out);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/loc.h"

#include <dwarf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dso/dso-got.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/type.h"

void tfs_loc_release(struct tfs_loc *loc)
{
	unsigned int i;

	for (i = 0; i < loc->n_piece; i++)
		tfs_loc_release(&loc->piece[i].loc);
	free(loc->piece);
	loc->piece = NULL;
	loc->n_piece = 0;
}

void tfs_loc_refuse(struct tfs_loc *loc, enum tfs_refusal why, const char *fmt, ...)
{
	va_list ap;

	tfs_loc_release(loc);
	loc->kind = TFS_LOC_NONE;
	loc->why = why;
	va_start(ap, fmt);
	vsnprintf(loc->what, sizeof(loc->what), fmt, ap);
	va_end(ap);
}

/*
 * Go writes expressions in the form that DWARF 4 took from them, a block, which libdw then reads no
 * more. A short one has the same bytes in both forms.
 */
static void read_as_expression(Dwarf_Attribute *attr)
{
	if (dwarf_whatform(attr) == DW_FORM_block1 && attr->valp && attr->valp[0] < 0x80)
		attr->form = DW_FORM_exprloc;
}

static bool is_list(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return false;
	default:
		return true;
	}
}

enum tfs_loc_form tfs_loc_form(Dwarf_Die *die, Dwarf_Attribute *attr)
{
	Dwarf_Attribute own;

	if (!attr)
		attr = &own;
	if (dwarf_attr_integrate(die, DW_AT_location, attr)) {
		read_as_expression(attr);
		return is_list(attr) ? TFS_LOC_FORM_LIST : TFS_LOC_FORM_ONE;
	}
	if (dwarf_attr_integrate(die, DW_AT_const_value, attr))
		return TFS_LOC_FORM_CONST;
	return TFS_LOC_FORM_NONE;
}

/* Can what a list says be read? */
static bool has_lists(const struct tfs_scope *scope)
{
	return !scope->dbg || tfs_debuginfo_expand(scope->dbg, TFS_DEBUG_PLACES);
}

bool tfs_loc_here(const struct tfs_scope *scope, Dwarf_Attribute *attr, Dwarf_Op **op, size_t *n)
{
	return (!is_list(attr) || has_lists(scope)) &&
	       dwarf_getlocation_addr(attr, scope->pc, op, n, 1) == 1;
}

int tfs_loc_next(const struct tfs_scope *scope, Dwarf_Attribute *attr, struct tfs_loc_range *r)
{
	ptrdiff_t next;

	if (!has_lists(scope))
		return -EBADMSG;
	next = dwarf_getlocations(attr, r->next, &r->base, &r->start, &r->end, &r->op, &r->n);
	if (next < 0)
		return -EBADMSG;
	if (next == 0)
		return 0;
	r->next = next;
	return 1;
}

/*
 * At the entry the first range that begins there is the one: with location views several may, all
 * but the last of them empty, and the later ones say what holds after source lines that took no
 * instruction. Elsewhere an empty range holds nothing.
 */
static bool holds(const struct tfs_loc_range *r, Dwarf_Addr pc, bool entry)
{
	if (r->start == r->end)
		return entry && r->start == pc;
	return pc >= r->start && pc < r->end;
}

static bool at_entry(const struct tfs_scope *scope)
{
	Dwarf_Addr entry;
	Dwarf_Die func = scope->func;

	if (scope->pc == scope->entry)
		return true;
	return tfs_die_entry(scope->dbg, &func, &entry) == 0 && entry == scope->pc;
}

static int loc_of_list(const struct tfs_scope *scope, Dwarf_Attribute *attr, struct tfs_loc *out)
{
	struct tfs_loc_range r = { 0 };
	bool entry = at_entry(scope);
	bool any = false;
	int rc;

	while ((rc = tfs_loc_next(scope, attr, &r)) > 0) {
		any = any || r.n;
		if (!holds(&r, scope->pc, entry))
			continue;
		if (!r.n) {
			tfs_loc_refuse(out, TFS_REFUSAL_NOT_HERE, "%s", "");
			return 0;
		}
		return tfs_loc_eval(scope, attr, r.op, r.n, 0, out);
	}
	if (rc < 0)
		tfs_loc_refuse(out, TFS_REFUSAL_DAMAGED,
			       "a bad location list, or one with an operation that is not known");
	else
		tfs_loc_refuse(out, any ? TFS_REFUSAL_NOT_HERE : TFS_REFUSAL_OPTIMISED_OUT, "%s",
			       "");
	return 0;
}

static void loc_of_const(Dwarf_Attribute *attr, struct tfs_loc *out)
{
	Dwarf_Word u;
	Dwarf_Sword s;
	const char *str;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_data16:
		if (dwarf_formblock(attr, &out->bytes) == 0) {
			out->kind = TFS_LOC_BYTES;
			return;
		}
		break;
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		str = dwarf_formstring(attr);
		if (str) {
			out->kind = TFS_LOC_BYTES;
			out->bytes.data = (unsigned char *)str;
			out->bytes.length = strlen(str) + 1;
			return;
		}
		break;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(attr, &s) == 0) {
			out->kind = TFS_LOC_VALUE;
			out->v.c = (uint64_t)s;
			return;
		}
		break;
	default:
		if (dwarf_formudata(attr, &u) == 0) {
			out->kind = TFS_LOC_VALUE;
			out->v.c = u;
			return;
		}
	}
	tfs_loc_refuse(out, TFS_REFUSAL_DAMAGED, "constant of unknown form 0x%x",
		       dwarf_whatform(attr));
}

/* Where there is room for registers above the CFA, those for floating point use more of it. */
static bool may_be_saved(const struct tfs_scope *scope, Dwarf_Die *die)
{
	struct tfs_type type;

	return scope->machine->saved && !tfs_type_of(scope, die, &type) &&
	       type.class == TFS_TYPE_FLOAT;
}

/* A place known by name or address becomes what the loader says of it. */
static void through_slot(const struct tfs_scope *scope, const struct tfs_got_slot *slot,
			 uint64_t add, struct tfs_loc *out)
{
	out->kind = TFS_LOC_MEM;
	out->v = (struct tfs_sval){ .base = TFS_SVAL_ADDR, .c = slot->slot, .n = 1, .add = add };
	out->v.size[0] = (uint8_t)(scope->machine->bits / 8);
}

/*
 * A variable that a library exports may live in the program, as a copy: then the library's own is
 * not used by anyone. The library's code asks the global offset table.
 */
static void relocate(const struct tfs_scope *scope, struct tfs_loc *out)
{
	const struct tfs_got_slot *slot;
	uint64_t addr = out->v.c + out->v.add;

	if (!scope->dbg || scope->kernel || out->kind != TFS_LOC_MEM ||
	    out->v.base != TFS_SVAL_ADDR || out->v.n)
		return;
	slot = tfs_dso_got_at(scope->dso, addr);
	if (slot)
		through_slot(scope, slot, addr - slot->addr, out);
}

/* Declared here, defined elsewhere: in another file of the program, or in a library. */
static bool loc_of_declared(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_loc *out)
{
	const struct tfs_symbol *const *found;
	const struct tfs_got_slot *slot;
	const char *name = tfs_die_linkage_name(die);
	long n;

	if (!name)
		name = tfs_die_name(die);
	if (!name || !scope->dbg || scope->kernel || !dwarf_hasattr(die, DW_AT_declaration) ||
	    !dwarf_hasattr(die, DW_AT_external))
		return false;
	slot = tfs_dso_got_named(scope->dso, name);
	if (slot) {
		through_slot(scope, slot, 0, out);
		return true;
	}
	n = tfs_symbol_named(scope->dso, name, &found);
	for (long i = 0; i < n; i++) {
		if (found[i]->type == TFS_SYMBOL_TLS) {
			tfs_loc_refuse(out, TFS_REFUSAL_TLS, TFS_TLS_WHY);
			return true;
		}
		if (found[i]->type != TFS_SYMBOL_DATA || found[i]->local)
			continue;
		out->kind = TFS_LOC_MEM;
		out->v = (struct tfs_sval){ .base = TFS_SVAL_ADDR, .c = found[i]->addr };
		relocate(scope, out);
		return true;
	}
	return false;
}

/* gcc's -fvar-tracking-uninit ends a location so, and libdw reads none of it then. */
static void refuse_bad(Dwarf_Attribute *attr, struct tfs_loc *out)
{
	Dwarf_Block block;

	if (!dwarf_formblock(attr, &block) && block.length &&
	    block.data[block.length - 1] == DW_OP_GNU_uninit)
		tfs_loc_refuse(out, TFS_REFUSAL_UNSUPPORTED,
			       "it may not be initialised (DW_OP_GNU_uninit)");
	else
		tfs_loc_refuse(out, TFS_REFUSAL_DAMAGED, "bad location");
}

int tfs_loc_of(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_loc *out)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	switch (tfs_loc_form(die, &attr)) {
	case TFS_LOC_FORM_NONE:
		if (!loc_of_declared(scope, die, out))
			tfs_loc_refuse(out, TFS_REFUSAL_OPTIMISED_OUT, "%s", "");
		break;
	case TFS_LOC_FORM_CONST:
		loc_of_const(&attr, out);
		break;
	case TFS_LOC_FORM_ONE:
		if (dwarf_getlocation(&attr, &op, &n) != 0)
			refuse_bad(&attr, out);
		else if (!n)
			tfs_loc_refuse(out, TFS_REFUSAL_OPTIMISED_OUT, "%s", "");
		else
			rc = tfs_loc_eval(scope, &attr, op, n, 0, out);
		out->exprloc = true;
		out->frame = out->frame || (out->kind == TFS_LOC_MEM && may_be_saved(scope, die));
		if (!rc)
			relocate(scope, out);
		break;
	case TFS_LOC_FORM_LIST:
		rc = loc_of_list(scope, &attr, out);
		break;
	}
	return rc;
}

int tfs_loc_cfa(const struct tfs_scope *scope, unsigned int depth, struct tfs_loc *out)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi;
	Dwarf_Addr bias = 0;
	Dwarf_Op *op;
	size_t n = 0;
	int rc, from;

	/* The program itself first: .eh_frame of a file with debug information only is empty. */
	for (from = 0; scope->mod && from < 2; from++) {
		cfi = from ? tfs_debuginfo_frames(scope->dbg) :
			     dwfl_module_eh_cfi(scope->mod, &bias);
		if (!cfi || dwarf_cfi_addrframe(cfi, scope->pc - (from ? 0 : bias), &frame) != 0)
			continue;
		if (dwarf_frame_cfa(frame, &op, &n) != 0 || !n) {
			free(frame);
			continue;
		}
		rc = tfs_loc_eval(scope, NULL, op, n, depth + 1, out);
		free(frame);
		return rc;
	}
	tfs_loc_refuse(out, TFS_REFUSAL_UNSUPPORTED,
		       "there is no unwinding information for this address");
	return 0;
}

int tfs_loc_frame_owner(const struct tfs_scope *scope, Dwarf_Die *owner)
{
	Dwarf_Die func = scope->func;
	Dwarf_Die *scopes = NULL;
	int i, n;

	if (dwarf_tag(&func) == DW_TAG_subprogram) {
		*owner = func;
		return 0;
	}
	if (scope->dbg) {
		int rc = tfs_die_function(scope->dbg, &func, owner);

		if (rc != -ENOTSUP)
			return rc;
	}
	n = dwarf_getscopes_die(&func, &scopes);
	for (i = 0; i < n; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
			*owner = scopes[i];
			break;
		}
	}
	free(scopes);
	return i < n ? 0 : -ENOENT;
}

int tfs_loc_frame_base(const struct tfs_scope *scope, unsigned int depth, struct tfs_loc *out)
{
	Dwarf_Attribute attr;
	Dwarf_Die owner;
	Dwarf_Op *op;
	size_t n = 0;
	int rc;
	bool has = !tfs_loc_frame_owner(scope, &owner) &&
		   dwarf_attr_integrate(&owner, DW_AT_frame_base, &attr);

	if (has)
		read_as_expression(&attr);
	if (!has || !tfs_loc_here(scope, &attr, &op, &n) || !n) {
		tfs_loc_refuse(out, TFS_REFUSAL_UNSUPPORTED, "the function has no frame base here");
		return 0;
	}
	rc = tfs_loc_eval(scope, &attr, op, n, depth + 1, out);
	/* A register alone means what it holds. */
	if (!rc && (out->kind == TFS_LOC_REG || out->kind == TFS_LOC_VALUE)) {
		out->kind = TFS_LOC_MEM;
		out->frame = true;
	}
	return rc;
}

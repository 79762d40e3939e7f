/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "tracefs/busy.h"
#include "tracefs/claim.h"
#include "tracefs/errlog.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/link.h"
#include "tracefs/plan-internal.h"
#include "tracefs/plan-print.h"
#include "tracefs/restore.h"

int tfs_plan_new(const struct tfs_root *root, struct tfs_plan **out)
{
	struct tfs_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return -ENOMEM;
	plan->root = root;
	*out = plan;
	return 0;
}

static void action_release(struct tfs_plan_action *a)
{
	free(a->path);
	free(a->text);
	a->path = NULL;
	a->text = NULL;
	a->op = TFS_PLAN_NONE;
}

void tfs_plan_free(struct tfs_plan *plan)
{
	struct tfs_plan_step *s;
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->n_steps; i++) {
		s = &plan->steps[i];
		action_release(&s->make);
		action_release(&s->undo);
		tfs_close(&s->claim);
		free(s->what);
		free(s->partial);
		free(s->says);
		free(s->input);
	}
	free(plan->steps);
	free(plan->notices);
	free(plan);
}

void tfs_plan_set_journal(struct tfs_plan *plan, struct tfs_journal *journal)
{
	plan->journal = journal;
}

/* Copy what echo(1) would write: @text and a newline. */
static int action_set(struct tfs_plan_action *a, enum tfs_plan_op op, const char *path,
		      const char *text)
{
	struct tfs_plan_action copy = { .op = op };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_adds(&sb, text);
	if (!rc && sb.len && sb.s[sb.len - 1] != '\n' && op != TFS_PLAN_LINK)
		rc = tfs_strbuf_addc(&sb, '\n');
	if (rc)
		goto out;
	copy.path = strdup(path);
	rc = copy.path ? tfs_strbuf_detach(&sb, &copy.text) : -ENOMEM;
	if (rc) {
		action_release(&copy);
		goto out;
	}
	action_release(a);
	*a = copy;
out:
	tfs_strbuf_release(&sb);
	return rc;
}

#define INSTANCES "instances/"

static int add_step(struct tfs_plan *plan, enum tfs_plan_op op, const char *path, const char *text)
{
	struct tfs_plan_step *s;
	int rc;

	if (tfs_grow(&plan->steps, &plan->cap_steps, plan->n_steps + 1))
		return -ENOMEM;
	s = &plan->steps[plan->n_steps];
	*s = (struct tfs_plan_step){ .state = TFS_PLAN_PENDING, .claim = -1 };
	rc = action_set(&s->make, op, path, text);
	if (!rc && op == TFS_PLAN_MKDIR) {
		rc = action_set(&s->undo, TFS_PLAN_RMDIR, path, "");
		if (rc)
			action_release(&s->make);
	}
	if (!rc)
		plan->n_steps++;
	return rc;
}

int tfs_plan_mkdir(struct tfs_plan *plan, const char *path)
{
	return add_step(plan, TFS_PLAN_MKDIR, path, "");
}

int tfs_plan_claim(struct tfs_plan *plan, const char *path)
{
	return add_step(plan, TFS_PLAN_CLAIM, path, "");
}

int tfs_plan_write(struct tfs_plan *plan, const char *path, const char *text)
{
	return add_step(plan, TFS_PLAN_WRITE, path, text);
}

int tfs_plan_append(struct tfs_plan *plan, const char *path, const char *text)
{
	return add_step(plan, TFS_PLAN_APPEND, path, text);
}

static struct tfs_plan_step *last_step(struct tfs_plan *plan)
{
	return &plan->steps[plan->n_steps - 1];
}

int tfs_plan_link(struct tfs_plan *plan, const char *link, const char *target)
{
	int rc = add_step(plan, TFS_PLAN_LINK, link, target);

	return rc ? rc : action_set(&last_step(plan)->undo, TFS_PLAN_UNLINK, link, "");
}

int tfs_plan_unlink(struct tfs_plan *plan, const char *link, const char *target)
{
	int rc = add_step(plan, TFS_PLAN_UNLINK, link, "");

	return rc ? rc : action_set(&last_step(plan)->undo, TFS_PLAN_LINK, link, target);
}

int tfs_plan_undo_write(struct tfs_plan *plan, const char *path, const char *text)
{
	return action_set(&last_step(plan)->undo, TFS_PLAN_WRITE, path, text);
}

int tfs_plan_undo_append(struct tfs_plan *plan, const char *path, const char *text)
{
	return action_set(&last_step(plan)->undo, TFS_PLAN_APPEND, path, text);
}

int tfs_plan_undo_restore(struct tfs_plan *plan)
{
	last_step(plan)->restore = true;
	return 0;
}

static int replace_string(char **where, const char *s)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy)
		return -ENOMEM;
	free(*where);
	*where = copy;
	return 0;
}

int tfs_plan_optional(struct tfs_plan *plan, const char *what)
{
	last_step(plan)->refusal = TFS_PLAN_OPTIONAL;
	return replace_string(&last_step(plan)->what, what);
}

int tfs_plan_partial(struct tfs_plan *plan, const char *what)
{
	return replace_string(&last_step(plan)->partial, what);
}

int tfs_plan_group(struct tfs_plan *plan, unsigned int group, const char *what)
{
	last_step(plan)->refusal = TFS_PLAN_GROUPED;
	last_step(plan)->group = group;
	return replace_string(&last_step(plan)->what, what);
}

unsigned int tfs_plan_new_group(struct tfs_plan *plan)
{
	return ++plan->n_groups;
}

int tfs_plan_says(struct tfs_plan *plan, const char *message, const char *input)
{
	int rc = replace_string(&last_step(plan)->says, message);

	return rc ? rc : replace_string(&last_step(plan)->input, input);
}

static bool is_write(enum tfs_plan_op op)
{
	return op == TFS_PLAN_WRITE || op == TFS_PLAN_APPEND;
}

static enum tfs_write_mode mode_of(enum tfs_plan_op op)
{
	return op == TFS_PLAN_APPEND ? TFS_WRITE_APPEND : TFS_WRITE_TRUNC;
}

/* The prefix of the instance that @path is in: "instances/NAME/", or "" at the top level. */
static int prefix_of(const char *path, struct tfs_strbuf *out)
{
	static const char dir[] = "instances/";
	const char *end;

	if (strncmp(path, dir, strlen(dir)) != 0)
		return 0;
	end = strchr(path + strlen(dir), '/');
	return end ? tfs_strbuf_add(out, path, (size_t)(end - path) + 1) : 0;
}

/*
 * The kernel's caret stands in what was written; the user may have typed only a part of it, or
 * something of which it is a part.
 */
static void point_at_input(const struct tfs_plan_step *s, struct tfs_err *err)
{
	const char *written = s->make.text, *found;
	int caret = err->caret;
	size_t skip;

	if (!s->input)
		return;
	if (!err->input[0]) {
		tfs_err_input(err, s->input, -1);
		return;
	}
	skip = strspn(written, " \t");
	found = strstr(written + skip, s->input);
	if (!found || caret < 0)
		return;
	caret -= (int)(found - (written + skip));
	if (caret >= 0 && (size_t)caret <= strlen(s->input))
		tfs_err_input(err, s->input, caret);
}

/* The kernel's word on a definition is more than may be guessed from its errno. */
static void prefer_kernel(const char *path, struct tfs_err *err)
{
	static const char types[] =
		"there are u8 to u64, s8 to s64, x8 to x64, string, ustring, symbol, char, "
		"bWIDTH@OFFSET/SIZE, and arrays of them: x8[4]";
	const char *end = strstr(path, "_events");

	if (err && end && !end[strlen("_events")] && err->kernel[0] &&
	    strncmp(err->kernel, "dynevent:", strlen("dynevent:")) != 0)
		tfs_err_hint(err, "%s", strstr(err->kernel, "Unknown type") ? types : "");
}

static void explain(const struct tfs_plan *plan, const struct tfs_plan_step *s, struct tfs_err *err)
{
	struct tfs_strbuf prefix = TFS_STRBUF_INIT;

	if (s->says)
		tfs_err_prefix(err, "%s", s->says);
	if (is_write(s->make.op) && !prefix_of(s->make.path, &prefix))
		tfs_errlog_add(plan->root, prefix.s, s->make.text, err);
	prefer_kernel(s->make.path, err);
	point_at_input(s, err);
	tfs_strbuf_release(&prefix);
}

/* Turn "write back what it holds" into the action, now that it is to be changed. */
static int save_old(const struct tfs_plan *plan, struct tfs_plan_step *s, struct tfs_err *err)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_file_read(plan->root, s->make.path, &held, err);
	if (rc)
		goto out;
	rc = tfs_restore_text(s->make.path, held.s, &text);
	if (rc == -ENOTSUP) {
		tfs_err_say(err, rc,
			    "'%s' cannot be changed for a while: what it holds could not "
			    "be put back",
			    s->make.path);
		goto out;
	}
	if (!rc)
		rc = action_set(&s->undo, TFS_PLAN_WRITE, s->make.path, text.s);
	if (rc)
		tfs_err_set(err, rc, "cannot save '%s'", s->make.path);
out:
	tfs_strbuf_release(&held);
	tfs_strbuf_release(&text);
	return rc;
}

static struct tfs_err *new_notice(struct tfs_plan *plan)
{
	/* Without memory for it the notice is lost, not the recording. */
	if (tfs_grow_one(&plan->notices, plan->n_notices))
		return NULL;
	plan->notices[plan->n_notices] = TFS_ERR_INIT;
	return &plan->notices[plan->n_notices++];
}

static void add_notice(struct tfs_plan *plan, const struct tfs_err *why, const char *what)
{
	struct tfs_err *n = new_notice(plan);

	if (!n)
		return;
	*n = *why;
	if (what)
		tfs_err_prefix(n, "%s", what);
}

static void journal_undo(struct tfs_plan *plan, struct tfs_plan_step *s)
{
	struct tfs_err why = TFS_ERR_INIT;
	int rc = 0;

	s->journal = TFS_PLAN_NO_JOURNAL;
	if (!plan->journal || (s->undo.op != TFS_PLAN_RMDIR && s->undo.op != TFS_PLAN_UNLINK &&
			       !is_write(s->undo.op)))
		return;
	if (s->undo.op == TFS_PLAN_RMDIR)
		rc = tfs_journal_add_rmdir(plan->journal, s->undo.path);
	else if (s->undo.op == TFS_PLAN_UNLINK)
		rc = tfs_journal_add_unlink(plan->journal, s->undo.path);
	else
		rc = tfs_journal_add_write(plan->journal, s->undo.path, mode_of(s->undo.op),
					   s->undo.text);
	if (!rc) {
		s->journal = tfs_journal_count(plan->journal) - 1;
		return;
	}
	tfs_err_set(&why, rc, "cannot write the journal");
	add_notice(plan, &why, "if this program is killed, tracing stays as it set it up");
	plan->journal = NULL;
}

static void journal_strike(struct tfs_plan *plan, struct tfs_plan_step *s)
{
	if (plan->journal && s->journal != TFS_PLAN_NO_JOURNAL)
		tfs_journal_strike(plan->journal, s->journal);
	s->journal = TFS_PLAN_NO_JOURNAL;
}

static int undo_action(const struct tfs_plan *plan, const struct tfs_plan_action *a,
		       struct tfs_err *err)
{
	int rc = 0;

	switch (a->op) {
	case TFS_PLAN_RMDIR:
		rc = tfs_file_rmdir(plan->root, a->path, err);
		break;
	case TFS_PLAN_WRITE:
	case TFS_PLAN_APPEND:
		rc = tfs_file_write_lines(plan->root, a->path, mode_of(a->op), a->text, err);
		break;
	case TFS_PLAN_LINK:
		rc = tfs_link_make(a->path, a->text, err);
		break;
	case TFS_PLAN_UNLINK:
		rc = tfs_link_release(plan->root, a->path, err);
		break;
	default:
		break;
	}
	return rc == -ENOENT || rc > 0 ? 0 : rc;
}

/* Makes the directory of an instance, or claims one that is there. */
static int make_instance(const struct tfs_plan *plan, struct tfs_plan_step *s, struct tfs_err *err)
{
	const char *name = s->make.path + strlen(INSTANCES);
	struct tfs_instance inst;
	int rc = 0;

	if (!*s->make.path)
		tfs_instance_top(&inst);
	else if (strncmp(s->make.path, INSTANCES, strlen(INSTANCES)) != 0)
		return tfs_file_mkdir(plan->root, s->make.path, err);
	else
		rc = tfs_instance_named(&inst, name, err);
	if (rc)
		return rc;
	return s->make.op == TFS_PLAN_MKDIR ? tfs_claim_make(plan->root, &inst, &s->claim, err) :
					      tfs_claim_take(plan->root, &inst, &s->claim, err);
}

static int make(struct tfs_plan *plan, struct tfs_plan_step *s, struct tfs_err *err)
{
	const struct tfs_plan_action *a = &s->make;
	int rc = 0;

	if (s->restore)
		rc = save_old(plan, s, err);
	if (!rc) {
		journal_undo(plan, s);
		if (a->op == TFS_PLAN_MKDIR || a->op == TFS_PLAN_CLAIM)
			rc = make_instance(plan, s, err);
		else if (a->op == TFS_PLAN_LINK)
			rc = tfs_link_make(a->path, a->text, err);
		else if (a->op == TFS_PLAN_UNLINK)
			rc = tfs_link_release(plan->root, a->path, err);
		else
			rc = tfs_file_write(plan->root, a->path, mode_of(a->op), a->text,
					    strlen(a->text), err);
	}
	/* a link that was there already */
	if (rc > 0 && a->op == TFS_PLAN_LINK)
		rc = 0;
	if (rc) {
		explain(plan, s, err);
		/* opening with O_TRUNC emptied a list, though the write was refused */
		if (s->restore && s->undo.op != TFS_PLAN_NONE)
			undo_action(plan, &s->undo, NULL);
		return rc;
	}
	s->state = TFS_PLAN_APPLIED;
	return 0;
}

/* Did an enable file take effect for some events though the write was refused? */
static bool some_on(const struct tfs_plan *plan, const struct tfs_plan_step *s)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT;
	bool on;

	on = !tfs_file_read(plan->root, s->make.path, &held, NULL) &&
	     (held.s[0] == '1' || held.s[0] == 'X');
	tfs_strbuf_release(&held);
	return on;
}

/*
 * struct group_state - the group that is being applied
 * @worst: the refusal to show: where the kernel's parser came furthest, else the first
 */
struct group_state {
	unsigned int group, made, refused;
	struct tfs_err worst;
	const char *what;
};

/* The group ends: 0, or a refusal if nothing of it was accepted. */
static int close_group(struct tfs_plan *plan, struct group_state *g, struct tfs_err *err)
{
	unsigned int all = g->made + g->refused;
	int rc = 0;

	if (g->refused && !g->made) {
		rc = g->worst.code;
		if (err)
			*err = g->worst;
	} else if (g->refused) {
		tfs_err_prefix(&g->worst, "%s (%u of %u)", g->what, g->refused, all);
		add_notice(plan, &g->worst, NULL);
	}
	*g = (struct group_state){ .worst = TFS_ERR_INIT };
	return rc;
}

/* A step was refused: 0 if the plan may go on. */
static int accept_refusal(struct tfs_plan *plan, struct tfs_plan_step *s, struct group_state *g,
			  const struct tfs_err *why)
{
	if (s->partial && some_on(plan, s)) {
		add_notice(plan, why, s->partial);
		s->state = TFS_PLAN_APPLIED;
		g->made++;
		return 0;
	}
	journal_strike(plan, s);
	if (s->refusal == TFS_PLAN_FATAL)
		return why->code;
	s->state = TFS_PLAN_REFUSED;
	if (s->refusal == TFS_PLAN_OPTIONAL) {
		add_notice(plan, why, s->what);
	} else if (!g->refused++ || why->caret > g->worst.caret) {
		g->worst = *why;
		g->what = s->what;
	}
	return 0;
}

static int apply_steps(struct tfs_plan *plan, struct tfs_err *err)
{
	struct group_state g = { .worst = TFS_ERR_INIT };
	struct tfs_err why = TFS_ERR_INIT;
	struct tfs_plan_step *s;
	size_t i;
	int rc;

	for (i = 0; i < plan->n_steps; i++) {
		s = &plan->steps[i];
		if (s->state != TFS_PLAN_PENDING)
			continue;
		if (s->group != g.group) {
			rc = close_group(plan, &g, err);
			if (rc)
				return rc;
		}
		g.group = s->group;
		tfs_err_clear(&why);
		rc = make(plan, s, &why);
		if (!rc) {
			g.made++;
		} else if (accept_refusal(plan, s, &g, &why)) {
			if (err)
				*err = why;
			return rc;
		}
	}
	return close_group(plan, &g, err);
}

/*
 * struct leftover - what could not be taken back
 * @first: the action whose failure @why is
 * @by_hand: some of it is more than busy, or is not in the journal: no other program does it
 * @commands: that do it
 */
struct leftover {
	const struct tfs_plan_action *first;
	struct tfs_err why;
	bool by_hand;
	struct tfs_strbuf commands;
};

static int undo_step(struct tfs_plan *plan, struct tfs_plan_step *s, struct tfs_busy *busy,
		     struct leftover *left)
{
	struct tfs_err why;
	int rc;

	do {
		why = TFS_ERR_INIT;
		rc = undo_action(plan, &s->undo, &why);
	} while (tfs_busy_again(busy, rc));
	if (!rc) {
		tfs_close(&s->claim);
		s->state = TFS_PLAN_UNDONE;
		journal_strike(plan, s);
		return 0;
	}
	tfs_plan_print_action(plan, &s->undo, &left->commands);
	if (rc != -EBUSY || !plan->journal || s->journal == TFS_PLAN_NO_JOURNAL)
		left->by_hand = true;
	if (!left->first) {
		left->first = &s->undo;
		left->why = why;
	}
	return rc;
}

/* Take back the applied steps from @first on, in reverse. Return: 0 or the first failure */
static int take_back(struct tfs_plan *plan, size_t first, struct leftover *left)
{
	struct tfs_busy busy = { .left_ms = TFS_BUSY_WAIT_MS };
	size_t i;
	int rc = 0, one;

	for (i = plan->n_steps; i-- > first;) {
		if (plan->steps[i].state != TFS_PLAN_APPLIED)
			continue;
		one = undo_step(plan, &plan->steps[i], &busy, left);
		rc = rc ? rc : one;
	}
	return rc;
}

/* Steps of a failed apply are pending again, for another try. */
static void forget(struct tfs_plan *plan, size_t first)
{
	size_t i;

	for (i = first; i < plan->n_steps; i++) {
		if (plan->steps[i].state != TFS_PLAN_APPLIED)
			plan->steps[i].state = TFS_PLAN_PENDING;
	}
}

int tfs_plan_apply(struct tfs_plan *plan, struct tfs_err *err)
{
	struct leftover left = { .commands = TFS_STRBUF_INIT };
	size_t first;
	int rc;

	plan->n_notices = 0;
	for (first = 0; first < plan->n_steps; first++) {
		if (plan->steps[first].state == TFS_PLAN_PENDING)
			break;
	}
	rc = apply_steps(plan, err);
	if (rc) {
		if (take_back(plan, first, &left))
			tfs_err_hint(err,
				     "not everything could be taken back; type this to do so:\n%s",
				     left.commands.s);
		forget(plan, first);
	}
	tfs_strbuf_release(&left.commands);
	return rc;
}

/* Who holds it is why; else what the failure's hint says. */
static void say_left(struct tfs_plan *plan, const struct leftover *left, const char *who)
{
	struct tfs_err *n = new_notice(plan);

	if (!n)
		return;
	*n = left->why;
	tfs_err_say(n, -EBUSY, "%s: %s%s; the next program of tracecraft takes it back",
		    left->why.msg, who[0] ? "a file of it is open in " : "",
		    who[0] ? who : left->why.hint);
}

static void say_failed(const struct leftover *left, const char *who, struct tfs_err *err)
{
	char why[512] = "";

	if (!err)
		return;
	*err = left->why;
	if (who[0])
		snprintf(why, sizeof(why), "a file of it is open in %s", who);
	else
		memcpy(why, err->hint, strnlen(err->hint, sizeof(why) - 1));
	tfs_err_prefix(err, "cannot take back all changes");
	tfs_err_hint(err, "%s%stype this to do so:\n%s", why, why[0] ? "; " : "", left->commands.s);
}

int tfs_plan_rollback(struct tfs_plan *plan, struct tfs_err *err)
{
	struct leftover left = { .commands = TFS_STRBUF_INIT };
	struct tfs_strbuf who = TFS_STRBUF_INIT;
	int rc;

	plan->n_notices = 0;
	rc = take_back(plan, 0, &left);
	if (rc == -EBUSY && tfs_busy_holders(plan->root, left.first->path, &who))
		tfs_strbuf_reset(&who);
	tfs_strbuf_rtrim(&left.commands);
	if (rc && left.by_hand) {
		say_failed(&left, who.s, err);
	} else if (rc) {
		say_left(plan, &left, who.s);
		rc = 0;
	}
	tfs_strbuf_release(&left.commands);
	tfs_strbuf_release(&who);
	return rc;
}

size_t tfs_plan_notices(const struct tfs_plan *plan)
{
	return plan->n_notices;
}

const struct tfs_err *tfs_plan_notice(const struct tfs_plan *plan, size_t n)
{
	return n < plan->n_notices ? &plan->notices[n] : NULL;
}

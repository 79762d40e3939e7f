/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/profile-window.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashmap.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "decode/task.h"

/* Run time that samples share: @n of them, of which @given have their part */
struct pool {
	uint64_t ns;
	uint32_t n, given;
};

/*
 * A task in a window
 * @own: its run time and samples
 * @due: samples whose stacks have not come
 * @name: index of the pool of its name, plus 1; 0: none
 */
struct window_task {
	struct tfs_profile_task who;
	struct pool own;
	size_t name;
	uint32_t due;
	bool selected;
};

struct window_sample {
	struct window_task *task;
	uint64_t token;
};

/*
 * struct tfs_profile_window
 * @index: of the window in time
 * @tasks: struct window_task, by recording and pid
 * @v: the @n samples that have come; @pending: those to come
 */
struct tfs_profile_window {
	struct tfs_profile_window *next;
	uint64_t index;
	struct tfs_hashmap tasks;
	struct window_sample *v;
	size_t n, alloc, pending;
};

uint64_t tfs_profile_share_ns(uint64_t ns, uint32_t i, uint32_t n)
{
	const uint64_t each = ns / n, rest = ns % n;

	/* the rest, which is less than n, in equal steps */
	return each + rest * (i + UINT64_C(1)) / n - rest * i / n;
}

static uint64_t take(struct pool *pool)
{
	return pool->given < pool->n ? tfs_profile_share_ns(pool->ns, pool->given++, pool->n) : 0;
}

static void add_time(struct pool *pool, uint64_t ns)
{
	pool->ns = ns > UINT64_MAX - pool->ns ? UINT64_MAX : pool->ns + ns;
}

static void add_samples(struct pool *pool, uint32_t n)
{
	pool->n = n > UINT32_MAX - pool->n ? UINT32_MAX : pool->n + n;
}

static void free_window(struct tfs_profile_window *win)
{
	struct window_task *t;
	size_t i;

	tfs_hashmap_for_each(&win->tasks, i, t) free(t);
	tfs_hashmap_release(&win->tasks);
	free(win->v);
	free(win);
}

void tfs_profile_windows_release(struct tfs_profile_windows *w)
{
	while (w->first) {
		struct tfs_profile_window *win = w->first;

		w->first = win->next;
		free_window(win);
	}
}

static struct tfs_profile_window *find(const struct tfs_profile_windows *w, uint64_t index)
{
	struct tfs_profile_window *win = w->first;

	while (win && win->index != index)
		win = win->next;
	return win;
}

/* The window, made if there is none */
static struct tfs_profile_window *window_of(struct tfs_profile_windows *w, uint64_t index)
{
	struct tfs_profile_window *win = find(w, index);

	if (win)
		return win;
	win = calloc(1, sizeof(*win));
	if (!win)
		return NULL;
	win->index = index;
	win->next = w->first;
	w->first = win;
	return win;
}

static struct window_task *task_of(struct tfs_profile_window *win,
				   const struct tfs_profile_task *who)
{
	const uint64_t key = (uint64_t)who->input << 32 | (uint32_t)who->pid;
	struct window_task *t = tfs_hashmap_int(&win->tasks, key);

	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return NULL;
		t->who = *who;
		if (tfs_hashmap_add(&win->tasks, tfs_hash_int(key), t)) {
			free(t);
			return NULL;
		}
	}
	if (!t->who.task)
		t->who.task = who->task;
	if (who->comm[0])
		memcpy(t->who.comm, who->comm, sizeof(t->who.comm));
	return t;
}

int tfs_profile_window_sample(struct tfs_profile_windows *w, const struct tfs_profile_task *who,
			      uint64_t ts, bool wanted)
{
	struct tfs_profile_window *win = window_of(w, ts / TFS_PROFILE_WINDOW);
	struct window_task *t = win ? task_of(win, who) : NULL;

	if (!t)
		return -ENOMEM;
	add_samples(&t->own, 1);
	t->due += wanted;
	win->pending += wanted;
	return 0;
}

int tfs_profile_window_token(struct tfs_profile_windows *w, const struct tfs_profile_task *who,
			     uint64_t ts, uint64_t token)
{
	struct tfs_profile_window *win = find(w, ts / TFS_PROFILE_WINDOW);
	struct window_task *t;

	/* One that was not announced is not a sample. */
	if (!win || !win->pending)
		return 0;
	t = task_of(win, who);
	if (!t || tfs_grow(&win->v, &win->alloc, win->n + 1))
		return -ENOMEM;
	win->v[win->n++] = (struct window_sample){ t, token };
	win->pending--;
	t->due -= t->due != 0;
	return 0;
}

static int add_ns(struct tfs_profile_window *win, const struct tfs_profile_task *who, uint64_t ns,
		  bool selected)
{
	struct window_task *t = task_of(win, who);

	if (!t)
		return -ENOMEM;
	add_time(&t->own, ns);
	t->selected |= selected;
	return 0;
}

int tfs_profile_window_runtime(struct tfs_profile_windows *w, const struct tfs_profile_task *who,
			       uint64_t ts, uint64_t ns, bool selected)
{
	const uint64_t index = ts / TFS_PROFILE_WINDOW, inside = ts % TFS_PROFILE_WINDOW;
	struct tfs_profile_window *before = index ? find(w, index - 1) : NULL, *win;
	int rc = 0;

	/* Run time before this window began belongs to the one before. */
	if (before && ns > inside) {
		rc = add_ns(before, who, ns - inside, selected);
		ns = inside;
	}
	win = rc || !ns ? NULL : window_of(w, index);
	if (rc || !ns)
		return rc;
	return win ? add_ns(win, who, ns, selected) : -ENOMEM;
}

/* --- tasks with the same name */

/* Pools by recording and name */
struct names {
	struct tfs_strmap index;
	struct tfs_strbuf key;
	struct pool *pools;
	size_t n, alloc;
};

/* The pool of the task's name, plus 1; made if the task has samples, else 0 if there is none */
static int find_name(struct names *names, const struct window_task *t, size_t *out)
{
	const char *name = t->who.task ? t->who.task->comm : t->who.comm;
	size_t *at;

	*out = 0;
	tfs_strbuf_reset(&names->key);
	if (tfs_strbuf_addf(&names->key, "%" PRIu32 " %s", t->who.input, name))
		return -ENOMEM;
	if (!t->own.n) {
		tfs_strmap_get(&names->index, names->key.s, out);
		return 0;
	}
	at = tfs_strmap_at(&names->index, names->key.s);
	if (!at || tfs_grow(&names->pools, &names->alloc, names->n + 1))
		return -ENOMEM;
	if (!*at) {
		names->pools[names->n++] = (struct pool){ 0 };
		*at = names->n;
	}
	*out = *at;
	return 0;
}

/* Tasks that have samples take over the run time of those with the same name that have none. */
static int pool_names(struct tfs_profile_window *win, struct names *names)
{
	struct window_task *t;
	size_t i;
	int rc = 0;

	tfs_hashmap_for_each(&win->tasks, i, t)
	{
		if (rc || !t->own.n)
			continue;
		rc = find_name(names, t, &t->name);
		if (!rc)
			add_samples(&names->pools[t->name - 1], t->own.n);
	}
	tfs_hashmap_for_each(&win->tasks, i, t)
	{
		if (rc || t->own.n || !t->selected)
			continue;
		rc = find_name(names, t, &t->name);
		if (!rc && t->name)
			add_time(&names->pools[t->name - 1], t->own.ns);
	}
	return rc;
}

/* The shares of samples, then the tasks that have none */
static int give_shares(struct tfs_profile_window *win, struct names *names,
		       tfs_profile_share_func *give, void *ctx)
{
	struct window_task *t;
	size_t i;
	int rc = 0;

	for (i = 0; i < win->n && !rc; i++) {
		struct tfs_profile_share share = { .token = win->v[i].token, .sampled = true };

		t = win->v[i].task;
		share.who = t->who;
		share.bare = !t->own.ns;
		share.selected = true;
		share.spread = t->name && names->pools ? take(&names->pools[t->name - 1]) : 0;
		share.ns = take(&t->own) + share.spread;
		rc = give(ctx, &share);
	}
	tfs_hashmap_for_each(&win->tasks, i, t)
	{
		const struct tfs_profile_share share = {
			.who = t->who,
			.ns = t->own.ns,
			.selected = t->selected,
		};

		if (!rc && t->own.ns && !t->own.n && !t->name)
			rc = give(ctx, &share);
	}
	return rc;
}

static int give_window(const struct tfs_profile_windows *w, struct tfs_profile_window *win,
		       tfs_profile_share_func *give, void *ctx)
{
	struct names names = { .key = TFS_STRBUF_INIT };
	struct window_task *t;
	size_t i;
	int rc;

	/* Others share what is of samples that never came. */
	tfs_hashmap_for_each(&win->tasks, i, t) t->own.n -= t->due < t->own.n ? t->due : t->own.n;
	rc = w->flags & TFS_PROFILE_BY_NAME ? pool_names(win, &names) : 0;
	if (!rc)
		rc = give_shares(win, &names, give, ctx);
	tfs_strmap_release(&names.index);
	tfs_strbuf_release(&names.key);
	free(names.pools);
	return rc;
}

/* Gives and frees the windows up to @last whose samples have all come; @last UINT64_MAX: all. */
static int give_windows(struct tfs_profile_windows *w, uint64_t last, tfs_profile_share_func *give,
			void *ctx)
{
	struct tfs_profile_window **at = &w->first;
	int rc = 0;

	while (*at && !rc) {
		struct tfs_profile_window *win = *at;

		if (last != UINT64_MAX && (win->index > last || win->pending)) {
			at = &win->next;
			continue;
		}
		rc = give_window(w, win, give, ctx);
		*at = win->next;
		free_window(win);
	}
	return rc;
}

int tfs_profile_windows_advance(struct tfs_profile_windows *w, uint64_t ts,
				tfs_profile_share_func *give, void *ctx)
{
	const uint64_t index = ts / TFS_PROFILE_WINDOW;

	if (w->first && w->first->index == index)
		return 0;
	if (index > w->newest)
		w->newest = index;
	return w->newest < 2 ? 0 : give_windows(w, w->newest - 2, give, ctx);
}

int tfs_profile_windows_end(struct tfs_profile_windows *w, tfs_profile_share_func *give, void *ctx)
{
	return give_windows(w, UINT64_MAX, give, ctx);
}

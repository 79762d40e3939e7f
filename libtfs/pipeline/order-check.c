/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/order-check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/strvec.h"
#include "clock/clock-map.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"

/* Messages that are under way: more are not looked at. */
#define OPEN_MAX 1000000

/* "SEND,RECEIVE,SENT=RECEIVED" */
struct messages {
	char *text; /* of which the others are parts */
	const char *event[2], *key[2];
};

enum role { SEND, RECEIVE };

/* The messages that events of one type are an end of: bits 1 << (2 * number + role) */
struct type {
	uint64_t roles;
};

struct input {
	struct tfs_order_input is;
	struct type *types;
	size_t n_types;
};

/* The event of a host that was shown last */
struct last {
	uint64_t ts, bound;
	bool any;
};

/* A message that was sent and not yet received, or the reverse */
struct open {
	uint64_t key;
	uint32_t number;
	int64_t sent; /* sends minus receives */
};

struct tfs_order_check {
	struct input *inputs;
	struct last *last; /* by host */
	size_t n;
	struct messages *messages;
	size_t n_messages;
	struct tfs_hashmap open;
	struct tfs_order_counts counts;
};

static int wrong_messages(const char *text, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s' is not SEND,RECEIVE,KEY", text);
	tfs_err_hint(err, "two events and the field that has one value in both: "
			  "net_dev_queue,netif_receive_skb,skbaddr");
	return -EINVAL;
}

static int parse(struct messages *m, const char *text, struct tfs_err *err)
{
	char *part[3] = { NULL }, *equal;

	m->text = strdup(text);
	if (!m->text) {
		tfs_err_set(err, -ENOMEM, "cannot prepare the report");
		return -ENOMEM;
	}
	part[0] = m->text;
	for (int i = 1; i < 3; i++) {
		part[i] = strchr(part[i - 1], ',');
		if (!part[i])
			return wrong_messages(text, err);
		*part[i]++ = '\0';
	}
	if (strchr(part[2], ','))
		return wrong_messages(text, err);
	equal = strchr(part[2], '=');
	if (equal)
		*equal++ = '\0';
	m->event[SEND] = part[0];
	m->event[RECEIVE] = part[1];
	m->key[SEND] = part[2];
	m->key[RECEIVE] = equal ? equal : part[2];
	if (!*part[0] || !*part[1] || !*m->key[SEND] || !*m->key[RECEIVE])
		return wrong_messages(text, err);
	return 0;
}

static bool is_named(const struct tfs_event_type *type, const char *name)
{
	const char *colon = strchr(name, ':');

	if (colon && (strlen(type->system) != (size_t)(colon - name) ||
		      strncmp(type->system, name, (size_t)(colon - name)) != 0))
		return false;
	name = colon ? colon + 1 : name;
	return strlen(name) == type->name_len && !memcmp(type->name, name, type->name_len);
}

/* Marks the types of one recording that are one end of a message. *@event, *@field: were found */
static void mark(struct input *in, const char *event_name, const char *key, uint64_t role,
		 bool *event, bool *field)
{
	struct tfs_event_type *type;

	for (int id = 0; id < TFS_EVENT_IDS; id++) {
		type = tfs_trace_type(in->is.trace, id);
		if (!type || !is_named(type, event_name))
			continue;
		*event = true;
		type = tfs_trace_event(in->is.trace, id);
		if (!type || !type->fields || !tfs_fields_find(type->fields, key, strlen(key)))
			continue;
		*field = true;
		if (type->index < in->n_types)
			in->types[type->index].roles |= role;
	}
}

static int find(struct tfs_order_check *check, size_t number, struct tfs_err *err)
{
	const struct messages *m = &check->messages[number];

	for (int role = SEND; role <= RECEIVE; role++) {
		bool event = false, field = false;

		for (size_t i = 0; i < check->n; i++)
			mark(&check->inputs[i], m->event[role], m->key[role],
			     UINT64_C(1) << (2 * number + (size_t)role), &event, &field);
		if (!event)
			tfs_err_say(err, -ENOENT, "no recording has the event '%s'",
				    m->event[role]);
		else if (!field)
			tfs_err_say(err, -ENOENT, "event '%s' has no field '%s'", m->event[role],
				    m->key[role]);
		if (!field)
			return -ENOENT;
	}
	return 0;
}

static int set_messages(struct tfs_order_check *check, const struct tfs_strvec *messages,
			struct tfs_err *err)
{
	int rc = 0;

	if (!messages || !messages->n)
		return 0;
	if (messages->n > 32)
		return tfs_err_say(err, -EINVAL, "more than 32 kinds of messages");
	check->messages = calloc(messages->n, sizeof(*check->messages));
	if (!check->messages)
		return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	for (size_t i = 0; i < messages->n && !rc; i++) {
		check->n_messages++;
		rc = parse(&check->messages[i], messages->v[i], err);
		if (!rc)
			rc = find(check, i, err);
	}
	return rc;
}

int tfs_order_check_new(const struct tfs_order_input *inputs, size_t n,
			const struct tfs_strvec *messages, struct tfs_order_check **out,
			struct tfs_err *err)
{
	struct tfs_order_check *check = calloc(1, sizeof(*check));
	int rc = check ? 0 : -ENOMEM;

	if (check) {
		check->inputs = calloc(n, sizeof(*check->inputs));
		check->last = calloc(n, sizeof(*check->last));
		check->n = n;
		rc = check->inputs && check->last ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct input *in = &check->inputs[i];

		in->is = inputs[i];
		in->n_types = tfs_trace_index(inputs[i].trace)->n;
		in->types = calloc(in->n_types + 1, sizeof(*in->types));
		rc = in->types ? 0 : -ENOMEM;
	}
	if (rc)
		tfs_err_set(err, rc, "cannot prepare the report");
	else
		rc = set_messages(check, messages, err);
	if (rc) {
		tfs_order_check_free(check);
		return rc;
	}
	*out = check;
	return 0;
}

void tfs_order_check_free(struct tfs_order_check *check)
{
	struct open *open;
	size_t i;

	if (!check)
		return;
	for (i = 0; check->inputs && i < check->n; i++)
		free(check->inputs[i].types);
	for (i = 0; i < check->n_messages; i++)
		free(check->messages[i].text);
	tfs_hashmap_for_each(&check->open, i, open) free(open);
	tfs_hashmap_release(&check->open);
	free(check->messages);
	free(check->inputs);
	free(check->last);
	free(check);
}

/* Is an event of another host so near that it may have been the later one? */
static void look_back(struct tfs_order_check *check, uint32_t host, uint64_t ts, uint64_t bound)
{
	bool uncertain = false, unknown = false;

	for (uint32_t i = 0; i < check->n; i++) {
		const struct last *last = &check->last[i];
		/* Not in order where a clock was set back */
		uint64_t since = ts > last->ts ? ts - last->ts : 0;

		if (i == host || !last->any)
			continue;
		if (bound == UINT64_MAX || last->bound == UINT64_MAX)
			unknown = true;
		else if (since < bound || since - bound < last->bound)
			uncertain = true;
	}
	check->counts.uncertain += uncertain;
	check->counts.unknown += unknown && !uncertain;
}

static int open_message(struct tfs_order_check *check, uint64_t hash, const struct open *like)
{
	struct open *open;

	if (check->open.n >= OPEN_MAX) {
		check->counts.unchecked++;
		return 0;
	}
	open = malloc(sizeof(*open));
	if (!open)
		return -ENOMEM;
	*open = *like;
	if (tfs_hashmap_add(&check->open, hash, open)) {
		free(open);
		return -ENOMEM;
	}
	return 0;
}

static bool is_same(const void *entry, const void *key)
{
	const struct open *a = entry, *b = key;

	return a->key == b->key && a->number == b->number;
}

/* One end of a message. It is under way until the other one was shown. */
static int take_end(struct tfs_order_check *check, uint32_t number, enum role role, uint64_t key)
{
	const struct open like = { key, number, role == SEND ? 1 : -1 };
	uint64_t hash = tfs_hash_int(key) + number;
	struct open *open = tfs_hashmap_find(&check->open, hash, is_same, &like);

	check->counts.sends += role == SEND;
	check->counts.receives += role == RECEIVE;
	if (!open)
		return open_message(check, hash, &like);
	check->counts.early += role == SEND && open->sent < 0;
	open->sent += like.sent;
	if (!open->sent) {
		tfs_hashmap_remove(&check->open, hash, open);
		free(open);
	}
	return 0;
}

static bool key_of(const struct tfs_event *event, const char *name, uint64_t *key)
{
	const struct tfs_fields *fields = event->type->fields;
	const struct tfs_field *f = tfs_fields_find(fields, name, strlen(name));
	struct tfs_value value = { .number = 0 };

	if (!f || !tfs_fields_get(fields, f, event->rec.data, event->rec.size, &value))
		return false;
	*key = f->array || f->kind > TFS_VALUE_ADDRESS ?
		       tfs_hash64(TFS_HASH64_INIT, value.data, value.size) :
		       value.number;
	return true;
}

static int take_messages(struct tfs_order_check *check, const struct tfs_event *event,
			 uint64_t roles)
{
	uint64_t key;
	int rc = 0;

	for (uint32_t i = 0; i < check->n_messages && !rc; i++)
		for (int role = SEND; role <= RECEIVE && !rc; role++)
			if (roles & UINT64_C(1) << (2 * i + (uint32_t)role) &&
			    key_of(event, check->messages[i].key[role], &key))
				rc = take_end(check, i, (enum role)role, key);
	return rc;
}

int tfs_order_check_event(struct tfs_order_check *check, const struct tfs_event *event)
{
	const struct input *in = &check->inputs[event->input];
	struct last *last = &check->last[in->is.host];
	uint64_t bound = UINT64_MAX;

	check->counts.events++;
	if (in->is.map)
		bound = tfs_clock_map_bound(in->is.map, event->rec.ts - in->is.offset);
	look_back(check, in->is.host, event->rec.ts, bound);
	*last = (struct last){ event->rec.ts, bound, true };
	if (!check->n_messages || !event->type || event->type->index >= in->n_types ||
	    !in->types[event->type->index].roles || !event->type->fields)
		return 0;
	return take_messages(check, event, in->types[event->type->index].roles);
}

void tfs_order_check_counts(const struct tfs_order_check *check, struct tfs_order_counts *out)
{
	const struct open *open;
	size_t i;

	*out = check->counts;
	tfs_hashmap_for_each(&check->open, i, open) if (open->sent < 0)
		out->alone += (uint64_t)-open->sent;
}

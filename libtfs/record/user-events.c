/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/user-events.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hashmap.h"
#include "base/io.h"
#include "base/macros.h"
#include "format/event-format.h"
#include "record/percpu.h"
#include "tracedat/page.h"

#define BLOCK 1024
/* A program's address on every architecture that has uprobes; the kernel's are above. */
#define USER_MAX ((uint64_t)1 << 63)
#define PID_OFFSET 4

/*
 * Where an event has addresses: @n words of @word bytes from @offset, up to a zero; and the number
 * of the process, or of the thread where @is_thread.
 */
struct rule {
	uint16_t id;
	bool is_thread;
	unsigned int pid_offset, offset, word, n;
};

struct tfs_user_events {
	unsigned char ids[65536 / 8];
	struct rule *rules;
	size_t n_rules;
	int fd;
	pthread_mutex_t lock; /* of what follows */
	struct tfs_hashmap index;
	struct tfs_user_hit **blocks;
	size_t n_blocks, n;
};

struct tfs_user_events *tfs_user_events_new(void)
{
	struct tfs_user_events *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	pthread_mutex_init(&u->lock, NULL);
	u->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return u;
}

void tfs_user_events_free(struct tfs_user_events *u)
{
	if (!u)
		return;
	tfs_close(&u->fd);
	for (size_t i = 0; i < u->n_blocks; i++)
		free(u->blocks[i]);
	free(u->blocks);
	free(u->rules);
	tfs_hashmap_release(&u->index);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

static int add_rule(struct tfs_user_events *u, const struct rule *rule)
{
	if (tfs_grow_one(&u->rules, u->n_rules))
		return -ENOMEM;
	u->rules[u->n_rules++] = *rule;
	u->ids[rule->id / 8] |= (unsigned char)(1 << rule->id % 8);
	return 0;
}

static bool find(const char *format, size_t size, const char *name, struct tfs_format_field *out)
{
	return tfs_format_find(format, size, name, strlen(name), out);
}

int tfs_user_events_add(struct tfs_user_events *u, const char *format, size_t size)
{
	static const char *const places[] = { "__probe_ip", "__probe_func", "__probe_ret_ip" };
	struct tfs_event_format head;
	struct tfs_format_field tgid, f;
	int rc = 0;

	if (tfs_event_format_parse(format, size, &head) || head.id < 0 || head.id > UINT16_MAX)
		return 0;
	if (find(format, size, "tgid", &tgid) && find(format, size, "caller", &f) &&
	    tgid.size == 4 && f.size % sizeof(long) == 0)
		return add_rule(u, &(struct rule){
					   .id = (uint16_t)head.id,
					   .pid_offset = tgid.offset,
					   .offset = f.offset,
					   .word = sizeof(long),
					   .n = f.size / (unsigned int)sizeof(long),
				   });
	for (size_t i = 0; i < ARRAY_SIZE(places) && !rc; i++)
		if (find(format, size, places[i], &f) && (f.size == 8 || f.size == 4))
			rc = add_rule(u, &(struct rule){
						 .id = (uint16_t)head.id,
						 .is_thread = true,
						 .pid_offset = PID_OFFSET,
						 .offset = f.offset,
						 .word = f.size,
						 .n = 1,
					 });
	return rc;
}

bool tfs_user_events_wanted(const struct tfs_user_events *u)
{
	return u && u->n_rules;
}

int tfs_user_events_fd(const struct tfs_user_events *u)
{
	return u->fd;
}

static bool is_hit(const void *entry, const void *key)
{
	const struct tfs_user_hit *a = entry, *b = key;

	return a->addr == b->addr && a->pid == b->pid && a->is_thread == b->is_thread;
}

/* Without memory the address has no name. Return: it is new */
static bool keep(struct tfs_user_events *u, const struct tfs_user_hit *hit)
{
	uint64_t hash = tfs_hash_int(hit->addr ^ tfs_hash_int(hit->pid * 2ULL + hit->is_thread));
	struct tfs_user_hit *new;

	if (tfs_hashmap_find(&u->index, hash, is_hit, hit) || u->n == TFS_USER_HITS_MAX)
		return false;
	if (u->n == u->n_blocks * BLOCK) {
		if (tfs_grow_one(&u->blocks, u->n_blocks))
			return false;
		u->blocks[u->n_blocks] = calloc(BLOCK, sizeof(**u->blocks));
		if (!u->blocks[u->n_blocks])
			return false;
		u->n_blocks++;
	}
	new = &u->blocks[u->n / BLOCK][u->n % BLOCK];
	*new = *hit;
	if (tfs_hashmap_add(&u->index, hash, new))
		return false;
	u->n++;
	return true;
}

static uint64_t word_at(const struct tfs_record *rec, unsigned int offset, unsigned int size)
{
	const char *p = (const char *)rec->data + offset;
	uint32_t half;
	uint64_t v;

	if (size == sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		return v;
	}
	memcpy(&half, p, sizeof(half));
	return half;
}

static bool scan_record(struct tfs_user_events *u, const struct rule *rule,
			const struct tfs_record *rec)
{
	struct tfs_user_hit hit = { .is_thread = rule->is_thread };
	bool any = false;

	if (rule->pid_offset + 4 > rec->size)
		return false;
	hit.pid = (uint32_t)word_at(rec, rule->pid_offset, 4);
	for (unsigned int i = 0; i < rule->n; i++) {
		unsigned int at = rule->offset + i * rule->word;

		if (at + rule->word > rec->size)
			break;
		hit.addr = word_at(rec, at, rule->word);
		if (!hit.addr)
			break;
		/* The call is before the address that it returns to. */
		hit.addr -= i > 0;
		if (hit.addr < USER_MAX)
			any = keep(u, &hit) || any;
	}
	return any;
}

static bool scan_any(struct tfs_user_events *u, const struct tfs_record *rec)
{
	bool any = false;
	uint16_t id;

	if (rec->size < sizeof(id))
		return false;
	memcpy(&id, rec->data, sizeof(id));
	if (!(u->ids[id / 8] & 1 << id % 8))
		return false;
	for (size_t i = 0; i < u->n_rules; i++)
		if (u->rules[i].id == id)
			any = scan_record(u, &u->rules[i], rec) || any;
	return any;
}

void tfs_user_events_page(struct tfs_user_events *u, const struct tfs_subbuf *sub, const void *page)
{
	const uint64_t one = 1;
	struct tfs_record rec;
	struct tfs_page pg;
	bool any = false;

	if (tfs_page_init(&pg, page, sub->size, sub->commit_size, sub->data_offset,
			  __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return;
	pthread_mutex_lock(&u->lock);
	while (tfs_page_next(&pg, &rec) == 1)
		any = scan_any(u, &rec) || any;
	pthread_mutex_unlock(&u->lock);
	/* Fails only when the counter is full, and then whoever waits is awake already. */
	if (any && write(u->fd, &one, sizeof(one)) < 0)
		return;
}

size_t tfs_user_events_count(struct tfs_user_events *u)
{
	size_t n;

	pthread_mutex_lock(&u->lock);
	n = u->n;
	pthread_mutex_unlock(&u->lock);
	return n;
}

bool tfs_user_events_hit(struct tfs_user_events *u, size_t i, struct tfs_user_hit *out)
{
	bool found;

	pthread_mutex_lock(&u->lock);
	found = i < u->n;
	if (found)
		*out = u->blocks[i / BLOCK][i % BLOCK];
	pthread_mutex_unlock(&u->lock);
	return found;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "lib/alloc_fail.h"

#define MANY 5000

struct element {
	uint64_t key;
	char more[5];
};

struct fixture {
	struct tfs_idmap map;
	struct tfs_pool pool;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->pool = TFS_POOL_INIT(struct element);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_idmap_release(&f->map);
	tfs_pool_release(&f->pool);
	free(f);
	return 0;
}

static bool has_key(const void *owner, uint32_t id, const void *key)
{
	const struct element *e = tfs_pool_at(owner, id);

	return e->key == *(const uint64_t *)key;
}

/* Eight hashes for all keys: nearly every slot is taken by an element of another key. */
static uint64_t bad_hash(uint64_t key)
{
	return key % 8;
}

static uint64_t hash_element(const void *owner, uint32_t id)
{
	return tfs_hash_int(((const struct element *)tfs_pool_at(owner, id))->key);
}

static uint64_t hash_badly(const void *owner, uint32_t id)
{
	return bad_hash(((const struct element *)tfs_pool_at(owner, id))->key);
}

static uint32_t find(const struct fixture *f, uint64_t (*hash)(uint64_t), uint64_t key)
{
	return tfs_idmap_find(&f->map, hash(key), has_key, &f->pool, &key);
}

static void add(struct fixture *f, uint64_t (*hash)(uint64_t), uint64_t key)
{
	struct element *e = tfs_pool_add(&f->pool);

	assert_non_null(e);
	assert_int_equal(e->key, 0);
	e->key = key;
	assert_int_equal(tfs_idmap_add(&f->map, (uint32_t)(f->pool.n - 1),
				       hash == bad_hash ? hash_badly : hash_element, &f->pool),
			 0);
}

static void elements_are_found_by_key(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, tfs_hash_int, 1), TFS_IDMAP_NONE);
	for (uint64_t i = 0; i < MANY; i++)
		add(f, tfs_hash_int, i << 32 | i);
	for (uint64_t i = 0; i < MANY; i++)
		assert_int_equal(find(f, tfs_hash_int, i << 32 | i), i);
	assert_int_equal(find(f, tfs_hash_int, MANY), TFS_IDMAP_NONE);
	assert_int_equal(f->map.n, MANY);
}

static void elements_with_equal_hashes_are_compared(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 500; i++)
		add(f, bad_hash, i);
	for (uint64_t i = 0; i < 500; i++)
		assert_int_equal(find(f, bad_hash, i), i);
}

static void removing_leaves_the_other_elements(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 500; i++)
		add(f, bad_hash, i);
	for (uint64_t i = 0; i < 500; i += 3)
		tfs_idmap_remove(&f->map, (uint32_t)i, hash_badly, &f->pool);
	for (uint64_t i = 0; i < 500; i++)
		assert_int_equal(find(f, bad_hash, i), i % 3 ? i : TFS_IDMAP_NONE);
}

static void elements_stay_where_they_are(void **state)
{
	struct fixture *f = *state;
	struct element *first = tfs_pool_add(&f->pool), *e;
	size_t i, n = 0;

	assert_non_null(first);
	for (i = 1; i < MANY; i++) {
		e = tfs_pool_add(&f->pool);
		assert_non_null(e);
		e->key = i;
	}
	assert_ptr_equal(tfs_pool_at(&f->pool, 0), first);
	tfs_pool_for_each(&f->pool, i, e)
	{
		assert_int_equal(e->key, n);
		tfs_pool_drop(&f->pool, i);
		n++;
	}
	assert_int_equal(n, MANY);
}

static void without_memory_nothing_changes(void **state)
{
	struct fixture *f = *state;

	alloc_fail_at(0);
	assert_null(tfs_pool_add(&f->pool));
	alloc_fail_off();
	alloc_fail_at(0);
	assert_int_equal(tfs_idmap_add(&f->map, 0, hash_element, &f->pool), -ENOMEM);
	alloc_fail_off();
	assert_int_equal(f->map.n + f->pool.n, 0);
	assert_int_equal(tfs_idmap_add(&f->map, TFS_IDMAP_NONE, hash_element, &f->pool), -ENOMEM);
	add(f, tfs_hash_int, 7);
	assert_int_equal(find(f, tfs_hash_int, 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(elements_are_found_by_key, setup, teardown),
		cmocka_unit_test_setup_teardown(elements_with_equal_hashes_are_compared, setup,
						teardown),
		cmocka_unit_test_setup_teardown(removing_leaves_the_other_elements, setup,
						teardown),
		cmocka_unit_test_setup_teardown(elements_stay_where_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(without_memory_nothing_changes, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "sym/image.h"
#include "sym/symbol.h"

/* The C library as this program has it loaded: the loader's own look-up is the second source. */
struct loaded {
	struct tfs_image *img;
	void *handle; /* a sanitizer's functions stand before libc's in the default scope */
	uintptr_t base;
};

static int open_libc(void **state)
{
	struct loaded *libc = calloc(1, sizeof(*libc));
	Dl_info info;

	if (!libc || !(libc->handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)) ||
	    !dladdr(dlsym(libc->handle, "fopen"), &info) ||
	    tfs_image_open(info.dli_fname, NULL, &libc->img, NULL)) {
		free(libc);
		return -1;
	}
	libc->base = (uintptr_t)info.dli_fbase;
	*state = libc;
	return 0;
}

static int close_libc(void **state)
{
	struct loaded *libc = *state;

	tfs_image_free(libc->img);
	dlclose(libc->handle);
	free(libc);
	return 0;
}

static void each_version_is_where_the_loader_finds_it(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *syms;
	size_t n, compared = 0;

	assert_int_equal(tfs_symbols(libc->img, &syms, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const void *p;

		if (syms[i].type != TFS_SYMBOL_FUNC || !syms[i].version || syms[i].local)
			continue;
		p = dlvsym(libc->handle, syms[i].name, syms[i].version);
		/* Another library may have one of the name and version, too. */
		if (!p || (uintptr_t)p < libc->base || (uintptr_t)p - libc->base > syms[n - 1].addr)
			continue;
		assert_int_equal((uintptr_t)p - libc->base, syms[i].addr);
		compared++;
	}
	assert_true(compared > 1000);
}

static void names_lead_to_addresses_and_addresses_to_names(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *const *found;
	uint64_t addr = (uintptr_t)dlsym(libc->handle, "fopen") - libc->base;
	const struct tfs_symbol *at;
	char versioned[64];

	assert_true(tfs_symbol_named(libc->img, "fopen", &found) >= 1);
	assert_int_equal(found[0]->addr, addr);
	at = tfs_symbol_at(libc->img, addr + 1);
	assert_non_null(at);
	assert_int_equal(at->addr, addr);
	assert_true(addr + 1 < at->addr + at->size);
	assert_non_null(found[0]->version);
	snprintf(versioned, sizeof(versioned), "fopen@%s", found[0]->version);
	assert_int_equal(tfs_symbol_named(libc->img, versioned, &found), 1);
	assert_int_equal(tfs_symbol_named(libc->img, "fopen@NO_SUCH_1.0", &found), 0);
	assert_int_equal(tfs_symbol_named(libc->img, "no_such_function_at_all", &found), 0);
}

static void symbols_are_sorted_and_said_once(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *syms;
	size_t n;

	assert_int_equal(tfs_symbols(libc->img, &syms, &n, NULL), 0);
	for (size_t i = 1; i < n; i++) {
		assert_true(syms[i - 1].addr <= syms[i].addr);
		assert_false(syms[i - 1].addr == syms[i].addr &&
			     !strcmp(syms[i - 1].name, syms[i].name) && !syms[i].version);
	}
}

static void a_place_is_told_by_a_name_that_is_there_once(void **state)
{
	struct loaded *libc = *state;
	const struct tfs_symbol *const *found;
	uint64_t addr = (uintptr_t)dlsym(libc->handle, "fopen") - libc->base;
	char *place = NULL, *plus;

	assert_int_equal(tfs_symbol_place(libc->img, addr + 4, &place, NULL), 0);
	plus = strchr(place, '+');
	assert_non_null(plus);
	*plus = '\0';
	assert_int_equal(tfs_symbol_named(libc->img, place, &found), 1);
	assert_int_equal(found[0]->addr + strtoull(plus + 1, NULL, 10), addr + 4);
	free(place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_is_where_the_loader_finds_it),
		cmocka_unit_test(names_lead_to_addresses_and_addresses_to_names),
		cmocka_unit_test(symbols_are_sorted_and_said_once),
		cmocka_unit_test(a_place_is_told_by_a_name_that_is_there_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_libc, close_libc);
}

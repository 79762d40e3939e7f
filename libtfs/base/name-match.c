/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/name-match.h"

#include <stddef.h>
#include <string.h>

#include "base/macros.h"

/* What SYSCALL_DEFINE makes of a name, of the machine's own calls (asm/syscall_wrapper.h). */
static const char *const prefixes[] = { "__x64_", "__arm64_", "__riscv_", "__s390x_" };
static const char *const suffixes[] = { ".isra.",   ".constprop.", ".part.",
					".__part.", ".cold",       ".llvm." };
static const char *const parts[] = { ".part.", ".__part.", ".cold" };

/* Where the name itself begins, and its length. */
static const char *core(const char *name, size_t *len)
{
	const char *end;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
			name += strlen(prefixes[i]);
			break;
		}
	}
	name += strspn(name, "_");
	end = name + strlen(name);
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		const char *at = strstr(name, suffixes[i]);

		if (at && at != name && at < end)
			end = at;
	}
	*len = (size_t)(end - name);
	return name;
}

bool tfs_func_same_name(const char *a, const char *b)
{
	size_t a_len, b_len;

	a = core(a, &a_len);
	b = core(b, &b_len);
	return a_len && a_len == b_len && !memcmp(a, b, a_len);
}

bool tfs_func_is_part(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strstr(name, parts[i]))
			return true;
	}
	return false;
}

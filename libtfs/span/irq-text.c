/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/irq-text.h"

#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "printfmt/env.h"

static const char *const hardirqs[] = { "irq_enter", "irq_enter_rcu" };
static const char *const softirqs[] = { "__do_softirq", "handle_softirqs" };

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; name && i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void find_section(const struct tfs_format_env *env, const char *from, const char *to,
			 uint64_t *start, uint64_t *end)
{
	if (!env->address || !env->address(env->symbols, from, start) ||
	    !env->address(env->symbols, to, end))
		*start = *end = 0;
}

void tfs_irq_text_find(const struct tfs_format_env *env, struct tfs_irq_text *text)
{
	find_section(env, "__irqentry_text_start", "__irqentry_text_end", &text->hard_start,
		     &text->hard_end);
	find_section(env, "__softirqentry_text_start", "__softirqentry_text_end", &text->soft_start,
		     &text->soft_end);
}

bool tfs_irq_text_is_hard(const struct tfs_irq_text *text, uint64_t addr, const char *name)
{
	return (addr >= text->hard_start && addr < text->hard_end) ||
	       is_one_of(name, hardirqs, ARRAY_SIZE(hardirqs));
}

bool tfs_irq_text_is_soft(const struct tfs_irq_text *text, uint64_t addr, const char *name)
{
	return (addr >= text->soft_start && addr < text->soft_end) ||
	       is_one_of(name, softirqs, ARRAY_SIZE(softirqs));
}

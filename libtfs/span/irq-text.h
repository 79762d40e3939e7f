/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SPAN_IRQ_TEXT_H
#define TFS_SPAN_IRQ_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_format_env;

/** struct tfs_irq_text - sections of the kernel's text where interrupts begin; zeroed: not known */
struct tfs_irq_text {
	uint64_t hard_start, hard_end, soft_start, soft_end;
};

/** tfs_irq_text_find() - by the recording's symbols, which are read by then */
void tfs_irq_text_find(const struct tfs_format_env *env, struct tfs_irq_text *text);

/*
 * Functions that run before the kernel counts that it is in an interrupt: what is called there is
 * flagged, they themselves are not. Are the calls of this one interrupts from the first moment on?
 * @name: NULL: not known; @addr: 0: not known
 */
bool tfs_irq_text_is_hard(const struct tfs_irq_text *text, uint64_t addr, const char *name);
bool tfs_irq_text_is_soft(const struct tfs_irq_text *text, uint64_t addr, const char *name);

#endif

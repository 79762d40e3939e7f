/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_KCONFIG_H
#define TFS_RECORD_KCONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_strbuf;

/**
 * tfs_kconfig_read() - the configuration of the running kernel, as text
 *
 * From /proc/config.gz, else /boot/config-RELEASE or /lib/modules/RELEASE/config.
 * Return: 0; -ENOENT if there is none; -ENOMEM or another negative errno.
 */
int tfs_kconfig_read(struct tfs_strbuf *out);

/**
 * tfs_kconfig_get() - how a symbol is set
 * @config: what tfs_kconfig_read() gave
 * @symbol: "CONFIG_KPROBES"
 *
 * Pure. Return: 'y', 'm', 'n' for what is not set or not there at all (what it depends on is off,
 * or the kernel is older than it).
 */
char tfs_kconfig_get(const char *config, const char *symbol);

/** tfs_kconfig_number() - the decimal number that a symbol is set to; false: it is not. Pure */
bool tfs_kconfig_number(const char *config, const char *symbol, uint64_t *value);

#endif

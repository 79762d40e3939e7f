/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FEATURE_KCONFIG_H
#define TFS_FEATURE_KCONFIG_H

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

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DAT_OPEN_H
#define TESTS_LIB_DAT_OPEN_H

/*
 * Opens what dat_build made, under the name "x.dat". The test fails if it cannot be opened. What
 * is returned is the caller's: tfs_dat_free().
 */

struct bytes;
struct dat_builder;
struct dat_spec;
struct tfs_dat;

/** dat_open() - a file that is a copy of these bytes */
struct tfs_dat *dat_open(const struct bytes *b);
/** dat_open_built() - what @d holds, which is ended with its options and released */
struct tfs_dat *dat_open_built(struct dat_builder *d);
/** dat_open_sample() - dat_sample()'s file */
struct tfs_dat *dat_open_sample(const struct dat_spec *spec);

#endif

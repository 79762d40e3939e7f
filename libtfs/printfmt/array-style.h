/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_ARRAY_STYLE_H
#define TFS_PRINTFMT_ARRAY_STYLE_H

#include "printfmt/env.h"

/*
 * Differences between versions of libtraceevent, detected by having this one print.
 */

/** tfs_detect_array_style() - __print_array(); not while another thread is in libtraceevent */
enum tfs_array_style tfs_detect_array_style(void);

#endif

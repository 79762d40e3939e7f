#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-list --features leaves all of tracefs as it was, the machine's own settings too.
#
# needs: root tracefs exclusive
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

"$TC_SRCDIR/tests/live/state.sh" >before
"$TC_BUILDDIR/tc-list" --features >features
is "it succeeds whichever features work" $? 0
"$TC_SRCDIR/tests/live/state.sh" >after
# The first instance, and whoever turns an event on, lets the ring buffer grow to its full size.
sed -i '/^\.\/buffer_\(total_\)*size_kb:/d' before after
same "tracefs is as it was" after before
finish

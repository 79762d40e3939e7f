#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The parts of the page that need no browser, under node: the columns that tc-report --html writes, as the page
# reads them, have the numbers of tc-report --json.
#
# needs: browser
# area: web

set -u
# shellcheck source=tests/web/lib.sh
. "$TC_SRCDIR/tests/web/lib.sh"
command -v python3 >/dev/null || skip_all "scripts of pages were NOT tested: python3 is missing"
command -v node >/dev/null || skip_all "scripts of pages were NOT tested: node is missing (Debian: nodejs)"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
unpack x86_64/ev-v7zlib "$dir/ev.dat"
unpack x86_64/graph "$dir/graph.dat"
python3 "$TC_SRCDIR/tests/web/check_model.py" "$dir"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of tc-report --html in a browser: keys, mouse and search do what they say, and its numbers are
# those of tc-report --json.
#
# needs: browser
# area: web

set -u
# shellcheck source=tests/web/lib.sh
. "$TC_SRCDIR/tests/web/lib.sh"
skip_without_browser
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
unpack x86_64/ev-v7zlib "$dir/ev.dat"
unpack x86_64/lost "$dir/lost.dat"
unpack x86_64-6.12/subbuf16-v6 "$dir/plain.dat"
python3 "$TC_SRCDIR/tests/web/check_timeline.py" "$dir"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks of the sources of pages: they name nothing outside the page, take no text for code or markup, and
# are scripts that node can parse.
#
# area: gate build

set -u
cd "$TC_SRCDIR" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

dir=libtfs/chart/page
pages=$(find $dir -name '*.html' -o -name '*.css' -o -name '*.js' | sort)
scripts=$(find $dir -name '*.js' | sort)

# in_pages PATTERN
in_pages() {
	# shellcheck disable=SC2086 # no names with blanks in this tree
	grep -nE "$1" $pages
}

licences() {
	for f in $pages; do
		head -n 2 "$f" | grep -q 'SPDX-License-Identifier: LGPL-2.1-or-later' ||
			case $f in
			# inside of another page
			*/head.html) ;;
			*) echo "$f: no licence in its first lines" ;;
			esac
	done
}
nothing "each file of a page names its licence" "$(licences)"
nothing "no address of another place" "$(in_pages '[a-z]+://|(src|href|action)=|@import|url\(')"
nothing "no text is run or taken for markup" \
	"$(in_pages 'eval *\(|new Function|(inner|outer)HTML|insertAdjacentHTML|document\.write|srcdoc|set(Timeout|Interval)\(['\''"]|javascript:| on[a-z]+=')"
nothing "no requests" "$(in_pages 'fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|import\(|RTCPeer')"

sizes() {
	for f in $pages; do
		n=$(wc -l <"$f")
		[ "$n" -le 400 ] || echo "$f: $n lines, at most 400"
		case $f in *.html) continue ;; esac
		expand "$f" | awk -v f="$f" 'length($0) > 128 {
			print f ":" FNR ": " length($0) " columns, at most 128" }'
	done
}
nothing "no file of a page over 400 lines, no script over 128 columns" "$(sizes)"

strict() {
	for f in $scripts; do
		sed -n 2p "$f" | grep -qx "'use strict';" || echo "$f: line 2 is not 'use strict';"
	done
}
nothing "scripts are strict" "$(strict)"

if command -v node >/dev/null; then
	# One node for all: it compiles them as a browser does, and runs none
	parse() {
		# shellcheck disable=SC2086
		node -e 'const fs = require("fs"), vm = require("vm");
			for (const f of process.argv.slice(1))
				try {
					new vm.Script(fs.readFileSync(f, "utf8"), {filename: f});
				} catch (e) {
					console.log(e.stack.split("\n").slice(0, 5).join("\n"));
				}' $scripts 2>&1 || echo "node failed"
	}
	nothing "node parses the scripts" "$(parse)"
else
	skip "node parses the scripts" "node is missing (Debian: nodejs)"
fi

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# graph.sh [DIR] - --graph of recordings of function_graph, beside the texts of trace-cmd
#
# DIR as in sweep.sh. The trees are those of trace-cmd report's text (tests/lib/graph.awk); sums,
# selected calls and durations are computed from its -R by graph.py.
#
# area: gate report

set -u
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
# shellcheck source=tests/golden/lib.sh
. "$TC_SRCDIR/tests/golden/lib.sh"

for tool in xz python3; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
LC_ALL=C
export LC_ALL
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-graph.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM
dir=${1:-$TC_SRCDIR/tests/data/recordings}

# graph OPTION...
graph() {
	"$TC_BUILDDIR/tc-report" --no-pager -i "$tmp/input.dat" --graph "$@"
}

# calls FORM FILE
calls() {
	awk -v anonymous=1 -v form="$1" -f "$TC_SRCDIR/tests/lib/graph.awk" "$2" | sort
}

# named FILE: the same of tc-report's text, with all names
named() {
	awk -v form=tc-report -f "$TC_SRCDIR/tests/lib/graph.awk" "$1"
}

# arithmetic NAME: graph.py's lines
arithmetic() {
	graph --summary >"$tmp/summary"
	graph=vfs_read
	graph "$graph" --depth 2 -I >"$tmp/text"
	named "$tmp/text" >"$tmp/levels"
	graph --min-duration 20us >"$tmp/text"
	named "$tmp/text" >"$tmp/slow"
	graph --json >"$tmp/json"
	graph --csv | grep -v ',[0-9?][0-9]*$' >"$tmp/csv"
	python3 "$TC_SRCDIR/tests/golden/graph.py" "$tmp/want" "$tmp/summary" "$tmp/levels" "$graph" \
		20000 "$tmp/slow" "$tmp/json" "$tmp/csv" >"$tmp/lines" 2>&1 || echo "not ok - graph.py" >>"$tmp/lines"
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "$1: ${line#ok - }" ;;
		*) fail "$1" "$line" ;;
		esac
	done <"$tmp/lines"
}

find "$dir" -name 'graph.dat.xz' | sort >"$tmp/list"
while read -r file; do
	base=${file%.dat.xz}
	name=${base#"$dir"/}
	xz -dc "$file" >"$tmp/input.dat"
	if lacks_codec "$tmp/input.dat"; then
		skip "$name" "zstd is not built in"
		continue
	fi
	stored "$base" report || continue
	calls trace-cmd "$tmp/want" >"$tmp/theirs"
	graph >"$tmp/text"
	calls tc-report "$tmp/text" >"$tmp/ours"
	if [ "$(wc -l <"$tmp/ours")" -ge 10000 ] && cmp -s "$tmp/theirs" "$tmp/ours"; then
		pass "$name: $(wc -l <"$tmp/ours") calls nested as trace-cmd shows them"
	else
		fail "$name: trees" "$(diff "$tmp/theirs" "$tmp/ours" | head -n 12)"
	fi
	stored "$base" raw && arithmetic "$name"
done <"$tmp/list"
finish

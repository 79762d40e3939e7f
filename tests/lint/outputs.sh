#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each option that takes a file or a folder is in the table "outputs", and each output has a test; files are made in
# the sources that are listed there, and nowhere else.
#
# area: gate build

srcdir=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${TC_BUILDDIR:-$PWD}
# shellcheck source=tests/lib/tap.sh
. "$srcdir/tests/lib/tap.sh"
[ -x "$builddir/tc-report" ] || skip_all "the programs are not built in $builddir"
table=$srcdir/tests/lint/outputs
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-outputs.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
builddir=$(cd "$builddir" && pwd)
cd "$tmp" || exit 1

# options PROGRAM [VERB]: those that take a file or a folder
options() {
	"$builddir/$1" ${2:+"$2"} --dump-options | awk -F'\t' -v program="$*" \
		'$1 != "verb" && ($4 ~ /file|dir/ || $3 ~ /FILE|DIR/) { print program " " ($2 == "-" ? $1 : $2) }'
}
for program in "$builddir"/tc-*; do
	[ -x "$program" ] || continue
	name=${program##*/}
	verbs=$("$program" --dump-options | awk -F'\t' '$1 == "verb" { print $2 }')
	if [ -n "$verbs" ]; then
		for verb in $verbs; do
			options "$name" "$verb"
		done
	else
		options "$name"
	fi
done | sort >options.now
sed -n 's/^\(tc-.*\) \(in\|out .*\)$/\1/p' "$table" | sort >options.table
is "options that take a file are in the table" "$(comm -23 options.now options.table)" ""
is "and no others" "$(comm -13 options.now options.table)" ""

sed -n 's/^tc-.* \(--[a-z-]*\) out \(.*\)$/\1 \2/p' "$table" >outs
while read -r option test; do
	if [ ! -f "$srcdir/tests/$test" ]; then
		echo "$option: there is no tests/$test"
	else
		case $test in
		*/t-outputs.sh)
			grep -qE -e "$option|${option#--}\b|\"\\\$TC_BUILDDIR.* -[oA] " "$srcdir/tests/$test" ||
				echo "$option: nothing in tests/$test" ;;
		esac
	fi
done <outs >untested
is "outputs have a test" "$(cat untested)" ""

(cd "$srcdir" && grep -rlE --include='*.c' '\bO_CREAT\b|\bmkstemp|\bcreat\(|fopen\([^)]*"[wa]|\bO_TMPFILE\b' \
	libtfs tracecmd) | grep -v '^libtfs/\(strace\|view\)/' | sort >makers
sed -n 's/^source //p' "$table" | sort >makers.table
is "files are made by the openers, or in a folder of the program's own" "$(diff makers makers.table)" ""

finish

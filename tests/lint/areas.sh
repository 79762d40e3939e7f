#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table "path -> areas" (tests/areas) against what the programs are made of, by their debug information: a
# change of a file has the tests of each program that has it, or the row says why not ("|").
#
# area: gate build

set -u
LC_ALL=C
export LC_ALL
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$TC_BUILDDIR" || exit 1

# PROGRAM AREA: whose tests run it
cat >"$tmp/programs" <<'END'
tc-attach report
tc-file report
tc-fleet network
tc-list session
tc-listen network
tc-probe probe
tc-record record
tc-report report
tc-session session
tc-stat tools
tc-top tools
tc-trace tools
END

# sources PROGRAM: by the names of compilation units
sources() {
	readelf -wi --dwarf-depth=1 "$1" 2>/dev/null |
		sed -n 's!^.*DW_AT_name.*[ /]\(\(libtfs\|plugins\|tracecmd\)/[^ ]*\.c\)$!\1!p'
}

while read -r program area; do
	sources "$program" | sed "s/^/$area /"
done <"$tmp/programs" | sort -u >"$tmp/linked"
[ -s "$tmp/linked" ] || skip_all "the programs have no debug information"

# complaints TABLE: rows whose areas of programs are not those of the programs, and files without a row
complaints() {
	awk '
	FILENAME == ARGV[1] { program_area[$2] = 1; next }
	FILENAME == ARGV[2] {
		if (NF && $1 !~ /^#/)
			for (i = 1; i <= NF; i++)
				if ($i != "|")
					says[$1] = says[$1] (i > 1 ? " " $i " " : "")
		next
	}
	{
		best = ""
		for (path in says)
			if (index($2, path) == 1 && length(path) > length(best))
				best = path
		if (best == "")
			print $2 ": no row"
		else
			is[best] = is[best] " " $1 " "
	}
	END {
		for (path in is) {
			if (says[path] ~ / all /)
				continue
			for (a in program_area) {
				needed = index(is[path], " " a " ")
				said = index(says[path], " " a " ")
				if (needed && !said)
					print path ": a program of \"" a "\" has it"
				if (said && !needed)
					print path ": no program of \"" a "\" has it"
			}
		}
	}' "$tmp/programs" "$1" "$tmp/linked"
}

table=$TC_SRCDIR/tests/areas
nothing "each row has the areas of the programs that have its files" "$(complaints "$table")"

nothing "each area has tests" "$(
	sed '/^#/d; s/^[^ ]*//' "$table" | tr -s ' |' '\n' | sort -u | grep -vx -e all -e none -e '' |
		while read -r area; do
			[ -n "$("$TC_SRCDIR/tests/select" "$area")" ] || echo "$area"
		done
)"

nothing "each row is about something" "$(
	sed -n '/^#/d; s/ .*//p' "$table" | while read -r path; do
		for file in "$TC_SRCDIR/$path"*; do
			[ -e "$file" ] || echo "$path"
			break
		done
	done
)"

# A wrong table is found: each arrow to the area of a program is taken away once.
missed=''
# shellcheck disable=SC2013 # words without blanks
for arrow in $(awk '/^[^#]/ && $2 != "all" && $2 != "none" {
		for (i = 2; i <= NF; i++) if ($i != "|") print $1 "=" $i }' "$table"); do
	path=${arrow%=*} area=${arrow#*=}
	grep -q " $area\$" "$tmp/programs" || continue
	grep -q " $path" "$tmp/linked" || continue
	awk -v path="$path" -v area="$area" '$1 == path { sub(" " area "( |$)", " ") } { print }' "$table" >"$tmp/wrong"
	[ -n "$(complaints "$tmp/wrong")" ] || missed="$missed $arrow"
done
nothing "a row without one of its arrows is found" "$missed"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Everything documented exists and everything that exists is documented: man page, -h, completion and
# option table of each program.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
cd "$TC_BUILDDIR" || exit 1
version=$(sed -n 's/^VERSION = //p' Makefile)
programs=$(sed -n 's/^PROGRAMS = //p' Makefile)

# Options of the page: what stands before "::" on a line that begins with an option
in_page() {
	grep -E '^[`*_+]*-.*::$' "$1" | grep -oE -e '(^|[^A-Za-z0-9-])--?[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?' |
		grep -oE -e '--?[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?' | sort -u
}
# verbs_of PROGRAM: of one that has some
verbs_of() {
	"./$1" --dump-options | awk -F '\t' '$1 == "verb" { print $2 }'
}
# in_table PROGRAM [VERB]: options of the table, and those that every program has
in_table() {
	in_table_of=$1
	shift
	{
		"./$in_table_of" "$@" --dump-options | grep -v '^verb' | awk -F '\t' '{ print $1; print $2 }' | grep -v '^-$'
		printf '%s\n' -h --help --version
	} | sed 's/[=[].*//' | sort -u
}

# in_section PAGE HEADING: the options of the section "=== HEADING"
in_section() {
	awk -v h="=== $2" '/^==/ { on = $0 == h } on' "$1" >"$sections"
	in_page "$sections"
}

# absent WANTED HAVE: lines of WANTED that HAVE does not have
absent() {
	absent_in="
$2
"
	for absent_o in $1; do
		case $absent_in in
		*"
$absent_o
"*) ;;
		*) echo "$absent_o" ;;
		esac
	done
}
# unnamed TABLE TEXT: options of TABLE that TEXT does not name
unnamed() {
	printf '%s\n%s\n' "$1" "$2" | awk -v n="$(printf '%s\n' "$1" | wc -l)" '
		NR <= n {
			option[NR] = $0
			next
		}
		{ text = text $0 "\n" }
		END {
			for (i = 1; i <= n; i++)
				if ((" " text) !~ ("[ ,\n]" option[i] "[^A-Za-z0-9-]"))
					print option[i]
		}'
}

sections=$(mktemp)
trap 'rm -f "$sections"' EXIT
for p in $programs; do
	[ -x "./$p" ] || { fail "$p was built"; continue; }
	page=$TC_SRCDIR/Documentation/$p.1.adoc
	completion=$TC_SRCDIR/bash-completion/$p

	out=$("./$p" -h 2>&1)
	is "$p -h succeeds" "$?" 0
	case $out in
	*"$p"*) pass "$p -h says how it is used" ;;
	*) fail "$p -h says how it is used" "$out" ;;
	esac
	out=$("./$p" --version 2>&1)
	is "$p --version succeeds" "$?" 0
	case $out in
	*"$version"*) pass "$p --version says the version" ;;
	*) fail "$p --version says the version" "$out" ;;
	esac
	verbs=$(verbs_of "$p")
	table=$({ in_table "$p"; for v in $verbs; do in_table "$p" "$v"; done; } | sort -u)
	help=$("./$p" -h; for v in $verbs; do "./$p" "$v" -h; done)
	nothing "$p -h names each option of the table" "$(unnamed "$table" "$help")"

	if [ -f "$completion" ]; then
		runs "$p: the completion file is bash" bash -n "$completion"
		nothing "$p: the completion file keeps no list of options" \
			"$(grep -nE -e '--[a-z]+.*--[a-z]+.*--[a-z]+' "$completion")"
	else
		fail "$p has a completion file" "no bash-completion/$p"
	fi
	if [ ! -f "$page" ]; then
		fail "$p has a man page" "no Documentation/$p.1.adoc"
		continue
	fi
	in_page=$(in_page "$page")
	# with verbs, this is asked of each
	[ "$verbs" ] || nothing "$p(1) has each option of the table" "$(absent "$table" "$in_page" | sed "s/\$/ is not in $p.1.adoc/")"
	nothing "$p(1) has no option that the program does not have" "$(absent "$in_page" "$table" | sed "s/\$/ of $p.1.adoc is unknown to $p/")"
	common=$(in_section "$page" 'Common options')
	nothing "$p(1) has a section with its options for each verb" "$(for v in $verbs; do
		in_verb=$(in_section "$page" "$v")
		grep -q . "$sections" || echo "no section '$v'"
		# by reference: "those of tc-record(1)"
		grep -q 'those of tc-record(1)' "$sections" && in_verb="$in_verb
$(in_table tc-record)"
		absent "$(in_table "$p" "$v")" "$in_verb
$common" | sed "s/\$/ of $v is not there/"
	done)"
	headings=$(grep '^== ' "$page" | tr '[:lower:]' '[:upper:]')
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS' FILES 'SEE ALSO'; do
		case "
$headings
" in
		*"
== $section
"*) pass "$p(1) has a section $section" ;;
		*) fail "$p(1) has a section $section" "no '== $section'" ;;
		esac
	done
done

# Every option of trace-cmd record: those of its getopt_long() in 3.4, and what the one here lists.
theirs() {
	echo hae:f:FA:p:cC:dDGo:O:s:r:V:vg:l:n:P:N:tb:R:B:ksSiTm:M:H:qK | tr -d : | sed 's/./-&\n/g'
	for o in by-comm cmdlines-size compression daemonize date debug file-version fork func-stack help \
		max-graph-depth module name no-filter nofifos nosplice notimeout poll proc-map profile proxy \
		quiet stderr subbuf-size temp ts-offset tsc2nsec tsync-interval user verbose; do
		echo "--$o"
	done
	! command -v trace-cmd >/dev/null ||
		trace-cmd record -h 2>&1 | sed -nE 's/^ {8,}(--?[A-Za-z0-9-]+) .*$/\1/p'
}
table=$(awk '/^==/ { on = $0 == "== OPTIONS OF TRACE-CMD" } on && /^\|[*]/' \
	"$TC_SRCDIR/Documentation/tc-record.1.adoc" | grep -oE -e '--?[A-Za-z0-9][A-Za-z0-9-]*')
nothing "tc-record(1) has each option of trace-cmd record" \
	"$(absent "$(theirs | grep . | sort -u)" "$table")"

[ -f "$TC_SRCDIR/Documentation/trace.dat.5.adoc" ] || fail "trace.dat(5) is there"

# A name in backquotes that looks like a file of this tree is one.
stale() {
	cd "$TC_SRCDIR" || return
	for doc in README CONTRIBUTING tests/README Documentation/*.md Documentation/adr/*.md; do
		[ -f "$doc" ] || { echo "$doc is missing"; continue; }
		# shellcheck disable=SC2016
		grep -oE '`(libtfs|tracecmd|plugins|tests|Documentation|bash-completion)/[A-Za-z0-9_./-]+`' \
			"$doc" | tr -d '`' | sort -u | while read -r f; do
			case $f in *NAME*) continue ;; esac
			[ -e "${f%/}" ] || [ -e "$f.c" ] || echo "$doc: no $f"
		done
	done
}
nothing "the documents name files that exist" "$(stale)"

# untested: rows of the threat model that name no test, or one that no check runs
untested() {
	selected=$("$TC_SRCDIR/tests/select" --list | sed 's/ .*//')
	awk -F '|' '/^\| / && $(NF - 1) != " test " { print $(NF - 1) }' \
		"$TC_SRCDIR/Documentation/threat-model.md" | while read -r row; do
		# shellcheck disable=SC2016
		names=$(printf '%s\n' "$row" | grep -oE '`[^`]+`' | tr -d '`')
		[ -n "$names" ] || echo "no test in '$row'"
		for name in $names; do
			case $name in
			*.sh | vm/*) printf '%s\n' "$selected" | grep -qx "tests/$name" ;;
			fuzz/*) grep -qE "^FUZZERS.*[[:space:]]${name#fuzz/}( |\$)" \
				"$TC_SRCDIR/Makefile.in" ;;
			*) grep -qE "(^|[[:space:]])tests/$name( |\$)" "$TC_SRCDIR/Makefile.in" ;;
			esac || echo "no check runs $name"
		done
	done
}
nothing "each row of the threat model has a test that is run" "$(untested)"

finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh [GLOB...] - what is recorded of variables, beside what programs say of themselves
#
# make_program.py writes a program for each language, which is built in all the ways of the file "builds"
# that a GLOB means (all); check_values.py puts a probe on each of its points. TC_TRUTH_SEED (1) and TC_TRUTH_SIZE
# (60 functions) make other programs. TC_TRUTH_LOCK is a file to lock while tracefs is used. TAP; what
# was counted are comments. With a live tracefs and root only.

TC_SRCDIR=$(cd "${TC_SRCDIR:-$(dirname "$0")/../..}" && pwd)
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
LC_ALL=C
export TC_SRCDIR LC_ALL
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

dir=$TC_SRCDIR/tests/truth
tools=$(cd "$TC_BUILDDIR" && pwd)
seed=${TC_TRUTH_SEED:-1}
size=${TC_TRUTH_SIZE:-60}
[ -x "$tools/tc-probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
[ -w "${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}/uprobe_events" ] ||
	skip_all "there is no uprobe_events to write to"
[ "$(uname -m)" = x86_64 ] || skip_all "the builds are x86_64's"
command -v python3 >/dev/null || skip_all "there is no python3"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
GOCACHE=${GOCACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracecraft/go-build}
export GOCACHE
cd "$work" || exit 1

# one of the GLOBs means NAME
wanted() {
	[ -n "$globs" ] || return 0
	for glob in $globs; do
		# shellcheck disable=SC2254 # it is a pattern
		case $1 in $glob) return 0 ;; esac
	done
	return 1
}

globs=$*
set -f
grep -v '^#' "$dir/builds" >builds
while read -r name language command <&3; do
	wanted "$name" || continue
	case $language in
	c) source=prog.c ;;
	c++) source=prog.cc ;;
	rust) source=prog.rs ;;
	*) source=prog.go ;;
	esac
	[ -e $source ] || "$dir/make_program.py" "$language" "$seed" "$size" $source || exit 1
	command=$(printf '%s' "$command" | sed "s|@S|$source|g; s|@O|$name|g")
	if ! eval "$command" >err 2>&1; then
		skip "$name: values are the program's" "not built: $(grep -m 1 . err)"
		continue
	fi
	if "$dir/check_values.py" --tools "$tools" ${TC_TRUTH_LOCK:+--lock "$TC_TRUTH_LOCK"} "$name" >out 2>&1; then
		sed 's/^/# /' out
		pass "$name: values are the program's"
	else
		fail "$name: values are the program's" "$(cat out)"
	fi
	rm -f "$name" "$name".*
done 3<builds
echo "1..$tap_count"
[ "$tap_failed" -eq 0 ]

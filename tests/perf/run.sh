#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh [sample] - tc-probe beside perf probe on whole programs, and the kernel's verdict on what both
# print. Every difference has a rule with a count (compare.py), and what none explains fails. TAP; the
# counts are comments.
#
# "sample" takes a few functions of each, a minute. Without it: all functions of tc-probe, the names that
# libc exports and all its functions, and kernel functions by globs; an hour, less with perf's answers of
# the last time (kept in ~/.cache/tracecraft/perf). Missing files are skipped: debug information of
# libc, a kernel with debug information (TC_PERF_VMLINUX=FILE). TC_PERF_PROGRAM=FILE adds a program.

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
LC_ALL=C
export TC_SRCDIR LC_ALL
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

dir=$TC_SRCDIR/tests/perf
probe=$TC_BUILDDIR/tc-probe
mode=${1:-all}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tracecraft/perf
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
[ "$(uname -m)" = x86_64 ] || skip_all "the rules know the registers of x86_64"
for tool in perf gdb python3 nm readelf unshare; do
	command -v $tool >/dev/null || skip_all "there is no $tool to compare with"
done
"$dir/pin" perf probe -l >/dev/null 2>&1 || skip_all "perf does not run in a namespace of its own"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

build_id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

# every N: a line of so many, all when everything is asked
every() {
	if [ "$mode" = sample ]; then
		sed -n "$((($1 + 1) / 2))~${1}p"
	else
		cat
	fi
}

functions_of() {
	nm "$1" 2>/dev/null | awk '$2 ~ /^[tTwW]$/ && $3 !~ /[.@]/ { print $3 }' | sort -u
}

exported_by() {
	nm -D --defined-only "$1" | awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}

# compare NAME OPTION FILE SUFFIX: the probes are the lines of the file "list"
compare() {
	set -- "$@" "$work/$tap_count"
	if [ "$mode" != sample ]; then
		mkdir -p "$cache"
		keep=$cache/$(build_id "$3")-$(perf version | tr -dc '0-9.').json
	else
		keep=$5.cache
	fi
	echo "# $1"
	if "$dir/pin" "$dir/compare.py" "$2" "$3" --tc-probe "$probe" --suffix "$4" --cache "$keep" \
		--ours "$work/ours$2" --perf "$work/perf$2" - <"$work/list" >"$5.out" 2>&1; then
		sed 's/^/# /' "$5.out"
		pass "$1: each difference has a reason"
	else
		fail "$1: each difference has a reason" "$(cat "$5.out")"
	fi
}

# verdict DESCRIPTION [-t] FILE
verdict() {
	if ! [ -x "$work/verdict" ] || ! [ -w /sys/kernel/tracing/uprobe_events ]; then
		skip "$1" "no C compiler, or no uprobe_events to write to"
		return
	fi
	what=$1
	shift
	option=
	if [ "$1" = -t ]; then
		option=-t
		shift
	fi
	if "$work/verdict" $option "tcverdict$$" <"$1" >"$work/said" 2>&1 && { [ "$1" = "$work/perf-x" ] || grep -q ' 0 refused' "$work/said"; }; then
		pass "$what: $(tail -n 1 "$work/said")"
	else
		fail "$what" "$(tail -n 20 "$work/said")"
	fi
}

# with_debug FILE: has it debug information, itself or at its build-id?
with_debug() {
	id=$(build_id "$1")
	readelf -S "$1" | grep -q '\.debug_info' ||
		[ -e "/usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug" ]
}

# shellcheck disable=SC2016 # $params is perf's
params=' $params'
functions_of "$probe" | every 30 >"$work/list"
compare "tc-probe" -x "$probe" "$params"
functions_of "$probe" | every 100 >"$work/list"
compare "tc-probe, without arguments" -x "$probe" ""
libc=$(ldd "$probe" | awk '/libc\.so/ { print $3 }')
libc=$(readlink -f "${libc:-/nowhere}")
if [ -e "$libc" ] && with_debug "$libc"; then
	exported_by "$libc" | every 100 >"$work/list"
	compare "libc: exported names" -x "$libc" "$params"
	id=$(build_id "$libc")
	functions_of "/usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug" | every 200 >"$work/list"
	compare "libc: its functions" -x "$libc" "$params"
else
	skip "libc" "there is no debug information for it"
fi
if [ -n "${TC_PERF_PROGRAM:-}" ]; then
	functions_of "$TC_PERF_PROGRAM" | every 100 >"$work/list"
	compare "$TC_PERF_PROGRAM" -x "$TC_PERF_PROGRAM" "$params"
fi
if [ -n "${TC_PERF_VMLINUX:-}" ]; then
	if [ "$mode" = sample ]; then
		set -- 'vfs_re*'
	else
		set -- 'vfs_*' 'tcp_*' 'ext4_*' 'blk_mq_*' 'sock_*' 'sched_*' 'inode_*' 'ip_*'
	fi
	printf '%s\n' "$@" >"$work/list"
	compare "kernel functions" -k "$TC_PERF_VMLINUX" "$params"
else
	skip "kernel functions" "TC_PERF_VMLINUX names no kernel with debug information"
fi

${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -I"$TC_SRCDIR/libtfs" -o "$work/verdict" "$dir/verdict.c" \
	"$TC_BUILDDIR/libtfs.a" -pthread 2>/dev/null
verdict "the kernel takes our definitions, and the validator agrees" "$work/ours-x"
verdict "the kernel takes ours of one command together" -t "$work/ours-x"
verdict "the validator judges perf's as the kernel does" "$work/perf-x"
finish

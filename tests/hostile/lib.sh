# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the tests with hostile input, t-*.sh, which source it and end with "finish". They need
# neither root nor tracefs, unless they say so.

LC_ALL=C
export LC_ALL
unset DEBUGINFOD_URLS
TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
TC_SRCDIR=$(cd "${TC_SRCDIR:-$(dirname "$0")/../..}" && pwd)
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

probe=$TC_BUILDDIR/tc-probe
cc=${CC:-cc}
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
command -v "$cc" >/dev/null || skip_all "no C compiler"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-hostile.XXXXXX") || exit 1
hostile_clean() {
	chmod -R u+w "$tmp"
	rm -rf "$tmp"
}
trap hostile_clean EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1

# has NAME FILE TEXT: a line of the file holds the text, taken literally
has() {
	if grep -qF -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1" "no '$3' in:" "$(head -n 12 "$2")"
	fi
}

# hasnt NAME FILE TEXT
hasnt() {
	if grep -qF -e "$3" "$2"; then
		fail "$1" "'$3' in:" "$(grep -F -e "$3" "$2" | head -n 5)"
	else
		pass "$1"
	fi
}

# A sanitizer takes ten times as long, reserves more address space than there is memory, and ends a
# program that runs out of memory unless an option says otherwise.
hostile_seconds=30
if grep -q '__[at]san_init' "$probe"; then
	hostile_shadow=1
	hostile_seconds=300
	ASAN_OPTIONS=allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
	TSAN_OPTIONS=allocator_may_return_null=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}
	export ASAN_OPTIONS TSAN_OPTIONS
fi
# bounded COMMAND...: with at most $hostile_seconds of CPU time, six times as much time, and 512 MiB of memory;
# its output is in out and err.
# shellcheck disable=SC3045 # dash, bash and busybox have them
bounded() {
	(
		ulimit -t $hostile_seconds
		[ -n "${hostile_shadow:-}" ] || ulimit -v 524288
		exec timeout -s KILL $((6 * hostile_seconds)) "$@"
	) >out 2>err </dev/null
}

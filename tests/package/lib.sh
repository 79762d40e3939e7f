# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the tests of packages: t-*.sh source it and end with "finish". Each works in a directory of
# its own, $tmp, on the commit that is checked out: what is not committed is not packed.

LC_ALL=C
export LC_ALL
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
unset CDPATH MAKEFLAGS MAKELEVEL MFLAGS SOURCE_DATE_EPOCH
package=tracecraft-$(sed -n 's/^VERSION=//p' "$TC_SRCDIR/configure")

[ "$(git -C "$TC_SRCDIR" rev-parse --show-cdup 2>/dev/null || echo none)" = "" ] ||
	skip_all "the sources are not a git repository"

tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-package.XXXXXX") || exit 1
# shellcheck disable=SC2317 # by the trap
package_clean() {
	cd / || return
	# Only what is on the disk is removed, and nothing while something is still mounted below.
	awk -v dir="$tmp/" 'index($2, dir) == 1 { print $2 }' /proc/self/mounts | sort -r |
		while read -r mounted; do
			umount "$mounted"
		done
	if grep -qF " $tmp/" /proc/self/mounts; then
		echo "# something is still mounted below $tmp, which stays"
		return
	fi
	rm -rf --one-file-system "$tmp"
}
trap package_clean EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1

# needs TOOL...: skip this test without these tools
needs() {
	for needs_tool; do
		command -v "$needs_tool" >/dev/null || skip_all "$needs_tool is not installed"
	done
}

# build_all: make on all CPUs
build_all() {
	nice make -s -j "$(nproc 2>/dev/null || echo 1)" "$@"
}

# make_dist: write the tarball into the current directory
make_dist() {
	"$TC_SRCDIR/configure" -q && make -s dist && [ -s "$package.tar.gz" ]
}

# same_trees NAME DIR DIR: equal, names, modes and bytes, and not empty
same_trees() {
	for same_dir in "$2" "$3"; do
		(cd "$same_dir" && find . -printf '%P %y %m %l\n' | sort) >"$tmp/${same_dir##*/}.names"
	done
	if [ "$(find "$2" -type f | wc -l)" -lt 2 ]; then
		fail "$1" "$2 has no files"
	else
		nothing "$1" "$(diff "$tmp/${2##*/}.names" "$tmp/${3##*/}.names"
			diff -rq "$2" "$3")"
	fi
}

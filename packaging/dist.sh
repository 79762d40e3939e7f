#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dist.sh NAME PAGE... - pack the commit that is checked out as NAME.tar.gz in the current directory
#
# The tarball has the files of the commit and the manual pages, so that building from it does not need
# asciidoctor. It depends on the commit alone: names are sorted, times are the commit's, owners are
# numbers. TC_SRCDIR is the repository, ADOC the command that makes a page from its source.

set -u
unset CDPATH
LC_ALL=C
export LC_ALL
umask 022

die() {
	echo "dist: $1" >&2
	exit 1
}

name=$1
shift
# In a tarball unpacked below some other repository, it is not empty.
up=$(git -C "$TC_SRCDIR" rev-parse --show-cdup 2>/dev/null) || up=none
[ -z "$up" ] || die "'$TC_SRCDIR' is not a git repository: make dist packs a commit"
epoch=$(git -C "$TC_SRCDIR" log -1 --format=%ct) || die "'$TC_SRCDIR' has no commit"
[ -n "$ADOC" ] || die "the manual pages need asciidoctor"
[ -z "$(git -C "$TC_SRCDIR" status --porcelain --untracked-files=no)" ] ||
	echo "dist: changes that are not committed are left out" >&2

dir=$(mktemp -d "$PWD/dist.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT HUP TERM
git -C "$TC_SRCDIR" archive --prefix="$name/" HEAD >"$dir/commit.tar" || exit 1
tar -xf "$dir/commit.tar" -C "$dir" || exit 1

SOURCE_DATE_EPOCH=$epoch
export SOURCE_DATE_EPOCH
for page; do
	(cd "$dir/$name" && eval "$ADOC -o '$page' '$page.adoc'") || die "cannot make $page"
done

tar --create --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
	--mode=u+rwX,go+rX,go-w -C "$dir" -f "$dir/dist.tar" "$name" || exit 1
gzip -9n "$dir/dist.tar" || exit 1
mv "$dir/dist.tar.gz" "$name.tar.gz" || exit 1
echo "$name.tar.gz"

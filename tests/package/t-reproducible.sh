#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two builds in two folders, with other times, languages, masks and numbers of jobs, install the same
# bytes.
#
# needs: root net
# shellcheck source=tests/package/lib.sh
. "$(dirname "$0")/lib.sh"
needs git asciidoctor

# The folder's name is in debug information; this is how Debian's packages leave it out, too.
build() {
	mkdir -p "$1" && tar -xzf "$package.tar.gz" -C "$1" --strip-components=1 && cd "$1" || return 1
	rm -f Documentation/*.[1-9]
	./configure -q --prefix=/usr CFLAGS="-g -O2 -ffile-prefix-map=$PWD=." && $2 &&
		make -s install DESTDIR="$tmp/$3"
}

runs "make dist" make_dist
SOURCE_DATE_EPOCH=$(git -C "$TC_SRCDIR" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
(build one build_all first) >log 2>&1 || fail "the first build" "$(tail log)"
sleep 1
(
	umask 027
	LC_ALL=C.UTF-8 TZ=Pacific/Chatham USER=somebody build a/folder/with/a/longer/name "make -s" second
) >log 2>&1 || fail "the second build" "$(tail log)"
# install sets the modes of files; those of directories are the mask's.
find first second -type d -exec chmod 755 {} +
same_trees "both install the same files" first second
is "programs and plugins are among them" \
	"$(find first -name 'tc-*' -path '*/bin/*' -o -name '*.so' | wc -l)" 10
nothing "no file names the folder it was built in" "$(grep -rlF "$tmp" first second)"
finish

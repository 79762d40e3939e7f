#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make dist: the tarball has what the commit has, and the manual pages; its bytes depend on nothing
# else; it builds, passes make check and installs without git and asciidoctor.
#
# needs: root net
# shellcheck source=tests/package/lib.sh
. "$(dirname "$0")/lib.sh"
needs git asciidoctor

mkdir one && cd one || exit 1
runs "make dist makes a tarball" make_dist
cd "$tmp" || exit 1
runs "the repository can be cloned" git clone -q --no-hardlinks "$TC_SRCDIR" another-folder
runs "the clone has the same commit" git -C another-folder checkout -q \
	"$(git -C "$TC_SRCDIR" rev-parse HEAD)"
git clone -q another-folder plain
cd another-folder || exit 1
(
	umask 077
	TZ=Asia/Tokyo LANG=C.UTF-8 make_dist
) >log 2>&1
runs "another umask, time zone and folder make the same bytes" \
	cmp "$package.tar.gz" "$tmp/one/$package.tar.gz"
cd "$tmp" || exit 1

tar -xzf "one/$package.tar.gz"
git -C plain ls-files | sort >want
find "$TC_SRCDIR/Documentation" -name '*.[0-9].adoc' -printf 'Documentation/%P\n' |
	sed 's/\.adoc$//' | sort >pages
sort want pages >want.all
(cd "$package" && find . -type f -o -type l) | sed 's,^\./,,' | sort >got
nothing "it has the files of the commit and the pages, no other" "$(diff want.all got)"
nothing "all with the commit's bytes" "$(while read -r f; do
	cmp "plain/$f" "$package/$f"
done <want 2>&1)"
nothing "owners are numbers, names sorted" "$(tar -tvzf "one/$package.tar.gz" |
	awk '$2 != "0/0" { print "owner: " $0 } { print $6 }' |
	sed 's,/$,,' | tr / '\001' >names
	sort -c names 2>&1
	grep owner: names)"

# Any call of asciidoctor fails.
cd "$package" || exit 1
runs "configure" ./configure -q ASCIIDOCTOR=false --prefix=/opt/tc
runs "make" build_all ASCIIDOCTOR=false
refuses "a tarball makes no tarball" make -s dist
if make -s check >../check.log 2>&1; then
	pass "make check ($(tail -n 1 ../check.log))"
else
	fail "make check" "$(grep -v '^ok' ../check.log | tail -n 30)"
fi
runs "make install" make -s install DESTDIR="$tmp/root"
nothing "each page is installed" "$(while read -r page; do
	[ -s "$tmp/root/opt/tc/share/man/man${page##*.}/${page##*/}" ] || echo "$page is not"
done <../pages)"
runs "an installed program starts" "$tmp/root/opt/tc/bin/tc-report" --version
runs "make uninstall" make -s uninstall DESTDIR="$tmp/root"
nothing "nothing of it is left" "$(find "$tmp/root" ! -type d)"
runs "make distclean" make -s distclean ASCIIDOCTOR=
find . -type f -o -type l | sed 's,^\./,,' | sort >../left
nothing "the tarball's files are left" "$(diff ../got ../left)"
finish

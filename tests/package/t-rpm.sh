#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rpmbuild makes packages from the tarball as a plain user, and they have the files of make install.
# Its own database knows no build dependencies here, so these are not checked.
#
# needs: root net
# shellcheck source=tests/package/lib.sh
. "$(dirname "$0")/lib.sh"
needs git asciidoctor rpmbuild rpm

is "the spec has the version of configure" \
	"$(sed -n 's/^Version: *//p' "$TC_SRCDIR/packaging/tracecraft.spec")" "${package#*-}"
is "and debian/changelog" \
	"$(sed -n '1s/.*(\([^)]*\)).*/\1/p' "$TC_SRCDIR/debian/changelog")" "${package#*-}"
runs "make dist" make_dist
chmod -R go+rX "$tmp"
as_user=
if [ "$(id -u)" = 0 ]; then
	as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	mkdir top && chown 65534:65534 top
fi
# shellcheck disable=SC2086 # a command with its options
if HOME=$tmp/top nice $as_user rpmbuild -ta --nodeps --define "_topdir $tmp/top" \
	--define "debug_package %{nil}" "$package.tar.gz" >log 2>&1; then
	pass "rpmbuild builds it, and its tests pass"
else
	fail "rpmbuild builds it" "$(grep -E '^(FAIL|  *\| (not ok|#)|[0-9]+ passed|error)' log | head -n 40)" "$(tail log)"
	finish
fi
is "there are two packages" "$(find top/RPMS -name '*.rpm' | wc -l)" 2
find top/RPMS -name '*.rpm' -exec rpm -qpl {} + 2>/dev/null | grep -vE '/(doc|licenses)/|build-id' |
	sed 's/\.gz$//' | sort -u >packed
tar -xzf "$package.tar.gz"
(cd "$package" && ./configure -q --prefix=/usr --sysconfdir=/etc \
	--libdir="$(rpm --eval '%{_libdir}')" && build_all all &&
	make -s install DESTDIR="$tmp/root") >log 2>&1 || fail "make install" "$(tail log)"
(cd root && find . ! -type d) | sed 's/^\.//' | grep -v /doc/ | sort >installed
nothing "the files of make install are packed" "$(comm -13 packed installed)"
nothing "nothing else is" "$(comm -23 packed installed | while read -r f; do
	[ -d "root$f" ] || echo "$f"
done)"
is "the configuration is marked" "$(find top/RPMS -name '*recorder*' -exec rpm -qpc {} + 2>/dev/null)" \
	/etc/tracecraft/flight/default.conf
finish

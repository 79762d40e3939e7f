#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Debian packages in clean systems: built from the tarball in each release, twice with equal bytes, clean
# by lintian, installed elsewhere, used, removed without a trace.
#
#   TC_SUITES        releases: "bookworm trixie"
#   TC_ROOTS         a directory with a minimal system in SUITE/, made by debootstrap --variant=minbase;
#                    default: they are made for this test
#   TC_MIRROR        http://deb.debian.org/debian
#   TC_LIVE_WRAPPER  put before the commands that trace
#   TC_NOCHECK=yes   leave out the tests of the first build, too
#
# needs: root net
if [ "${TC_UNSHARED:-}" != yes ] && [ "$(id -u)" = 0 ]; then
	# mounts end with the test
	TC_UNSHARED=yes exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=tests/package/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "clean systems need root"
needs git asciidoctor debootstrap unshare
mirror=${TC_MIRROR:-http://deb.debian.org/debian}

# root_of SUITE DIR: a new minimal system, with nothing of this machine in it but /proc
root_of() {
	if [ -n "${TC_ROOTS:-}" ]; then
		cp -a --reflink=auto "$TC_ROOTS/$1" "$2"
	else
		[ -d "$tmp/base-$1" ] || debootstrap --variant=minbase "$1" "$tmp/base-$1" "$mirror"
		cp -a --reflink=auto "$tmp/base-$1" "$2"
	fi
	cp /etc/resolv.conf "$2/etc/resolv.conf"
	# /dev has nodes of its own, made by debootstrap; terminals are this system's own, too
	mount -t proc proc "$2/proc" && mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$2/dev/pts"
}
# in_root DIR COMMAND...
in_root() {
	in_dir=$1
	shift
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/root DEBIAN_FRONTEND=noninteractive \
		chroot "$in_dir" "$@"
}
apt() {
	apt_dir=$1
	shift
	in_root "$apt_dir" apt-get -q -y --no-install-recommends "$@"
}
# build DIR FOLDER OPTIONS SETTINGS: packages of the tarball, made as a user
build() {
	in_root "$1" su builder -c "$4 mkdir -p $2 && cd $2 && tar -xzf /$package.tar.gz &&
		cd $package && DEB_BUILD_OPTIONS='$3' nice dpkg-buildpackage -us -uc -F"
}
# differences DIR DIR: of packages with different bytes, the files that differ
differences() {
	for deb in "$1"/*.deb; do
		! cmp -s "$deb" "$2/${deb##*/}" || continue
		rm -rf "$tmp/unpacked"
		for side in 1 2; do
			from=$1
			[ $side = 1 ] || from=$2
			mkdir -p "$tmp/unpacked/$side"
			dpkg-deb -R "$from/${deb##*/}" "$tmp/unpacked/$side"
			(cd "$tmp/unpacked/$side" && find . -printf '%p %y %m %s %T@ %l\n' | sort) \
				>"$tmp/unpacked/$side.list"
		done
		echo "${deb##*/}:"
		diff "$tmp/unpacked/1.list" "$tmp/unpacked/2.list"
		diff -rq "$tmp/unpacked/1" "$tmp/unpacked/2"
	done
}
# files_of DIR: but for those that apt and dpkg write for any package
files_of() {
	(cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt \
		-o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./run \) \
		-prune -o -print) | sort
}

# built SUITE: builds in $tmp/SUITE-build, packages in $tmp/SUITE-debs
built() {
	suite=$1 b=$tmp/$1-build
	root_of "$suite" "$b" >log 2>&1 || { fail "$suite: a minimal system" "$(tail log)"; return 1; }
	cp "$package.tar.gz" "$b/"
	mkdir "$b/src" && tar -xzf "$package.tar.gz" -C "$b/src"
	{
		apt "$b" update && apt "$b" install dpkg-dev build-essential fakeroot lintian &&
			apt "$b" build-dep "/src/$package" && in_root "$b" useradd -m builder
	} >log 2>&1 || { fail "$suite: build dependencies" "$(tail log)"; return 1; }
	if build "$b" /home/builder/one "parallel=$(nproc)${TC_NOCHECK:+ nocheck}" '' >log 2>&1; then
		pass "$suite: the package is built${TC_NOCHECK:+ without its tests}"
	else
		fail "$suite: the package is built" "$(grep -E '^(FAIL|  *\| (not ok|#)|[0-9]+ passed|E:)' log |
			head -n 40)" "$(tail -n 3 log)"
		return 1
	fi
	runs "$suite: it is built again, in another folder, time zone, language, and with another umask" \
		build "$b" /home/builder/another/folder nocheck \
		'umask 027; export TZ=Pacific/Chatham LC_ALL=C.UTF-8 LANG=C.UTF-8;'
	nothing "$suite: both builds have the same bytes" \
		"$(differences "$b/home/builder/one" "$b/home/builder/another/folder")"
	(cd "$b/home/builder/one" && sha256sum ./*.deb) | sed "s/^/# $suite: /"
	is "$suite: there are three packages" "$(find "$b/home/builder/one" -name '*.deb' | wc -l)" 3
	tags=$(in_root "$b" su builder -c 'lintian --pedantic --info --display-info \
		--profile debian --suppress-tags newer-standards-version,out-of-date-standards-version \
		/home/builder/one/*.changes' 2>&1 | grep -E '^[EWIP]: ')
	nothing "$suite: lintian finds nothing" "$tags"
	mkdir "$tmp/$suite-debs" && cp "$b"/home/builder/one/*.deb "$tmp/$suite-debs/"
}

# used SUITE: the packages in a system that has nothing else
used() {
	suite=$1 u=$tmp/$1-use
	if ! { root_of "$suite" "$u" && apt "$u" update && apt "$u" install xz-utils; } >log 2>&1; then
		fail "$suite: a system to install it in" "$(tail log)"
		return
	fi
	files_of "$u" >before
	mkdir "$u/debs" && cp "$tmp/$suite-debs"/tracecraft_*.deb "$tmp/$suite-debs"/*recorder*.deb "$u/debs"
	runs "$suite: apt installs it" apt "$u" install /debs/"$(cd "$u/debs" && ls tracecraft_*.deb)" \
		/debs/"$(cd "$u/debs" && ls tracecraft-recorder*.deb)"
	nothing "$suite: no recorder is enabled" "$(find "$u/etc/systemd" "$u/var/lib/systemd" \
		-name 'tracecraft*' 2>/dev/null)"
	mkdir "$u/tests" && cp -a "$tmp/$package" "$u/tests/src"
	runs "$suite: the installed programs print the recordings of the tests" in_root "$u" \
		sh -c 'cd /tests/src && debian/tests/report'
	nothing "$suite: each program names its version" "$(for p in "$u"/usr/bin/tc-*; do
		in_root "$u" "/usr/bin/${p##*/}" --version | grep -q "${package#*-}" || echo "$p does not"
	done)"
	if [ -e /sys/kernel/tracing/trace ]; then
		mount -t sysfs sysfs "$u/sys" && mount -t tracefs tracefs "$u/sys/kernel/tracing"
		# shellcheck disable=SC2086 # a command with its options
		runs "$suite: the first command of README records" ${TC_LIVE_WRAPPER:-} chroot "$u" \
			tc-record -e 'sched:*' -o /tests/t.dat -- sleep 1
		in_root "$u" tc-report -i /tests/t.dat >text
		is "$suite: and the second one prints it" "$(grep -c sched_switch: text |
			awk '{ print ($1 > 10) }')" 1
		umount "$u/sys/kernel/tracing" "$u/sys"
	else
		skip "$suite: the first command of README" "there is no tracefs"
	fi
	rm -rf "$u/tests" "$u/debs"
	mkdir -p "$u/var/lib/tracecraft/flight" && touch "$u/var/lib/tracecraft/flight/x.dat"
	runs "$suite: apt purges it" apt "$u" purge --autoremove tracecraft tracecraft-recorder
	files_of "$u" >after
	nothing "$suite: nothing is left" "$(diff before after)"
}

runs "make dist" make_dist
tar -xzf "$package.tar.gz"
for suite in ${TC_SUITES:-bookworm trixie}; do
	! built "$suite" || used "$suite"
done
finish

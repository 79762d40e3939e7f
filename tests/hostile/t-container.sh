#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A container controls its root: nothing in it leads tc-probe, which root runs, out of it or into a
# FIFO or device. Honest files in it are found as the container's processes see them.
#
# wants: root
# area: gate probe

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "only root makes containers here"
for tool in unshare chroot objcopy strip ldd; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
cat >prog.c <<'END'
#include <unistd.h>
int global = 3;
__attribute__((noinline)) int use(int value)
{
	return value + global;
}
int main(int argc, char **argv)
{
	(void)argv;
	for (;;)
		if (pause() == 0 || use(argc) < 0)
			return 0;
}
END
"$cc" -g -O2 -Wl,--build-id -o prog prog.c 2>/dev/null || skip_all "$cc does not compile"
"$cc" -g -O2 -Wl,--build-id=none -o noid prog.c

# A root with the program, its libraries, and a debug file beside it.
mkdir -p root/bin root/etc root/var/lib/dpkg/info root/usr/bin root/proc root/src root/usr/lib/debug
objcopy --only-keep-debug prog root/bin/prog.debug
strip -g -o root/bin/prog prog
objcopy --add-gnu-debuglink=root/bin/prog.debug root/bin/prog
cp prog root/bin/whole
objcopy --only-keep-debug noid root/bin/noid.debug
strip -g -o root/bin/noid noid
objcopy --add-gnu-debuglink=root/bin/noid.debug root/bin/noid
strip -s -o root/usr/bin/bare prog
ldd prog | grep -o '/[^ ]*' >libs
while read -r lib; do
	mkdir -p "root${lib%/*}"
	cp -L "$lib" "root$lib"
done <libs

pids=
# shellcheck disable=SC2317 # the trap calls it
container_clean() {
	for pid in $pids; do
		kill -KILL "$pid" 2>/dev/null
	done
	hostile_clean
}
trap container_clean EXIT

# runs PID PROGRAM: it has got so far
running() {
	for _ in $(seq 200); do
		[ "$(readlink "/proc/$1/exe" 2>/dev/null | sed 's|.*/||; s| (deleted)||')" = "$2" ] &&
			return 0
		sleep 0.05
	done
	return 1
}

chroot root /bin/whole &
jailed=$!
pids="$pids $jailed"
running $jailed whole || skip_all "chroot does not run the program"
# a mount namespace of its own: its root is at a path that is empty here
mkdir root2
unshare -m sh -c "mount --bind $tmp/root $tmp/root2 && exec chroot $tmp/root2 /bin/whole" &
other=$!
pids="$pids $other"
running $other whole || skip_all "unshare does not run the program"

# finds NAME EXPECTED WORDS...: tc-probe WORDS -D use; the path that the kernel gets, and a value
finds() {
	what=$1 path=$2
	shift 2
	bounded "$probe" "$@" -D 'use value'
	is "$what" "$?-$(sed -n 's/^p:[^ ]* \(.*\):0x[0-9a-f]* value=.*/\1/p' out)" "0-$path"
}

for pid in $jailed $other; do
	[ "$pid" = $jailed ] && kind=chroot place=$tmp/root
	[ "$pid" = $other ] && kind=namespace place=/proc/$pid/root
	finds "$kind: --pid" "$place/bin/whole" --pid "$pid"
	finds "$kind: -x /proc/PID/exe" "$place/bin/whole" -x /proc/"$pid"/exe
	finds "$kind: --target-ns -x PATH" "$place/bin/whole" --target-ns "$pid" -x /bin/whole
	finds "$kind: -x /proc/PID/root/PATH" "$place/bin/whole" -x /proc/"$pid"/root/bin/whole
	finds "$kind: a debug file beside it" "$place/bin/prog" --target-ns "$pid" -x /bin/prog
	finds "$kind: the name of a program there" "$place/bin/whole" --pid "$pid" -x whole
	bounded "$probe" --pid "$pid" -x libc.so.6 -D abort
	libc=$(grep 'libc\.so\.6' libs)
	is "$kind: --pid -x libc.so.6 finds the mapped library" \
		"$?-$(sed -n 's/^p:[^ ]* \(.*\):0x[0-9a-f]*$/\1/p' out)" \
		"0-$place$(readlink -f "root$libc" | sed "s|^$tmp/root||")"
	bounded "$probe" --target-ns "$pid" -x /bin/whole --plan - -a use
	is "$kind: a plan has the path inside the container" \
		"$(sed -n 's/^program //p; s/^event p:[^ ]* \(.*\):0x.*/\1/p' out | tr '\n' ' ')" \
		"/bin/whole /bin/whole "
done

# tc-record: what would be written, by a captured tracefs
mkdir tracefs
tar -xzf "$TC_SRCDIR/tests/fake/x86_64-6.1.tar.gz" -C tracefs
fake=$(dirname "$(find "$tmp/tracefs" -name uprobe_events | head -n 1)")
for pid in $jailed $other; do
	[ "$pid" = $jailed ] && place=$tmp/root || place=/proc/$pid/root
	for file in "--target-ns $pid -p uprobe:/bin/whole" "-p uprobe:/proc/$pid/root/bin/whole" \
		"--target-ns $pid -p uprobe:whole"; do
		# shellcheck disable=SC2086 # words
		TRACECRAFT_TRACEFS=$fake "$TC_BUILDDIR/tc-record" --dry-run ${file}:use -o no.dat >out 2>err
		is "tc-record $file" "$?-$(grep -c "/use $place/bin/whole:0x" out)" 0-1
	done
done

# a program that was deleted while it runs
cp prog gone
./gone &
gone=$!
pids="$pids $gone"
running $gone gone
rm gone
finds "a deleted program" "/proc/$gone/exe" --pid $gone
has "is reported as deleted" err 'was deleted'
is "and its group has its name" "$(grep -c '^p:probe_gone/use ' out)" 1

# --- hostile names: each leads out of the root, or to something other than a file
printf 'ID=outside\n' >secret
hostile() {
	what=$1
	shift
	bounded "$probe" "$@"
	is "$what: it ends" "$?" 1
}
mkfifo host-fifo
for pid in $jailed $other; do
	for bad in /dev/zero "$tmp/host-fifo" "../../../../../..$tmp/host-fifo"; do
		rm -f root/etc/os-release root/var/lib/dpkg/info/x.list root/bin/noid.debug
		ln -s "$bad" root/etc/os-release
		ln -s "$bad" root/var/lib/dpkg/info/x.list
		ln -s "$bad" root/bin/noid.debug
		hostile "os-release, list of files: $bad" --target-ns "$pid" -x /usr/bin/bare -D 'use value'
		hostile "debug file: $bad" --target-ns "$pid" -x /bin/noid -D 'use value'
		rm -f root/bin/evil
		ln -s "$bad" root/bin/evil
		hostile "program: $bad" --target-ns "$pid" -x /bin/evil -D use
	done
	rm -f root/etc/os-release root/var/lib/dpkg/info/x.list root/bin/noid.debug root/bin/evil
	mkfifo root/etc/os-release root/var/lib/dpkg/info/x.list root/bin/noid.debug root/bin/evil
	hostile "FIFOs of the container" --target-ns "$pid" -x /usr/bin/bare -D 'use value'
	hostile "its debug file" --target-ns "$pid" -x /bin/noid -D 'use value'
	hostile "its program" --target-ns "$pid" -x /bin/evil -D use
	has "it says why" err 'it is not a regular file'
	rm -f root/bin/evil root/bin/noid.debug
	# the host's own program, by an absolute link; the host's debug file beside a link
	ln -s "$tmp/prog" root/bin/evil
	hostile "a program of the host's" --target-ns "$pid" -x /bin/evil -D use
	cp noid "$tmp/host.debug"
	ln -s "$tmp/host.debug" root/bin/noid.debug
	hostile "a debug file of the host's" --target-ns "$pid" -x /bin/noid -D 'use value'
done
# a source that the line table names is one of the container's
printf '#line 1 "%s/secret"\n' "$tmp" >named.c
cat prog.c >>named.c
"$cc" -g -O2 -o root/bin/named named.c
bounded "$probe" --target-ns $jailed -x /bin/named -L use
is "a source file of the host is not shown" "$?-$(grep -c outside out)" 1-0
finish

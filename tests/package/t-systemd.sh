#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The units of flight recorders under systemd: a guest that boots this machine's release of Debian, with the
# programs of the tarball, makes dumps by each trigger, kills a recorder, reboots, and finds what was in the
# ring buffer before. guest/check.sh runs there.
#
#   TC_ROOTS    a directory with a minimal system in SUITE/, see t-debian.sh
#   TC_MIRROR   http://deb.debian.org/debian
#   TC_KERNEL   6.12; tests/vm/fetch-kernel names others
#
# needs: root net
if [ "${TC_UNSHARED:-}" != yes ] && [ "$(id -u)" = 0 ]; then
	# mounts end with the test
	TC_UNSHARED=yes exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=tests/package/lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "a clean system needs root"
needs git asciidoctor debootstrap unshare cpio qemu-system-x86_64
# shellcheck disable=SC1091 # this machine's
suite=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") ||
	skip_all "this is not Debian, whose libraries the guest has"
[ "$(uname -m)" = x86_64 ] || skip_all "this is not an x86_64"
kernel=$("$TC_SRCDIR/tests/vm/fetch-kernel" "${TC_KERNEL:-6.12}" 2>why) || skip_all "$(tail -n 1 why)"
root=$tmp/root

# --- the guest's system

if [ -n "${TC_ROOTS:-}" ]; then
	cp -a --reflink=auto "$TC_ROOTS/$suite" "$root"
else
	debootstrap --variant=minbase "$suite" "$root" "${TC_MIRROR:-http://deb.debian.org/debian}" >log 2>&1
fi
cp /etc/resolv.conf "$root/etc/" && mount -t proc proc "$root/proc"
in_root() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}
runs "make dist" make_dist
tar -xzf "$package.tar.gz"
if (cd "$package" && ./configure -q --prefix=/usr --sysconfdir=/etc && build_all all &&
	make -s install DESTDIR="$root") >log 2>&1; then
	pass "the programs are installed"
else
	fail "the programs are installed" "$(tail log)"
	finish
fi
libraries=$(find "$root/usr/bin" -name 'tc-*' -exec ldd {} + | sed -n 's/.*=> \([^ ]*\).*/\1/p' | sort -u |
	while read -r lib; do
		dpkg -S "$(readlink -f "$lib")" "$lib" 2>/dev/null
	done | sed 's/:.*//' | sort -u)
# shellcheck disable=SC2086 # words
if ! { in_root apt-get -q update && in_root apt-get -q -y --no-install-recommends install systemd \
	systemd-sysv libtraceevent1-plugin $libraries && in_root apt-get clean; } >log 2>&1; then
	fail "systemd is installed" "$(tail log)"
	finish
fi
umount "$root/proc"
rm -rf "$root"/var/lib/apt/lists/* "$root"/usr/share/doc "$root"/usr/share/locale "$root"/usr/share/man
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
echo guest >"$root/etc/hostname"
for name in default other; do
	cat >"$root/etc/tracecraft/flight/$name.conf" <<-END
		event = sched:sched_process_exec
		trigger = traceoff if filename ~ "*/stop-it"
		event = sched:sched_process_exit
		holdoff = 100ms
	END
done
# The kernel's command line gives the size of "default".
echo "buffer-size = 1M" >>"$root/etc/tracecraft/flight/other.conf"
cat >"$root/etc/systemd/system/fails.service" <<-END
	[Unit]
	OnFailure=tracecraft-flight-dump@default.service
	[Service]
	Type=oneshot
	ExecStart=/bin/false
END
cat >"$root/etc/systemd/system/check.service" <<-END
	[Unit]
	After=tracecraft-flight@default.service
	[Service]
	Type=oneshot
	StandardOutput=null
	ExecStart=/check.sh
	[Install]
	WantedBy=multi-user.target
END
cp "$TC_SRCDIR/tests/package/guest/check.sh" "$root/check.sh"
runs "the recorder is enabled" in_root systemctl enable tracecraft-flight@default check.service
(cd "$root" && find . -xdev -path ./dev -prune -o -print | cpio --quiet -o -H newc -R 0:0 | gzip -1) >initrd

# --- two boots; see tests/vm/run for the processor

qemu-system-x86_64 -accel tcg,thread=single -cpu qemu64,-cx16 -m 1536 -smp 2 -nodefaults -display none \
	-kernel "$kernel/boot/vmlinuz-$(cat "$kernel/release")" -initrd initrd \
	-append "console=ttyS0 rdinit=/usr/lib/systemd/systemd loglevel=3 panic=-1 oops=panic mitigations=off \
nokaslr reserve_mem=16M:4096:flight trace_instance=default^traceoff@flight" \
	-serial file:console -serial file:tap </dev/null >qemu.log 2>&1 &
qemu=$!
trap 'kill "$qemu" 2>/dev/null; package_clean' EXIT
: >>tap
for _ in $(seq "${TC_VM_LIMIT:-600}"); do
	sleep 1
	kill -0 $qemu 2>/dev/null || break
	# a third boot would be without end
	[ "$(grep -c '^@end 1' tap)" -lt 2 ] || break
done
kill "$qemu" 2>/dev/null
tr -d '\r' <tap >results
while read -r line; do
	case $line in
	'ok - '*) pass "${line#ok - }" ;;
	'not ok - '*) fail "${line#not ok - }" ;;
	'@end'*) ;;
	*) printf '%s\n' "$line" ;;
	esac
done <results
# Without a dump of the boot before, the second boot takes itself for the first.
if [ "$(grep -c '^@end 1' results)" = 2 ]; then
	skip "events of the boot before" "the kernel kept none in its memory over the reboot"
else
	for boot in 1 2; do
		is "boot $boot comes to its end" "$(grep -c "^@end $boot" results)" 1
	done
fi
grep -q '^@end 2' results || tail -n 30 console | sed 's/^/# /'
finish

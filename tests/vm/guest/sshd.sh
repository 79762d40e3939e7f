# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# For tests/vm/fleet: serve ssh on 10.0.2.15 until /tmp/end is there.

# shellcheck source=tests/vm/guest/disk.sh
. /tests/disk.sh
load_disk
ip link set eth0 up && ip addr add 10.0.2.15/24 dev eth0 || exit 1
mkdir -p /run/sshd /dev/pts
mount -t devpts devpts /dev/pts
echo 'sshd:x:100:65534::/run/sshd:/bin/false' >>/etc/passwd
cp /tests/hostkey /run/hostkey && chmod 600 /run/hostkey || exit 1
/bin/sshd -f /tests/guest.conf || exit 1
echo "sshd is up after $(cut -d ' ' -f 1 /proc/uptime) s"
while [ ! -e /tmp/end ]; do
	usleep 200000
done

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh

# load_disk: the modules of the disk; /dev/vda is there then
load_disk()
{
	# Each after those it needs: that order is not the same in all kernels, so three times.
	for m in /lib/virtio/* /lib/virtio/* /lib/virtio/*; do
		insmod "$m" 2>/dev/null
	done
	n=0
	while [ ! -b /dev/vda ] && [ $n -lt 100 ]; do
		n=$((n + 1))
		usleep 50000
	done
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/data/foreign/make.sh - compile foreign.c for each machine that tc-probe knows, with and
# without optimisation: MACHINE-O0.xz and MACHINE-O2.xz beside this file. Needs Debian's cross
# compilers (gcc-aarch64-linux-gnu and so on); where one is missing, its files stay as they are.

set -eu
unset CDPATH
cd "$(dirname "$0")"
for target in aarch64:aarch64-linux-gnu arm:arm-linux-gnueabihf i386:i686-linux-gnu \
	ppc64le:powerpc64le-linux-gnu riscv64:riscv64-linux-gnu s390x:s390x-linux-gnu \
	x86_64:x86_64-linux-gnu; do
	gcc=${target#*:}-gcc
	if ! command -v "$gcc" >/dev/null; then
		echo "no $gcc" >&2
		continue
	fi
	for level in O0 O2; do
		file=${target%%:*}-$level
		"$gcc" -g -"$level" -fPIC -shared -nostdlib -fno-stack-protector \
			"-fdebug-prefix-map=$PWD=." -Wl,--build-id=none -Wl,-z,noseparate-code \
			-Wl,-z,max-page-size=4096 -Wl,-z,common-page-size=4096 \
			-o "$file" foreign.c
		"${target#*:}-objcopy" --remove-section=.comment "$file"
		xz -9f "$file"
	done
done

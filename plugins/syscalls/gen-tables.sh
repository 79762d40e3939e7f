#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Turn the .tbl files of a directory into the C tables of plugin_syscalls, on stdout.
# usage: gen-tables.sh DIR >syscalls-tables.c
set -eu

if [ $# -ne 1 ]; then
	echo "usage: $0 DIR" >&2
	exit 2
fi
dir=$1
abis="x86_64 i386 x32 arm64 arm riscv64 s390x ppc64le"

{
	for set in file net task; do
		echo "@file sets-$set.tbl"
		cat "$dir/sets-$set.tbl"
	done
	echo "@file prototypes.tbl"
	cat "$dir/prototypes.tbl"
	for abi in $abis; do
		echo "@abi $abi"
		echo "@file $abi.tbl"
		cat "$dir/$abi.tbl"
	done
} | awk -f "$dir/gen-tables.awk"

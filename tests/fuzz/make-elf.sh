#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/fuzz/make-elf.sh DIRECTORY - write the seeds of fuzz_elf. Run by hand when they should be
# others: what compilers make of the samples differs from release to release.
#
# Each is a shared object of a few kB with all that tc-probe reads. One with a .dwo file is both,
# one after the other, as fuzz_elf.c says.

set -eu
unset CDPATH
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/samples"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

link='-shared -nostdlib -fPIC -fno-stack-protector -Wl,--build-id=none -Wl,-z,noseparate-code
	-Wl,-z,max-page-size=64 -Wl,--no-undefined-version -Wl,--hash-style=gnu'

# seed NAME COMPILER SOURCE FLAG...
seed()
{
	name=$1 compiler=$2 source=$3
	shift 3
	if ! command -v "$compiler" >/dev/null; then
		echo "$name: no $compiler" >&2
		return
	fi
	# shellcheck disable=SC2086 # words of $link
	"$compiler" $link "-fdebug-prefix-map=$PWD=." "$@" -o "$dir/$name" "$source"
	objcopy --remove-section=.comment --remove-section=.debug_pubnames \
		--remove-section=.debug_pubtypes "$dir/$name"
	cp "$dir/$name" "$out/$name"
}

seed gcc-O0 gcc sample.c -g -O0
seed gcc-O2 gcc sample.c -g -O2
seed gcc-O2-types gcc sample.c -g -gdwarf-4 -fdebug-types-section -O2
seed gcc-O2-zlib gcc sample.c -g -gz -O2
seed gcc-frame-zlib gcc sample.c -g -gz -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables
seed clang-O2 clang sample.c -g -gdwarf-5 -O2 -fdebug-compilation-dir=.
seed clang-O0 clang sample.c -g -gdwarf-5 -O0 -fdebug-compilation-dir=.
seed g++-O2 g++ sample.cc -g -O2 -fno-exceptions
seed clang++-O1 clang++ sample.cc -g -gdwarf-5 -O1 -fno-exceptions -fdebug-compilation-dir=.

# functions and lines by Go's own table alone
seed go-lines gcc go.S -s

# split NAME FLAG... - the size of the program in 8 hexadecimal digits, the program, its .dwo
split()
{
	name=$1
	shift
	(
		cd "$dir"
		cp "$OLDPWD/sample.c" .
		gcc -c -fPIC -fno-stack-protector -gsplit-dwarf -fdebug-prefix-map="$dir"=. "$@" \
			-o second.o sample.c
		# shellcheck disable=SC2086
		gcc $link -o "$name" second.o
		printf 'ELF2%08x' "$(stat -c %s "$name")"
		cat "$name" second.dwo
	) >"$out/$name"
}

# module NAME FLAG... - what the kernel would take for a module
module()
{
	name=$1
	shift
	gcc -c -fno-stack-protector -fno-asynchronous-unwind-tables "-fdebug-prefix-map=$PWD=." "$@" \
		-o "$dir/$name" sample.c
	printf 'name=sample\0' >"$dir/modinfo"
	objcopy --remove-section=.comment --add-section .modinfo="$dir/modinfo" \
		--add-section .gnu.linkonce.this_module="$dir/modinfo" "$dir/$name"
	cp "$dir/$name" "$out/$name"
}

module module -g -O2
module module-zlib -g -O1 -gz

split split-dwarf5 -g -O2
split split-dwarf4 -g -gdwarf-4 -O2
ls -l "$out"

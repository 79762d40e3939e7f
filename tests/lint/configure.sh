#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# area: build
#
# configure's contract with people and packaging tools, under dash and bash.
#
# area: gate build

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
dir=$(mktemp -d "${TMPDIR:-/tmp}/tc-configure.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
configure=$TC_SRCDIR/configure
cc=$(sed -n 's/^CC = //p' "$TC_BUILDDIR/Makefile")

# accepts OPTION...: to be asked with all others
accepts() {
	echo "$*" >>options
	n_options=$((n_options + 1))
}

# Options are read before anything is looked for, so with --help at the end nothing else is done. All of them
# in one call; each alone only to find the one that is refused.
all_accepted() {
	# shellcheck disable=SC2046 # no option has a blank
	if "$shell" "$configure" $(cat options) --help >/dev/null 2>&1; then
		pass "$shell: takes $n_options options"
	else
		fail "$shell: takes $n_options options"
		while read -r option; do
			# shellcheck disable=SC2086
			runs "$shell: takes $option" "$shell" "$configure" $option --help </dev/null
		done <options
	fi
	rm options
}

# What --help documents, one option a line, each with a value where it takes one
documented() {
	"$shell" "$configure" --help |
		grep -oE -e '--[a-z]+(-[a-z]+)*(=[A-Z]+)?' | sort -u | grep -v -e --help -e --version |
		sed 's/=DIR$/=./; s/=TRIPLET$/=x86_64-linux-gnu/; s/=LIST$/=address/'
}

options_of() {
	shell=$1 n_options=0
	for option in $(documented); do
		case $option in
		--*dir | --prefix | --exec-prefix) accepts "$option=/some/where" ;;
		--srcdir=*) accepts "--srcdir=$TC_SRCDIR" ;;
		--program-prefix) accepts --program-prefix= ;;
		*) accepts "$option" ;;
		esac
	done
	for feature in silent-rules dependency-tracking maintainer-mode option-checking werror \
		coverage; do
		accepts "--enable-$feature"
		accepts "--disable-$feature"
	done
	accepts --prefix /two/words
	accepts CC=cc CFLAGS=-O1 LDFLAGS= PKG_CONFIG=pkg-config
	all_accepted

	for wrong in --bogus --bogus=1 --enable-bogus --disable-bogus --with-bogus --without-bogus \
		--enable-werror=maybe --disable-werror=yes --prefix=relative --prefix \
		--program-prefix=x -x BOGUS=1 bogus --without-zlib; do
		refuses "$shell: refuses $wrong" "$shell" "$configure" "$wrong"
	done
	nothing "$shell: a refused option leaves nothing behind" "$(ls -A)"
}

# As debhelper calls it, and as rpm's macro does
# shellcheck disable=SC2016,SC2317 # for make to expand; called by name
debian() {
	"$shell" "$configure" --build=x86_64-linux-gnu --prefix=/usr '--includedir=${prefix}/include' \
		'--mandir=${prefix}/share/man' '--infodir=${prefix}/share/info' --sysconfdir=/etc \
		--localstatedir=/var --disable-option-checking --disable-silent-rules \
		'--libdir=${prefix}/lib/x86_64-linux-gnu' --runstatedir=/run \
		--disable-maintainer-mode --disable-dependency-tracking CC="$cc" CFLAGS='-O1 -g'
}
# shellcheck disable=SC2317 # called by name
rpm() {
	"$shell" "$configure" --build=x86_64-redhat-linux-gnu --host=x86_64-redhat-linux-gnu \
		--program-prefix= --disable-dependency-tracking --prefix=/usr --exec-prefix=/usr \
		--bindir=/usr/bin --sbindir=/usr/sbin --sysconfdir=/etc --datadir=/usr/share \
		--includedir=/usr/include --libdir=/usr/lib64 --libexecdir=/usr/libexec \
		--localstatedir=/var --runstatedir=/run --sharedstatedir=/var/lib \
		--mandir=/usr/share/man --infodir=/usr/share/info CC="$cc"
}

packaging() {
	shell=$1 call=$2 libdir=$3
	mkdir "$call.$shell" && cd "$call.$shell" || exit 1
	runs "$shell: configures as $call does" "$call"
	is "$shell: $call's libdir reaches the plugin directory" \
		"$(sed -n 's/^#define PACKAGE_PLUGIN_DIR //p' config.h)" "\"$libdir/tracecraft/plugins\""
	nothing "$shell: macros of config.h are 0 or 1" \
		"$(grep '^#define HAVE_' config.h | grep -v ' [01]$')"
	nothing "$shell: everything is substituted" "$(grep '@[A-Za-z_]*@' Makefile)"
	cp Makefile before
	runs "$shell: config.status repeats it" ./config.status
	is "$shell: config.status makes the same Makefile" "$(cat Makefile)" "$(cat before)"
	runs "$shell: make reads the Makefile" make -n help
	cd ..
}

for shell in dash bash; do
	if ! command -v "$shell" >/dev/null; then
		skip "$shell: options" "no $shell"
		continue
	fi
	options_of "$shell"
done
packaging sh debian /usr/lib/x86_64-linux-gnu
! command -v bash >/dev/null || packaging bash rpm /usr/lib64

# without NAME MACRO TARGET STUB: configured so, its macro is 0 and the stub is compiled
without() {
	is "without $1 $2 is 0" "$(grep -w "$2" config.h)" "#define $2 0"
	is "without $1 its stub is compiled" "$(make -n "$3" 2>/dev/null | grep -c "$4-none\\.c\$")" 1
}
# with NAME MACRO: another one is not affected; it may be missing on this machine
with() {
	is "$1 is as this machine has it" "$(grep -w "$2" config.h)" "$(grep -w "$2" ../debian.sh/config.h)"
}
# Two at a time: a run of configure takes a second.
mkdir none && cd none || exit 1
runs "configures without zstd and ncurses" "$configure" --without-zstd --without-ncurses CC="$cc"
without zstd HAVE_ZSTD libtfs.a tracedat/compress-zstd
without ncurses HAVE_NCURSES tc-top tc-top-screen
with libdeflate HAVE_LIBDEFLATE
with libiberty HAVE_LIBIBERTY
runs "configures without libdeflate and libiberty" "$configure" --without-libdeflate --without-libiberty CC="$cc"
without libdeflate HAVE_LIBDEFLATE libtfs.a base/inflate
without libiberty HAVE_LIBIBERTY libtfs.a dso/demangle
with zstd HAVE_ZSTD
with ncurses HAVE_NCURSES
cd ..

# A library that is not there: named, with what to install.
mkdir missing && cd missing || exit 1
printf '#!/bin/sh\nexit 1\n' >no-pkg-config
chmod +x no-pkg-config
refuses "refuses to go on without libraries" "$configure" PKG_CONFIG="$PWD/no-pkg-config" CC="$cc"
is "says what to install" "$(printf '%s\n' "$tap_out" | grep -c 'apt-get install.*libtracefs-dev')" 1
nothing "makes no Makefile in that case" "$(ls Makefile config.h config.status 2>/dev/null)"
cd ..

finish

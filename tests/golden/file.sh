#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# file.sh [FILE...] - tc-file beside trace-cmd and over tc-report
#
# FILE: recordings, NAME.dat or NAME.dat.xz, or directories of them; without any, some of data/recordings.
# A file that tc-file writes must give the same text as what it was made of, in tc-report and, where trace-cmd
# is there and reads the input, in trace-cmd report. tc-file dump is compared with trace-cmd dump.
#
# area: gate report
# cost: 12

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin file xz
file=$TC_BUILDDIR/tc-file
if [ $# -eq 0 ]; then
	cd "$TC_SRCDIR/tests/data/recordings" || exit 1
	set -- x86_64-6.12/subbuf16-v6.dat.xz x86_64/inst.dat.xz x86_64/lost.dat.xz x86_64/ev-v6.dat.xz \
		s390x/inst.dat.xz i386/kprobe.dat.xz ppc64el/kprobe.dat.xz x86_64/tsc2nsec.dat.xz \
		x86_64-lat/latency-wakeup.dat.xz x86_64-lat/latency-v6.dat.xz
fi

# text FILE: what tc-report prints
text() {
	"$TC_BUILDDIR/tc-report" --no-pager "$1" 2>&1
}

# trace-cmd 3.1 has no flags in its text, later ones do.
no_flags=''
! trace-cmd report -h 2>&1 | grep -q '^trace-cmd version 3\.1\.' || no_flags=--no-flags

# peer FILE: what trace-cmd report prints; fails where it cannot read FILE
peer() {
	command -v trace-cmd >/dev/null && trace-cmd report "$1" 2>/dev/null
}

# keeps WHAT FILE: does FILE give the text of $dat, which is in want and want.peer?
keeps() {
	text "$2" >"$tmp/got"
	if ! [ -s "$tmp/want" ] || ! cmp -s "$tmp/want" "$tmp/got"; then
		fail "$name: $1: tc-report prints the same" "$(diff "$tmp/want" "$tmp/got" | head -n 5)"
		return
	fi
	[ -s "$tmp/want.peer" ] || return 0
	peer "$2" >"$tmp/got.peer"
	cmp -s "$tmp/want.peer" "$tmp/got.peer" ||
		fail "$name: $1: trace-cmd report prints the same" \
			"$(diff "$tmp/want.peer" "$tmp/got.peer" | head -n 5)"
}

# options_of FILE: those that do not say where something is, and without what depends on the version
options_of() {
	"$file" dump --options "$1" | grep -v '^	\[' |
		awk '/^\t\t\[Option/ { off = / @ / || /BUFFER|DONE|CPUCOUNT/ } !off && NF'
}

convert() {
	options_of "$dat" >"$tmp/options"
	for form in "7 none" "7 zlib" "7 zstd" "6 none"; do
		version=${form% *}
		codec=${form#* }
		[ "$codec" != zstd ] || [ "$zstd" = yes ] || continue
		runs "$name: is converted to version $form" "$file" convert -q --file-version "$version" \
			--compression "$codec" -o "$tmp/out.dat" "$dat"
		runs "$name: version $form is sound" "$file" check -q "$tmp/out.dat"
		options_of "$tmp/out.dat" >"$tmp/options.out"
		is "$name: version $form has the same options" \
			"$(diff "$tmp/options" "$tmp/options.out" | head -n 5)" ""
		[ "$version" = 6 ] || is "$name: version $form has a section of symbols, which trace-cmd split needs" \
			"$("$file" dump --options "$tmp/out.dat" | grep -c 'Option KALLSYMS,')" 1
		# Debian's trace-cmd has no zlib.
		if [ "$codec" = zlib ]; then
			text "$tmp/out.dat" >"$tmp/got"
			cmp -s "$tmp/want" "$tmp/got" || fail "$name: version $form: tc-report prints the same"
		else
			keeps "version $form" "$tmp/out.dat"
		fi
	done
}

dump() {
	if ! command -v trace-cmd >/dev/null || ! trace-cmd dump "$dat" >/dev/null 2>&1; then
		skip "$name: dump" "no trace-cmd that reads it"
		return
	fi
	wrong=
	for what in summary head-page head-event ftrace-events systems events kallsyms printk cmd-lines \
		options flyrecord clock sections strings; do
		trace-cmd dump --$what "$dat" >"$tmp/theirs" 2>/dev/null
		"$file" dump --$what "$dat" >"$tmp/ours" || wrong="$wrong $what:$?"
		cmp -s "$tmp/theirs" "$tmp/ours" || wrong="$wrong $what"
	done
	nothing "$name: dump prints what trace-cmd dump prints" "$wrong"
}

# cut_like OPTION...: a piece has the text that tc-report prints of the whole with the same options
cut_like() {
	# shellcheck disable=SC2086 # two words or none
	if ! "$file" split -q "$@" $readable -o "$tmp/piece.dat" "$dat" 2>"$tmp/err"; then
		fail "$name: is cut with $*" "$(cat "$tmp/err")"
		return
	fi
	"$TC_BUILDDIR/tc-report" --no-pager "$@" "$dat" >"$tmp/part" 2>&1
	text "$tmp/piece.dat" >"$tmp/got"
	# A loss before a record that is left out goes to the next on its CPU: others may come between.
	case $* in
	*--select* | *-F*)
		for cut_text in part got; do
			grep 'EVENTS DROPPED\]$' "$tmp/$cut_text" >"$tmp/losses"
			sed -i '/EVENTS DROPPED\]$/d' "$tmp/$cut_text"
			cat "$tmp/losses" >>"$tmp/$cut_text"
		done
		;;
	esac
	if cmp -s "$tmp/part" "$tmp/got" && "$file" check -q "$tmp/piece.dat"; then
		pass "$name: split $*: tc-report prints the same"
	else
		fail "$name: split $*: tc-report prints the same" "$(diff "$tmp/part" "$tmp/got" | head -n 5)"
	fi
	options_of "$tmp/piece.dat" >"$tmp/options.out"
	cmp -s "$tmp/options" "$tmp/options.out" || fail "$name: split $*: all options are kept"
	command -v trace-cmd >/dev/null || return 0
	"$TC_BUILDDIR/tc-report" --compat ${no_flags:+"$no_flags"} --no-pager "$@" "$dat" 2>/dev/null |
		grep -v 'EVENTS DROPPED\]$\| raw_data: ' >"$tmp/part"
	peer "$tmp/piece.dat" | grep -v 'EVENTS DROPPED\]$\| raw_data: ' >"$tmp/got.peer"
	cmp -s "$tmp/part" "$tmp/got.peer" ||
		fail "$name: split $*: trace-cmd report prints the same" \
			"$(diff "$tmp/part" "$tmp/got.peer" | head -n 5)"
}

# pieces OPTION...: all of them together have the lines of the whole
pieces() {
	rm -f "$tmp"/piece.dat*
	runs "$name: is cut with $*" "$file" split -q "$@" -o "$tmp/piece.dat" "$dat"
	n=0
	while [ -f "$tmp/piece.dat.$((n + 1))" ]; do
		n=$((n + 1))
		text "$tmp/piece.dat.$n"
	done | grep -v '^cpus=' >"$tmp/got"
	n=$(find "$tmp" -name 'piece.dat.*' | wc -l)
	grep -v '^cpus=' "$tmp/want" >"$tmp/part"
	is "$name: split $*: $n pieces have all lines, in order" \
		"$((n > 1))-$(diff "$tmp/part" "$tmp/got" | head -n 5)" "1-"
}

# scrub: none of the words that are removed is left (scrub.py)
scrub() {
	if ! command -v python3 >/dev/null; then
		skip "$name: scrub" "python3 is not installed"
		return
	fi
	runs "$name: is scrubbed" "$file" scrub -q -o "$tmp/scrubbed.dat" "$dat"
	runs "$name: scrubbed, it is sound" "$file" check -q "$tmp/scrubbed.dat"
	if [ -s "$tmp/want.peer" ]; then
		is "$name: trace-cmd report prints as many lines of the scrubbed file" \
			"$(peer "$tmp/scrubbed.dat" | wc -l)" "$(wc -l <"$tmp/want.peer")"
	fi
	"$file" convert -q --compression none -o "$tmp/flat.dat" "$tmp/scrubbed.dat"
	python3 "$TC_SRCDIR/tests/golden/scrub.py" "$TC_BUILDDIR" "$dat" "$tmp/scrubbed.dat" \
		"$tmp/flat.dat" >"$tmp/lines" 2>&1 ||
		echo "not ok - scrub.py failed: $(tail -n 1 "$tmp/lines")" >>"$tmp/lines"
	while IFS= read -r line; do
		case $line in
		'ok - '*) pass "$name: scrubbed: ${line#ok - }" ;;
		*) fail "$name: scrubbed" "$line" ;;
		esac
	done <"$tmp/lines"
}

# joined WHAT: is it the whole again?
joined() {
	runs "$name: $1: joined, it is sound" "$file" check -q "$tmp/joined.dat"
	options_of "$tmp/joined.dat" >"$tmp/options.out"
	is "$name: $1: joined, it has the options of the whole" \
		"$(diff "$tmp/options" "$tmp/options.out" | head -n 5)" ""
	keeps "$1, joined" "$tmp/joined.dat"
}

# shellcheck disable=SC2046,SC2086 # names without blanks; two words or none
split() {
	# Debian's trace-cmd has no zlib.
	readable=
	[ "$zstd" = no ] || readable="--compression zstd"
	for range in 0%-50% 50%-100% 10%-10.7% 33%-34% 47.13%-92.9% 99%-100%; do
		cut_like --time "$range"
	done
	[ "$name" = x86_64/tsc2nsec ] || cut_like -C 1
	cut_like -C 0 --time 20%-80%
	case $name in
	x86_64/lost | x86_64/ev-v6 | x86_64/inst | s390x/inst)
		cut_like --select sched_switch
		cut_like -F 'sched_switch:prev_pid != 0' --time 10%-80%
		cut_like -v -F sched_waking
		cut_like --comm 'sh'
		pieces --count 100
		pieces --size 8K
		# the pieces in any order
		runs "$name: pieces are joined" "$file" merge -q $readable -o "$tmp/joined.dat" \
			$(find "$tmp" -name 'piece.dat.*' | sort -r)
		joined "pieces by size"
		pieces --every 10ms
		runs "$name: CPUs are cut apart" "$file" split -q -C 0 -o "$tmp/piece.dat.1" "$dat"
		runs "$name: the other CPU" "$file" split -q -C 1 -o "$tmp/piece.dat.2" "$dat"
		runs "$name: CPUs are joined" "$file" merge -q $readable -o "$tmp/joined.dat" \
			"$tmp/piece.dat.2" "$tmp/piece.dat.1"
		joined "CPUs"
		;;
	esac
	case $name in
	x86_64/ev-v6 | s390x/inst)
		"$file" split -q -F sched_switch -o "$tmp/piece.dat.1" "$dat"
		"$file" split -q -v -F sched_switch -o "$tmp/piece.dat.2" "$dat"
		runs "$name: parts that overlap are joined" "$file" merge -q $readable \
			-o "$tmp/joined.dat" "$tmp/piece.dat.2" "$tmp/piece.dat.1"
		joined "parts that overlap"
		pieces --every 7ms --compression none --file-version 6
		;;
	esac
}

# The records that trace-cmd split finds between the same two moments
split_beside() {
	if ! command -v trace-cmd >/dev/null; then
		skip "trace-cmd split" "trace-cmd is not installed"
		return
	fi
	# shellcheck disable=SC2046 # two stamps
	set -- $(awk '{ for (i = 2; i < 6; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { sub(":", "", $i); print $i; next } }' \
		"$tmp/want.peer" | sed -n '40p; 400p')
	(cd "$tmp" && trace-cmd split -i whole.dat -o theirs.dat "$1" "$2") >/dev/null 2>&1
	"$file" split -q --time "$1,$2" -o "$tmp/ours.dat" "$dat"
	for one_of in "$tmp"/theirs.dat*; do
		peer "$one_of"
	done | grep -c '\[00' >"$tmp/theirs"
	peer "$tmp/ours.dat" | grep -c '\[00' >"$tmp/ours"
	is "$name: as many records as trace-cmd split finds, within those of the two stamps" \
		"$(paste "$tmp/theirs" "$tmp/ours" |
			awk '{ d = $1 - $2; print ($1 > 300 && d * d <= 9) }')" 1
}

zstd=yes
! grep -q '^#define HAVE_ZSTD 0' "$TC_BUILDDIR/config.h" || zstd=no
for one in $(recordings "$@"); do
	unpacked "$one"
	name=$(echo "$base" | awk -F / '{ print $(NF - 1) "/" $NF }')
	if lacks_codec "$dat"; then
		skip "$name" "zstd is not built in"
		continue
	fi
	cp "$dat" "$tmp/whole.dat"
	dat=$tmp/whole.dat
	text "$dat" >"$tmp/want"
	peer "$dat" >"$tmp/want.peer" || : >"$tmp/want.peer"
	convert
	dump
	case $name in
	x86_64-lat/latency*)
		refuses "$name: text is not cut" "$file" split --time 0%-50% -o "$tmp/piece.dat" "$dat"
		;;
	*) split ;;
	esac
	case $name in x86_64/ev-v6 | x86_64/lost) split_beside ;; esac
	case $name in x86_64/ev-v6 | x86_64/inst | x86_64/lost | s390x/inst) scrub ;; esac
done

# --- recordings that do not belong together, and two that do

if [ "$zstd" = yes ]; then
	for name in x86_64/inst s390x/inst x86_64/kprobe; do
		xz -dc "$TC_SRCDIR/tests/data/recordings/$name.dat.xz" >"$tmp/$(echo $name | tr / -).dat"
	done
	"$file" merge -o "$tmp/joined.dat" "$tmp/x86_64-inst.dat" "$tmp/s390x-inst.dat" 2>"$tmp/err"
	is "another architecture is not joined" "$?-$(grep -c 'different architectures' "$tmp/err")" 1-1
	"$file" merge -o "$tmp/joined.dat" "$tmp/x86_64-inst.dat" "$tmp/x86_64-kprobe.dat" 2>"$tmp/err"
	is "another boot is not joined" "$?-$(grep -c 'cannot be joined' "$tmp/err")" 1-1
	"$file" merge -o "$tmp/joined.dat" "$tmp/x86_64-inst.dat" "$tmp/x86_64-inst.dat" 2>"$tmp/err"
	is "a recording is not joined with itself" "$?-$(grep -c 'given twice' "$tmp/err")" 1-1
	"$file" merge -o "$tmp/joined.dat" "$tmp/x86_64-inst.dat" 2>"$tmp/err"
	is "one recording is a mistake" "$?" 2
fi

# --- a number that is that of another event in each recording

# piece OLD NEW...: the second half with bytes after the format of jif_p replaced, in piece.dat.3
piece() {
	python3 - "$tmp/piece.dat.2" "$tmp/piece.dat.3" "$@" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		at = data.index(b"name: jif_p\n")
		for i in range(3, len(sys.argv), 2):
		    old, new = sys.argv[i].encode(), sys.argv[i + 1].encode()
		    assert len(old) == len(new) and old in data[at:]
		    data = data[:at] + data[at:].replace(old, new, 1)
		open(sys.argv[2], "wb").write(data)
	END
}

# beside_each WHAT FILE FILE: joined, they have the lines that each has, chosen by name as well
beside_each() {
	each_what=$1
	shift
	runs "$each_what: are joined" "$file" merge -q --compression none -o "$tmp/joined.dat" "$2" "$1"
	runs "$each_what: joined, it is sound" "$file" check -q "$tmp/joined.dat"
	for each_option in --no-pager '-F jif_p' '-F jif_p:jif>0'; do
		for one_of in "$@"; do
			# shellcheck disable=SC2086 # two words
			"$TC_BUILDDIR/tc-report" --no-pager $each_option "$one_of"
		done 2>&1 | grep -v '^cpus=' >"$tmp/want"
		# shellcheck disable=SC2086
		"$TC_BUILDDIR/tc-report" --no-pager $each_option "$tmp/joined.dat" 2>&1 | grep -v '^cpus=' >"$tmp/got"
		is "$each_what: $each_option: tc-report prints the lines of each" \
			"$(wc -l <"$tmp/got")-$(cmp "$tmp/want" "$tmp/got")" "$(wc -l <"$tmp/want")-"
	done
	is "$each_what: some lines are of the changed format" "$(($(grep -c JOF= "$tmp/got") > 50))" 1
	command -v trace-cmd >/dev/null || return 0
	for one_of in "$@"; do
		peer "$one_of"
	done | grep -v '^cpus=' >"$tmp/want"
	peer "$tmp/joined.dat" | grep -v '^cpus=' >"$tmp/got"
	is "$each_what: trace-cmd report prints the lines of each" \
		"$(($(wc -l <"$tmp/got") > 1000))-$(cmp "$tmp/want" "$tmp/got")" 1-
}

if [ "$zstd" = yes ] && command -v python3 >/dev/null; then
	dat=$tmp/x86_64-kprobe.dat
	"$file" split -q --compression none --time 0%-50% -o "$tmp/piece.dat.1" "$dat"
	"$file" split -q --compression none --time 50%-100% -o "$tmp/piece.dat.2" "$dat"
	piece " jof=0x" " JOF=0x"
	beside_each "formats that differ by their text" "$tmp/piece.dat.1" "$tmp/piece.dat.3"
	# joined.dat has a number for each; a piece of it, and the same event by its old number
	"$file" split -q --compression none --time 0%-50% -o "$tmp/piece.dat.1" "$tmp/joined.dat"
	beside_each "an event by two numbers" "$tmp/piece.dat.1" "$tmp/piece.dat.3"
	is "an event by two numbers: it has one when they are joined" \
		"$("$file" dump --events "$tmp/joined.dat" | grep -c '^name: jif_p$')" 2
	piece "name: jif_p" "name: zap_p" " jof=0x" " JOF=0x"
	"$file" merge -q --compression none -o "$tmp/joined.dat" "$tmp/piece.dat.3" "$tmp/piece.dat.1"
	is "another event has another number" \
		"$("$file" dump --events "$tmp/joined.dat" | grep -A 1 '^name: \(jif\|zap\)_p$' | grep -c '^ID: 1399$')" 1
fi

# --- pseudonyms

if [ "$zstd" = yes ]; then
	dat=$tmp/x86_64-inst.dat
	for n in 1 2; do
		"$file" scrub -q --seed one -o "$tmp/one.$n" "$dat"
		"$file" scrub -q -o "$tmp/random.$n" "$dat"
	done
	"$file" scrub -q --seed two -o "$tmp/two" "$dat"
	"$file" scrub --seed '' -o "$tmp/two.2" "$dat" 2>"$tmp/err"
	is "an empty seed is refused" "$?-$(grep -c 'must not be empty' "$tmp/err")-$(ls "$tmp/two.2" 2>/dev/null)" 2-1-
	runs "the same seed gives the same file" cmp "$tmp/one.1" "$tmp/one.2"
	refuses "another seed gives another one" cmp "$tmp/one.1" "$tmp/two"
	refuses "without a seed it is another one each time" cmp "$tmp/random.1" "$tmp/random.2"
	"$file" scrub -o "$tmp/two" --fields comm,no_such_field "$dat" 2>"$tmp/err"
	is "a field that no event has is a mistake" "$?-$(grep -c no_such_field "$tmp/err")" 2-1
	for fields in '' ','; do
		rm -f "$tmp/none"
		"$file" scrub -q --fields "$fields" -o "$tmp/none" "$dat" 2>"$tmp/err"
		is "--fields '$fields' is a mistake" \
			"$?-$(grep -c 'names no field' "$tmp/err")-$(find "$tmp" -name none | wc -l)" 2-1-0
	done
	# a number: the same for the same, and no other changes
	"$file" scrub -q --fields target_cpu -o "$tmp/numbers" "$dat"
	text "$dat" | sed -n 's/.*sched_waking: .* target_cpu=\([0-9]*\).*/\1/p' >"$tmp/want"
	text "$tmp/numbers" | sed -n 's/.*sched_waking: .* target_cpu=\(-*[0-9]*\).*/\1/p' >"$tmp/got"
	is "a number has one pseudonym" "$(paste "$tmp/want" "$tmp/got" | sort -u | wc -l)" \
		"$(sort -u "$tmp/want" | wc -l)"
	refuses "a number is replaced" cmp "$tmp/want" "$tmp/got"
fi

if [ "$zstd" = yes ] && command -v python3 >/dev/null; then
	"$file" convert -q --compression none -o "$tmp/flat.dat" "$dat"
	runs "maps of a process and a guest can be put into a recording" \
		python3 "$TC_SRCDIR/tests/golden/scrub-options.py" "$tmp/flat.dat" "$tmp/maps.dat"
	"$file" dump --options "$tmp/maps.dat" >"$tmp/want"
	is "the maps are in it" "$(grep -ac '/home/bob\|^customer1 ' "$tmp/want")" 3
	# With a seed: one in a hundred random pseudonyms has the three letters in it.
	"$file" scrub -q --seed tests -o "$tmp/scrubbed.dat" "$tmp/maps.dat"
	"$file" dump --options "$tmp/scrubbed.dat" >"$tmp/got"
	is "short words of paths, and a guest's name, are replaced" \
		"$(grep -ac 'bob\|secretd\|customer1' "$tmp/got")" 0
	is "addresses of maps stay" \
		"$(sed -n 's|^\([0-9a-f]* [0-9a-f]* \)/[a-z]*/[a-z]*/.*|\1|p' "$tmp/got" | paste -s -d,)" \
		"4d2 2 ,55d0a1b2c000 55d0a1b2d000 "
	for kind in values unknown; do
		python3 "$TC_SRCDIR/tests/golden/scrub-options.py" "$tmp/flat.dat" "$tmp/$kind.dat" $kind
		"$file" scrub -q --seed tests -o "$tmp/scrubbed.dat" "$tmp/$kind.dat"
		"$file" convert -q --compression none -o "$tmp/flat.scrubbed.dat" "$tmp/scrubbed.dat"
		is "options of $kind: words are in two of them, and not in the scrubbed file, inflated or not" \
			"$(grep -ao secretd "$tmp/$kind.dat" | wc -l)-$(cat "$tmp/scrubbed.dat" "$tmp/flat.scrubbed.dat" |
				grep -ac 'bob\|secretd')" 2-0
	done
	is "options that are not known are left out" "$("$file" dump --options "$tmp/unknown.dat" |
		grep -c 'Option \(26\|31743\) (unknown)')-$("$file" dump --options "$tmp/scrubbed.dat" |
		grep -c 'Option \(26\|31743\) (unknown)')" 2-0
	"$file" scrub -q --fields comm -o "$tmp/scrubbed.dat" "$tmp/maps.dat"
	is "without filename, paths of maps stay, but not a guest's name" \
		"$("$file" dump --options "$tmp/scrubbed.dat" | grep -ac '/home/bob\|customer1')" 2
fi

# --- damage: a byte of a chunk, and the end

name=damage
xz -dc "$TC_SRCDIR/tests/data/recordings/s390x/inst.dat.xz" >"$tmp/whole.dat"
if lacks_codec "$tmp/whole.dat"; then
	skip "damage" "zstd is not built in"
else
	at=$("$file" dump --flyrecord "$tmp/whole.dat" | awk '/data offset/ { print $2; exit }')
	cp "$tmp/whole.dat" "$tmp/bad.dat"
	printf '\377\377\377\377' | dd of="$tmp/bad.dat" bs=1 seek=$((at + 40)) conv=notrunc 2>/dev/null
	"$file" check "$tmp/bad.dat" >"$tmp/out"
	is "a damaged chunk: check exits with 1" "$?" 1
	is "a damaged chunk: its offset is printed" \
		"$(grep -c "^damaged 0x$(printf %08x $((at + 4))) .*do not expand" "$tmp/out")" 1
	"$file" check -q "$tmp/bad.dat" >"$tmp/out"
	is "check -q prints nothing" "$?-$(wc -c <"$tmp/out")" 1-0
	"$file" convert --compression none -o "$tmp/saved.dat" "$tmp/bad.dat" 2>"$tmp/err"
	is "a damaged chunk: convert exits with 1 and says so" "$?-$(grep -c 'is damaged: ' "$tmp/err")" 1-1
	runs "a damaged chunk: what can be read is sound" "$file" check -q "$tmp/saved.dat"
	text "$tmp/whole.dat" | grep -c ': ' >"$tmp/all"
	text "$tmp/saved.dat" | grep -c ': ' >"$tmp/left"
	is "a damaged chunk: the other records are kept" \
		"$(awk 'NR == FNR { all = $1; next } { print ($1 > all / 2 && $1 < all) }' "$tmp/all" "$tmp/left")" 1
	head -c $(($(wc -c <"$tmp/whole.dat") - 5000)) "$tmp/whole.dat" >"$tmp/cut.dat"
	refuses "a truncated file is not sound" "$file" check "$tmp/cut.dat"
	# every part of a file, one byte at a time: no crash, no endless loop
	size=$(wc -c <"$tmp/whole.dat")
	crashed=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		cp "$tmp/whole.dat" "$tmp/bad.dat"
		printf '\377' | dd of="$tmp/bad.dat" bs=1 seek=$((size * i / 21)) conv=notrunc 2>/dev/null
		for verb in check dump "convert -q -o $tmp/saved.dat"; do
			# shellcheck disable=SC2086
			"$file" $verb "$tmp/bad.dat" >/dev/null 2>&1
			[ $? -le 1 ] || crashed="$crashed $i:$verb"
		done
	done
	nothing "a wrong byte anywhere is survived" "$crashed"
fi

# --- what is refused, and what is left

if [ "$zstd" = yes ]; then
	cp "$TC_SRCDIR/tests/data/sched.dat" "$tmp/original.dat"
else
	xz -dc "$TC_SRCDIR/tests/data/recordings/x86_64/ev-v6.dat.xz" >"$tmp/original.dat"
fi
cp "$tmp/original.dat" "$tmp/in.dat"
mkdir "$tmp/dir"
"$file" convert -o "$tmp/in.dat" "$tmp/in.dat" 2>"$tmp/err"
is "the input is not overwritten" "$?-$(grep -c 'never overwritten' "$tmp/err")" 1-1
is "the input stays as it is" "$(cmp "$tmp/in.dat" "$tmp/original.dat" 2>&1)" ""
"$file" convert "$tmp/in.dat" 2>"$tmp/err"
is "without -o it is a mistake" "$?" 2
for verb in "check -v" dump "convert -q -o $tmp/dir/one" "split -q -o $tmp/dir/one" "scrub -q --seed x -o $tmp/dir/one"; do
	# shellcheck disable=SC2086
	{
		"$file" $verb "$tmp/in.dat" >"$tmp/want" 2>&1
		[ ! -e "$tmp/dir/one" ] || mv "$tmp/dir/one" "$tmp/want"
		"$file" $verb -i "$tmp/in.dat" >"$tmp/got" 2>&1
		[ ! -e "$tmp/dir/one" ] || mv "$tmp/dir/one" "$tmp/got"
	}
	is "${verb%% *} -i names the input" "$(cmp "$tmp/want" "$tmp/got" 2>&1)" ""
	# shellcheck disable=SC2086
	"$file" $verb -i "$tmp/in.dat" "$tmp/other.dat" 2>"$tmp/err"
	is "${verb%% *} reads one file" "$?-$(grep -c "one file at a time, not '$tmp/in.dat' and" "$tmp/err")" 2-1
done
"$file" convert -o "$tmp/dir/out" --file-version 5 "$tmp/in.dat" 2>"$tmp/err"
is "another version is a mistake" "$?" 2
"$file" convert -o "$tmp/dir/out" --file-version 6 --compression zlib "$tmp/in.dat" 2>"$tmp/err"
is "version 6 is not compressed" "$?" 2
"$file" convert -o "$tmp/dir/out" "$tmp/err" 2>/dev/null
is "another file is not a recording" "$?" 1
"$file" convert -o /dev/full "$tmp/in.dat" 2>"$tmp/err"
is "only regular files are written" "$?-$(grep -c 'not a regular file' "$tmp/err")" 1-1
"$file" split -o "$tmp/dir/out" --every 1s --count 5 "$tmp/in.dat" 2>"$tmp/err"
is "pieces are counted in one way" "$?" 2
if [ "$zstd" = yes ]; then
	"$file" split -o "$tmp/dir/out" --time 1,2x "$tmp/in.dat" 2>"$tmp/err"
	is "a wrong time is a mistake" "$?-$(grep -c -e '--time' "$tmp/err")" 2-1
	"$file" split -o "$tmp/dir/out" --select no_such_event "$tmp/in.dat" 2>"$tmp/err"
	is "an event that the recording does not have is a mistake" "$?" 2
	"$file" split -o "$tmp/dir/out" --pid 987654 "$tmp/in.dat" 2>"$tmp/err"
	is "a task that the recording does not have is a mistake" "$?" 2
	(
		trap '' XFSZ
		# shellcheck disable=SC3045 # dash and bash have it
		ulimit -f 16
		"$file" split --count 100 --compression none -o "$tmp/dir/out" "$tmp/in.dat"
	) 2>"$tmp/err"
	is "pieces that cannot all be written: an error, and none is left" \
		"$?-$(grep -c 'cannot write' "$tmp/err")-$(ls -A "$tmp/dir")" 1-1-
	(
		trap '' XFSZ
		# shellcheck disable=SC3045 # dash and bash have it
		ulimit -f 8
		"$file" convert --compression none -o "$tmp/dir/out" "$tmp/in.dat"
	) 2>"$tmp/err"
	is "a write that fails is an error" "$?-$(grep -c 'cannot write' "$tmp/err")" 1-1
	is "nothing is left of it" "$(ls -A "$tmp/dir")" ""
	chmod 600 "$tmp/in.dat"
	"$file" convert -o "$tmp/dir/out" "$tmp/in.dat"
	# shellcheck disable=SC2012
	is "who cannot read the input cannot read the output" "$(ls -l "$tmp/dir/out" | cut -c 1-10)" \
		"-rw-------"
fi
finish

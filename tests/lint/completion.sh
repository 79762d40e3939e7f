#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Loads the bash completions and asks for completions of a few lines. Programs that only print an
# option table stand in for the real ones, so that what is offered is known; the real ones are asked
# at the end.
#
# area: gate build

srcdir=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${TC_BUILDDIR:-$PWD}
library=
for f in /usr/share/bash-completion/bash_completion /etc/bash_completion \
	/usr/local/share/bash-completion/bash_completion; do
	[[ -r $f ]] && library=$f && break
done
if [[ ! $library ]]; then
	echo "1..0 # SKIP bash-completion is not installed"
	exit 77
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/tc-completion.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT

# shellcheck disable=SC1090
. "$library"
# shellcheck source=bash-completion/tc-list
. "$srcdir/bash-completion/tc-list"
# shellcheck source=bash-completion/tc-probe
. "$srcdir/bash-completion/tc-probe"
# shellcheck source=bash-completion/tc-record
. "$srcdir/bash-completion/tc-record"
# shellcheck source=bash-completion/tc-report
. "$srcdir/bash-completion/tc-report"
# shellcheck source=bash-completion/tc-session
. "$srcdir/bash-completion/tc-session"
# shellcheck source=bash-completion/tc-stat
. "$srcdir/bash-completion/tc-stat"

mkdir "$dir/bin" "$dir/tracefs" "$dir/files"
for program in tc-list tc-probe tc-record tc-report tc-stat; do
	# shellcheck disable=SC2016 # the $1 of the program
	printf '#!/bin/sh\ntest "$1" = --dump-options && cat "%s/table"\n' "$dir" >"$dir/bin/$program"
	chmod +x "$dir/bin/$program"
done
# one with verbs: of its own, the verbs; each verb, the table
cat >"$dir/bin/tc-session" <<-'END'
	#!/bin/sh
	case $*:$1 in
	--dump-options:*) printf 'verb\t%s\t-\t-\t-\n' start stop status ;;
	*' --dump-options:start') exec tc-record --dump-options ;;
	*' --dump-options:stop') printf -- '-a\t--all\t-\t-\t-\n-B\t--buffer\tNAME\tinstance\trepeats\n' ;;
	esac
END
chmod +x "$dir/bin/tc-session"
{
	printf -- '-e\t--event\tEVENT\tevent\trepeats\n'
	printf -- '-o\t--output\tFILE\tfile\t-\n'
	printf -- '-b\t--buffer-size\tSIZE\tsize\t-\n'
	printf -- '-C\t--clock\tCLOCK\tclock\t-\n'
	printf -- '-\t--compression\tNAME\tcompression\t-\n'
	printf -- '-\t--cpu\tLIST\tcpu\trepeats\n'
	printf -- '-\t--stat\tkernel\tnone\toptional\n'
	printf -- '-P\t--pid\tPID\tpid\trepeats\n'
	printf -- '-\t--user\tUSER\tuser\t-\n'
	printf -- '-\t--run\tCOMMAND\tcommand\t-\n'
	printf -- '-d\t--del\tEVENT\tprobe\trepeats\n'
	printf -- '-p\t--probe\tPROBE\trecord-probe\trepeats\n'
	printf -- '-q\t--quiet\t-\t-\t-\n'
	printf -- '-Z\t-\t-\t-\t-\n'
	printf -- '-\t--dry-run\t-\t-\t-\n'
} >"$dir/table"
printf '%s\n' sched:sched_switch sched:sched_wakeup scsi:scsi_eh_wakeup irq:irq_handler_entry \
	>"$dir/tracefs/available_events"
{
	echo 'p:probe_a/open /bin/a:0x0000000000001234 path=+0(%di):string'
	echo 'r:probe_a/open__return /bin/a:0x0000000000001234'
	echo 'p:other/read /bin/b:0x0000000000001234'
} >"$dir/tracefs/uprobe_events"
echo '[local] global mono mono_raw' >"$dir/tracefs/trace_clock"
touch "$dir/files/one.dat" "$dir/files/two.dat"
export TRACECRAFT_TRACEFS=$dir/tracefs
PATH=$dir/bin:$PATH
cd "$dir/files" || exit 1

total=0
failed=0

# complete_line LINE - COMPREPLY as readline would get it at the end of LINE
complete_line()
{
	local breaks='[=:]' rest=$1 word function

	COMP_LINE=$1
	COMP_POINT=${#1}
	COMP_TYPE=9
	COMP_KEY=9
	COMP_WORDS=()
	COMPREPLY=()
	while [[ $rest =~ ^[[:blank:]]*([^[:blank:]=:]+|[=:]+)(.*)$ ]]; do
		COMP_WORDS+=("${BASH_REMATCH[1]}")
		rest=${BASH_REMATCH[2]}
	done
	[[ $1 == *' ' ]] && COMP_WORDS+=("")
	# at a separator a new word begins
	[[ ${COMP_WORDS[-1]} =~ ^$breaks+$ ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	word=${COMP_WORDS[COMP_CWORD]}
	function=$(complete -p "${COMP_WORDS[0]}" | sed 's/.*-F \([^ ]*\).*/\1/')
	"$function" "${COMP_WORDS[0]}" "$word" "${COMP_WORDS[COMP_CWORD - 1]}" 2>"$dir/stderr"
}

# report NAME WANTED GOT
report()
{
	total=$((total + 1))
	if [[ $2 == "$3" ]]; then
		echo "ok $total - $1"
	else
		failed=$((failed + 1))
		echo "not ok $total - $1"
		echo "# wanted: $2"
		echo "# got:    $3"
		sed 's/^/# /' "$dir/stderr"
	fi
}

sorted()
{
	[[ $# -gt 0 ]] && printf '%s\n' "$@" | LC_ALL=C sort | paste -s -d' '
}

# offers LINE WORD... - exactly these must be offered
offers()
{
	local line=$1

	shift
	complete_line "$line"
	report "'$line'" "$(sorted "$@")" "$(sorted "${COMPREPLY[@]}")"
}

# has LINE WORD - this must be among what is offered
has()
{
	local word got=none

	complete_line "$1"
	for word in "${COMPREPLY[@]}"; do
		[[ $word == "$2" ]] && got=$2
	done
	report "'$1' has $2" "$2" "$got"
}

offers 'tc-record --' --del= --event= --output= --buffer-size= --clock= --compression= --cpu= --stat --pid= \
	--user= --run= --probe= --quiet --dry-run
offers 'tc-record --c' --clock= --compression= --cpu=
offers 'tc-record -q --q'
offers 'tc-record -e x --ev' --event=
offers 'tc-record -o x --out'
offers 'tc-record -qo x --out'
offers 'tc-record --outp=x --out'
offers 'tc-record -Z' -Z
offers 'tc-record -e ' sched: scsi: irq: all
offers 'tc-record -e s' sched: scsi: sched_switch sched_wakeup scsi_eh_wakeup
offers 'tc-record -e irq' irq: irq_handler_entry
offers 'tc-record -e sched:sched_s' sched_switch
offers 'tc-record -e sched:' sched_switch sched_wakeup
offers 'tc-record --event=sched:sched_w' sched_wakeup
offers 'tc-record --event=al' all
offers 'tc-record --event sched:sched_w' sched_wakeup
offers 'tc-record -esc' -esched: -escsi: -esched_switch -esched_wakeup -escsi_eh_wakeup
offers 'tc-record -qe sched:sched_w' sched_wakeup
offers 'tc-probe -d ' probe_a:open probe_a:open__return other:read
offers 'tc-probe -d probe_a:open_' open__return
offers 'tc-probe --del=oth' other:read
offers 'tc-list sched:sched_s' sched_switch
offers 'tc-list -q irq' irq: irq_handler_entry
offers 'tc-list -esc' -esched: -escsi: -esched_switch -esched_wakeup -escsi_eh_wakeup
offers 'tc-record -p ur' uretprobe:
offers 'tc-record --probe=k' kprobe: kretprobe:
offers 'tc-record -C m' mono mono_raw
offers 'tc-record -C l' local
offers 'tc-record --compression z' zstd zlib
offers 'tc-record --comp=n' none
offers 'tc-record -b 64' 64K 64M 64G
offers 'tc-record -b 64K'
offers 'tc-record -o o' one.dat
offers 'tc-record --output=t' two.dat
offers 'tc-record -oo' -oone.dat
offers 'tc-report --stat o' one.dat
offers 'tc-report --stat=o'
offers 'tc-report -q o' one.dat
offers 'tc-report -- t' two.dat
offers 'tc-report -o x t' two.dat
has 'tc-record -P ' $$
has 'tc-record --user roo' root
has 'tc-record --run tc-rep' tc-report
has 'tc-record tc-rep' tc-report
has 'tc-record -e sched:sched_switch -- tc-rep' tc-report
if [[ -d /sys/devices/system/cpu/cpu0 ]]; then
	has 'tc-record --cpu ' 0
	has 'tc-record --cpu 7,' 7,0
fi
# COMMAND's own completion takes over
offers 'tc-record -e sched:sched_switch -q tc-report --comp' --compression=
offers 'tc-record -- tc-report --comp' --compression=

# verbs, each with its own options
offers 'tc-session ' start stop status
offers 'tc-session sta' start status
offers 'tc-session stop --' --all --buffer=
offers 'tc-session stop -a --al'
mkdir -p "$dir/tracefs/instances/one" "$dir/tracefs/instances/two"
offers 'tc-session stop -B ' one two
offers 'tc-session stop -a -B t' two
offers 'tc-session start -e sched:sched_s' sched_switch
has 'tc-session start -e sched:sched_switch -- tc-rep' tc-report
offers 'tc-session start tc-report --comp' --compression=
offers 'tc-session status o'

# where the package bash-completion is not loaded, lines are taken apart without it
package=$(declare -f _init_completion _command_offset)
unset -f _init_completion _command_offset
offers 'tc-record --compression zs' zstd
offers 'tc-record --compression=zs' zstd
offers 'tc-record -e sched:sched_s' sched_switch
has 'tc-record -q -- bas' bash
eval "$package"

rm "$dir/tracefs/available_events" "$dir/tracefs/trace_clock"
offers 'tc-record -e s'
rm "$dir/table"
offers 'tc-record --'

for program in tc-list tc-probe tc-record tc-report; do
	if [[ -x $builddir/$program ]]; then
		PATH=$builddir:$PATH
		has "$program --vers" --version
		has "$program --h" --help
	fi
done

if [[ -x $builddir/tc-session ]]; then
	PATH=$builddir:$PATH
	has 'tc-session stat' status
	has 'tc-session status --js' --json
	: >"$dir/tracefs/available_events"
	offers 'tc-session dump ' one two
	offers 'tc-session dump -o /tmp t' two
	rm "$dir/tracefs/available_events"
	mkdir "$dir/flight"
	: >"$dir/flight/net.conf"
	: >"$dir/flight/notes"
	TRACECRAFT_FLIGHT=$dir/flight offers 'tc-session flight ' net
fi

# features, as the program itself names them
if [[ -x $builddir/tc-list ]]; then
	PATH=$builddir:$PATH
	has 'tc-list --features=kp' kprobes
	has 'tc-list --features=hist,ur' hist,uretprobes
fi

# functions of what is probed, as the program itself lists them
if [[ -x $builddir/tc-probe ]]; then
	PATH=$builddir:$PATH
	cp "$builddir/tc-probe" subject
	for option in '-a ' '-D ' '-L ' '-V ' --add= --definition= '--line ' --vars= '--explain ' ''; do
		has "tc-probe -x ./subject ${option}mai" main
	done
	has 'tc-probe -x./subject -D mai' main
	has 'tc-probe --exec=./subject -q mai' main
	has 'tc-probe -x ./subject -Dmai' -Dmain
	offers 'tc-probe -x ./subject -a nosuchfunction'
	offers 'tc-probe -x ./subject -a '
	offers 'tc-probe -x ./subj' ./subject
fi

echo "1..$total"
[[ $failed -eq 0 ]]

# bash completion for the programs of tracecraft             -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Everything is asked of the program: "tc-NAME --dump-options" prints a line for each option with
# its letter, its name, its argument, what completes the argument, and whether the argument is
# optional and the option repeats; a dash stands for nothing.

# The words that begin with $2, each behind $1 (what of the word was completed already).
_tracecraft_offer()
{
	local before=$1 typed=$2 word

	shift 2
	for word; do
		[[ $word == "$typed"* ]] && COMPREPLY+=("$before$word")
	done
}

_tracecraft_tracefs()
{
	local dir

	for dir in ${TRACECRAFT_TRACEFS-/sys/kernel/tracing /sys/kernel/debug/tracing}; do
		if [[ -r $dir/available_events ]]; then
			printf '%s\n' "$dir"
			return
		fi
	done
}

# Systems first, for there are thousands of events; events when a system or a part is there.
_tracecraft_events()
{
	local typed=$1 dir event system name
	local -A systems=()
	local -a events=()

	dir=$(_tracecraft_tracefs)
	[[ $dir ]] || return
	# line by line, read takes a second for it: it goes back after each line (seq_file)
	mapfile -t events <"$dir/available_events" 2>/dev/null
	for event in "${events[@]}"; do
		system=${event%%:*}
		name=${event#*:}
		if [[ $typed == *:* ]]; then
			[[ $event == "$typed"* ]] && COMPREPLY+=("$event")
			continue
		fi
		[[ $system == "$typed"* ]] && systems[$system]=
		[[ $typed && $name == "$typed"* ]] && COMPREPLY+=("$name")
	done
	for system in "${!systems[@]}"; do
		COMPREPLY+=("$system:")
	done
	[[ $typed != *:* ]] && _tracecraft_offer "" "$typed" all
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
}

_tracecraft_clocks()
{
	local dir clocks=

	dir=$(_tracecraft_tracefs)
	[[ $dir && -r $dir/trace_clock ]] && IFS= read -r clocks <"$dir/trace_clock"
	clocks=${clocks//[\[\]]/}
	# shellcheck disable=SC2086 # one word a clock
	_tracecraft_offer "" "$1" ${clocks:-local global counter uptime perf mono mono_raw boot tai}
}

# Words of a file of tracefs that begin with what was typed
_tracecraft_words()
{
	local dir
	local -a names=()

	dir=$(_tracecraft_tracefs)
	[[ $dir ]] || return
	read -r -a names <"$dir/$1" 2>/dev/null
	_tracecraft_offer "" "$2" "${names[@]}"
}

# Names in a directory of tracefs, each behind $2
_tracecraft_names()
{
	local dir path

	dir=$(_tracecraft_tracefs)
	[[ $dir ]] || return
	for path in "$dir/$1"/*; do
		[[ -e $path ]] && _tracecraft_offer "$2" "${3#"$2"}" "${path##*/}"
	done
}

# Functions that tracers know; none before a letter was typed, for there are tens of thousands
_tracecraft_kernel_functions()
{
	local dir name rest

	dir=$(_tracecraft_tracefs)
	[[ $1 && $dir ]] || return
	while read -r name rest; do
		COMPREPLY+=("$name")
	done < <(grep -F -e "$1" "$dir/available_filter_functions" 2>/dev/null |
		grep -e "^${1//./\\.}")
}

_tracecraft_triggers()
{
	if [[ $1 == @(enable|disable)_event:* ]]; then
		_tracecraft_events "${1#*_event:}"
		COMPREPLY=("${COMPREPLY[@]/#/${1%%:*}:}")
		return
	fi
	_tracecraft_offer "" "$1" stacktrace snapshot traceon traceoff enable_event: disable_event: \
		hist:keys=
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace 2>/dev/null
}

# The last of a list with commas
_tracecraft_cpus()
{
	local before='' last=$1 dir

	if [[ $1 == *,* ]]; then
		before=${1%,*},
		last=${1##*,}
	fi
	for dir in /sys/devices/system/cpu/cpu[0-9]*; do
		_tracecraft_offer "$before" "$last" "${dir##*/cpu}"
	done
	compopt -o nospace 2>/dev/null
}

# Probes that are defined
_tracecraft_probes()
{
	local dir line

	dir=$(_tracecraft_tracefs)
	[[ $dir ]] || return
	while IFS= read -r line; do
		line=${line%% *}
		line=${line#*:}
		_tracecraft_offer "" "$1" "${line/\//:}"
	done < <(cat "$dir/kprobe_events" "$dir/uprobe_events" 2>/dev/null | sort -u)
}

# Functions of what the words before say is probed; none before a letter was typed, for there are
# thousands
_tracecraft_functions()
{
	local i name
	local -a target=()

	[[ $1 ]] || return
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		-x | -k | -m | --exec | --vmlinux | --module | --target-ns | --pid | --symfs)
			target+=("${words[i]}" "${words[i + 1]}")
			;;
		-x?* | -k?* | -m?* | --exec=* | --vmlinux=* | --module=* | --target-ns=* | --pid=* | --symfs=*)
			target+=("${words[i]}")
			;;
		esac
	done
	while IFS= read -r name; do
		COMPREPLY+=("$name")
	done < <("${words[0]/#\~\//$HOME/}" "${target[@]}" -F --filter="$1*" 2>/dev/null)
}

# The last of a list of features with commas
_tracecraft_features()
{
	local before='' last=$1 name rest

	if [[ $1 == *,* ]]; then
		before=${1%,*},
		last=${1##*,}
	fi
	while read -r name rest; do
		_tracecraft_offer "$before" "$last" "$name"
	done < <("${words[0]/#\~\//$HOME/}" --features=help 2>/dev/null)
	compopt -o nospace 2>/dev/null
}

# What completes $2 as an argument of kind $1
_tracecraft_argument()
{
	local cur=$2 pid name

	case $1 in
	file)
		compopt -o filenames 2>/dev/null
		while IFS= read -r pid; do
			COMPREPLY+=("$pid")
		done < <(compgen -f -- "$cur")
		;;
	event) _tracecraft_events "$cur" ;;
	probe) _tracecraft_probes "$cur" ;;
	function) _tracecraft_functions "$cur" ;;
	feature) _tracecraft_features "$cur" ;;
	record-probe)
		_tracecraft_words available_tracers "$cur"
		[[ ${#COMPREPLY[@]} -eq 0 ]] && compopt -o nospace 2>/dev/null
		_tracecraft_offer "" "$cur" kprobe: kretprobe: fprobe: fexit: tprobe: eprobe: uprobe: uretprobe:
		;;
	trigger) _tracecraft_triggers "$cur" ;;
	kernel-function) _tracecraft_kernel_functions "$cur" ;;
	kernel-module)
		for pid in /sys/module/*/initstate; do
			pid=${pid%/initstate}
			_tracecraft_offer "" "$cur" "${pid##*/}"
		done
		;;
	trace-option)
		[[ $cur == no* ]] && _tracecraft_names options no "$cur"
		_tracecraft_names options "" "$cur"
		;;
	instance) _tracecraft_names instances "" "$cur" ;;
	flight)
		for name in "${TRACECRAFT_FLIGHT-/etc/tracecraft/flight}"/*.conf; do
			name=${name##*/}
			[[ $name != '*.conf' ]] && _tracecraft_offer "" "$cur" "${name%.conf}"
		done
		;;
	cgroup)
		compopt -o filenames -o nospace 2>/dev/null
		for pid in "/sys/fs/cgroup/$cur"*/; do
			pid=${pid#/sys/fs/cgroup/}
			[[ -d /sys/fs/cgroup/$pid ]] && COMPREPLY+=("$pid")
		done
		;;
	clock) _tracecraft_clocks "$cur" ;;
	compression) _tracecraft_offer "" "$cur" zstd zlib none ;;
	cpu) _tracecraft_cpus "$cur" ;;
	probe-kind)
		_tracecraft_offer "" "$cur" kprobe kretprobe uprobe uretprobe eprobe fprobe tprobe \
			synth all
		;;
	size) [[ $cur =~ ^[0-9]+$ ]] && COMPREPLY=("$cur"{K,M,G}) ;;
	pid)
		for pid in /proc/[0-9]*; do
			_tracecraft_offer "" "$cur" "${pid##*/}"
		done
		;;
	command)
		# shellcheck disable=SC2207 # names of commands
		COMPREPLY=($(compgen -c -- "$cur"))
		;;
	user)
		# shellcheck disable=SC2207 # names of users
		COMPREPLY=($(compgen -u -- "$cur"))
		;;
	esac
}

# Reads the table of a program, or of its verb $2, into kind, optional, repeats and same of
# _tracecraft(), by option; the verbs of a program that has some into verbs.
_tracecraft_table()
{
	local letter long what complete marks opt

	while IFS=$'\t' read -r letter long what complete marks; do
		if [[ $letter == verb ]]; then
			verbs+=("$long")
			continue
		fi
		for opt in "$letter" "$long"; do
			[[ $opt == - || ! $opt ]] && continue
			same[$opt]="$letter $long"
			kind[$opt]=
			[[ $what != - ]] && kind[$opt]=$complete
			[[ $marks == *optional* ]] && optional[$opt]=1
			[[ $marks == *repeats* ]] && repeats[$opt]=1
		done
	done < <("$@" --dump-options 2>/dev/null)
}

# The full name of a long option that may have been shortened
_tracecraft_full()
{
	local opt found=

	if [[ ${kind[$1]+set} ]]; then
		printf '%s\n' "$1"
		return
	fi
	for opt in "${!kind[@]}"; do
		[[ $opt == "$1"* && $opt == --* ]] || continue
		[[ $found ]] && return
		found=$opt
	done
	printf '%s\n' "$found"
}

_tracecraft_use()
{
	local opt

	[[ ${repeats[$1]} ]] && return
	for opt in ${same[$1]}; do
		used[$opt]=1
	done
}

# One word that holds options. Sets pending to the option whose argument is to follow, and attached
# to the one whose argument, from column at on, ends the word.
_tracecraft_word()
{
	local word=$1 opt i

	pending='' attached='' at=0
	if [[ $word == --* ]]; then
		opt=$(_tracecraft_full "${word%%=*}")
		[[ $opt ]] || return
		_tracecraft_use "$opt"
		if [[ $word == *=* ]]; then
			attached=$opt
			opt=${word%%=*}=
			at=${#opt}
		elif [[ ${kind[$opt]} && ! ${optional[$opt]} ]]; then
			pending=$opt
		fi
		return
	fi
	for ((i = 1; i < ${#word}; i++)); do
		opt=-${word:i:1}
		_tracecraft_use "$opt"
		[[ ${kind[$opt]} ]] || continue
		if ((i + 1 < ${#word})); then
			attached=$opt
			at=$((i + 1))
		elif [[ ! ${optional[$opt]} ]]; then
			pending=$opt
		fi
		return
	done
}

# All options that can still be given
_tracecraft_options()
{
	local opt long

	for opt in "${!kind[@]}"; do
		[[ ${used[$opt]} || $opt != "$1"* ]] && continue
		long=${same[$opt]#* }
		# one name each is enough
		[[ $opt != --* && $long == --* && $1 != "$opt" ]] && continue
		if [[ $opt == --* && ${kind[$opt]} && ! ${optional[$opt]} ]]; then
			opt+='='
		fi
		COMPREPLY+=("$opt")
	done
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

# Readline replaces what follows the last of its word breaks: drop what is before that.
_tracecraft_trim()
{
	local cut=0 i breaks=

	[[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
	[[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
	[[ $breaks ]] || return
	for ((i = ${#1}; i > 0; i--)); do
		if [[ $breaks == *"${1:i-1:1}"* ]]; then
			cut=$i
			break
		fi
	done
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]:cut}
	done
}

# cur, words and cword as _init_completion -n =: sets them, where bash-completion is not loaded:
# words that readline split at a colon or an equals sign are joined again.
_tracecraft_split()
{
	local i word line=${COMP_LINE:0:COMP_POINT} glue=

	words=()
	cword=0
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i > 1)) && [[ $line != [[:blank:]]* ]] && [[ $glue || $word == [:=]* ]]; then
			words[cword]+=$word
		else
			((i)) && ((++cword))
			words[cword]=$word
		fi
		line=${line#"${line%%[![:blank:]]*}"}
		line=${line#"$word"}
		glue=
		[[ $word == *[:=] ]] && glue=1
	done
	cur=${words[cword]}
}

# COMMAND is words[$1]; readline counts more words before it, for it splits at colons.
_tracecraft_command()
{
	local i joined offset=0

	for ((i = 0; i < $1; i++)); do
		joined=
		while ((${#joined} < ${#words[i]})); do
			joined+=${COMP_WORDS[offset++]}
		done
	done
	if declare -F _command_offset >/dev/null; then
		_command_offset "$offset"
	elif ((cword == $1)); then
		_tracecraft_argument command "$cur"
	else
		_tracecraft_argument file "$cur"
	fi
}

# $1: what the operands are: a kind of argument
_tracecraft()
{
	# shellcheck disable=SC2034 # prev is set by _init_completion
	local cur prev words cword
	if declare -F _init_completion >/dev/null; then
		_init_completion -n =: || return
	else
		_tracecraft_split
	fi
	local -A kind=() optional=() repeats=() same=() used=()
	local -a verbs=()
	local i pending='' attached='' at=0 before='' first=1

	_tracecraft_table "${words[0]/#\~\//$HOME/}"
	if [[ ${verbs[0]} ]]; then
		if ((cword == 1)); then
			_tracecraft_offer "" "$cur" "${verbs[@]}"
			return
		fi
		_tracecraft_table "${words[0]/#\~\//$HOME/}" "${words[1]}"
		first=2
	fi
	for ((i = first; i < cword; i++)); do
		if [[ $pending ]]; then
			pending=
		elif [[ ${words[i]} == -- ]]; then
			((i++))
			break
		elif [[ ${words[i]} == -?* ]]; then
			_tracecraft_word "${words[i]}"
		else
			break
		fi
	done
	if ((i < cword)) || { ((i == cword)) && [[ ! $pending && $cur != -* && $1 == command ]]; }; then
		# behind the first operand, or at it
		if [[ $1 == command ]]; then
			_tracecraft_command "$i"
			return
		fi
		pending=
	elif [[ ! $pending && $cur == -* && ${words[cword - 1]} != -- ]]; then
		_tracecraft_word "$cur"
		pending=$attached
		if [[ ! $pending ]]; then
			used=()
			for ((i = first; i < cword; i++)); do
				[[ ${words[i]} == -* ]] && _tracecraft_word "${words[i]}"
			done
			_tracecraft_options "$cur"
			return
		fi
		before=${cur:0:at}
		cur=${cur:at}
	fi
	if [[ $pending ]]; then
		_tracecraft_argument "${kind[$pending]}" "$cur"
	else
		_tracecraft_argument "$1" "$cur"
	fi
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=$before${COMPREPLY[i]}
	done
	_tracecraft_trim "$before$cur"
}

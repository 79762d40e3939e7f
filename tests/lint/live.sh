#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rules of live tests, by which they fail for bugs alone and harm nobody who traces on the same machine
# (tests/README, "Live tests"). Each rule is tried on a line that breaks it.
#
# area: gate build
# shellcheck disable=SC2317 # rule() calls them

set -u
LC_ALL=C
export LC_ALL
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# code FILE...: "FILE:LINE: text" without comments, but for one that says why a line waits for real time
code() {
	awk '!/^[ \t]*#/ && !/# (real time|poll):/ { print FILENAME ":" FNR ": " $0 }' "$@"
}

# shared FILE...: without the tests that have tracing for themselves
shared() {
	grep -L '^# needs:.*\<exclusive\>' "$@"
}

no_declaration() {
	for file in "$@"; do
		case ${file##*/} in t-*) ;; *) continue ;; esac
		grep -q '^# needs: .*\<root\>' "$file" || echo "$file: no '# needs: root ...'"
		grep -q '^# area: [a-z]' "$file" || echo "$file: no '# area: ...'"
	done
}

# words PATTERN FILE...: as whole words
words() {
	words_re=$1
	shift
	code "$@" | grep -wE -e "$words_re"
}

by_name() {
	words 'ps|pgrep|pkill|killall|pidof|fuser' "$@"
}

deadlines() {
	words 'until_true|until_same|timeout' "$@" | grep -v -e '--timeout'
}

tries() {
	words 'try|tries|retry' "$@"
}

sleeps() {
	code "$@" | grep -E -e '^[^ ]*: [[:space:]]*sleep |[;&] *sleep '
}

whole_state() {
	# shellcheck disable=SC2046 # names of the tests
	words 'same_state|remember_state|state\.sh' $(shared "$@")
}

top_level() {
	# shellcheck disable=SC2046 # names of the tests
	code $(shared "$@") | grep -E '>>? *"?\$\{?tracefs\}?/' |
		grep -v -e '/instances/' -e '_events"' -e '/trace_marker"'
}

# A change of settings outside tracefs
sysctls() {
	# shellcheck disable=SC2046 # names of the tests
	code $(shared "$@") | grep -E '> *"?/proc/sys/|\<sysctl\>'
}

names() {
	# shellcheck disable=SC2046 # names of the tests
	code $(shared "$@") | grep -E "(mkdir|rmdir) [^;|&]*instances/[A-Za-z0-9_.-]+(\"|'| |\$)"
}

lists() {
	code "$@" | grep -E 'wc -l.*(dynamic|uprobe|kprobe)_events|grep -[a-z]*c[a-z]* .*(dynamic|uprobe|kprobe)_events'
}

# rule NAME FUNCTION LINE: no test breaks it, and LINE does
rule() {
	# shellcheck disable=SC2046 # no names with blanks in this tree
	nothing "$1" "$("$2" $(find "$TC_SRCDIR/tests/live" -name '*.sh' ! -name state.sh) | sed "s|^$TC_SRCDIR/||")"
	printf '%s\n' '#!/bin/sh' "$3" >"$tmp/t-breaks.sh"
	if [ -n "$("$2" "$tmp/t-breaks.sh")" ]; then
		pass "$1: a line that breaks the rule is found"
	else
		fail "$1: a line that breaks the rule is found" "$3"
	fi
}

# shellcheck disable=SC2016 # lines of tests
{
	rule "a live test declares its needs and its areas" no_declaration 'true'
	rule "processes are known by their pids, not looked for" by_name 'kill $(pgrep tc-record)'
	rule "there are no deadlines: wait_for ends with the process it waits for" deadlines 'until_true 20 recording $pid'
	rule "nothing is tried again until it fits" tries 'for try in 1 2 3; do'
	rule "nothing waits by sleeping" sleeps '	sleep 0.5'
	rule "the state of tracefs is looked at by those who have it for themselves" whole_state 'same_state "at the end"'
	rule "the top level is left alone" top_level 'echo 1 >"$tracefs/tracing_on"'
	rule "settings of the machine are left alone" sysctls 'echo 0 >/proc/sys/kernel/kptr_restrict'
	rule "instances have the pid of their test in their names" names 'mkdir "$tracefs/instances/mine"'
	rule "the probes of everybody are not counted" lists 'grep -c probes "$tracefs/uprobe_events"'
}
finish

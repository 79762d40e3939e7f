# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Definitions of many functions, made by tc-probe on the host with the kernel's debug information: the kernel
# takes each definition. tests/vm/verdict does the same with thousands, and with what was refused.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

[ -s /tests/verdict.defs ] || {
	echo "1..0 # SKIP no debug information of this kernel (tests/vm/fetch-kernel --debug)"
	exit 77
}
trap ': >$T/kprobe_events' EXIT
while read -r line; do
	echo "$line" 2>/dev/null >>$T/kprobe_events || {
		echo "$line"
		tail -n 3 $T/error_log
	}
done </tests/verdict.defs >refused
is "no definition is refused" "$(cat refused)" ""
is "all are there" "$(wc -l <$T/kprobe_events)" "$(wc -l </tests/verdict.defs)"
is "there are many" "$(($(wc -l </tests/verdict.defs) > 300))" 1
finish

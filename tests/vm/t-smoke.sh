# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The guest is what the other tests take it for.
#
# worlds: all

# shellcheck source=guest/lib.sh
. /tests/lib.sh

case $(uname -r) in
"${VM_KERNEL%-rt}".*) pass "runs kernel $VM_KERNEL" ;;
*) fail "runs kernel $VM_KERNEL" "$(uname -r)" ;;
esac
is "has two CPUs" "$(grep -c ^processor /proc/cpuinfo)" 2
for f in kprobe_events uprobe_events dynamic_events synthetic_events set_event_pid; do
	runs "tracefs has $f" test -w $T/$f
done
runs "has tc-record" tc-record --version
runs "has tc-report" tc-report --version
finish

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The guest is what the other tests take it for.

# shellcheck source=guest/tap.sh
. /tests/tap.sh

case $(uname -r) in
"$VM_KERNEL".*) pass "runs kernel $VM_KERNEL" ;;
*) fail "runs kernel $VM_KERNEL" "$(uname -r)" ;;
esac
is "has two CPUs" "$(grep -c ^processor /proc/cpuinfo)" 2
for f in kprobe_events uprobe_events dynamic_events synthetic_events set_event_pid; do
	true_that "tracefs has $f" test -w $T/$f
done
true_that "has tc-record" tc-record --version
true_that "has tc-report" tc-report --version
finish

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A kernel that is locked down refuses even root. There is no way back: the last test by its name.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

tc-record -q -e sched -o r.dat -- ls / >/dev/null
tc-report --no-flags -i r.dat >before.txt
lockdown=/sys/kernel/security/lockdown
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
echo confidentiality 2>/dev/null >$lockdown || skip_all "this kernel has no lockdown"

tc-record -e sched -o l.dat -- touch ran 2>err
is "fails" $? 1
has "names a file" err $T/
has "says what prevents it" err 'locked down (confidentiality)'
has "says what to do" err 'lockdown=none'
runs "does not run COMMAND" test ! -e ran
runs "leaves no file" test ! -e l.dat
tc-report --no-flags -i r.dat >after.txt
same "recordings can still be read" after.txt before.txt
finish

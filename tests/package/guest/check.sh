#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In the guest of t-systemd.sh, as a service of systemd, once in each of two boots: TAP on the second
# serial port, the end of each boot as "@end BOOT".
exec >/dev/ttyS1 2>&1
dumps=/var/lib/tracecraft/flight
unit=tracecraft-flight

pass() { echo "ok - $1"; }
fail() {
	echo "not ok - $1"
	shift
	printf '%s\n' "$@" | sed 's/^/# /'
}
is() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:    $2" "wanted: $3"
	fi
}
# until_true COMMAND...: 60 s long
until_true() {
	for _ in $(seq 120); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.5
	done
	return 1
}
count() {
	find $dumps -name "$1-*.dat" | wc -l
}
more_than() {
	[ "$(count "$1")" -gt "$2" ]
}
state() {
	systemctl show -p ActiveState --value "$unit@$1"
}
active() {
	[ "$(state "$1")" = active ]
}
# dumped NAME DESCRIPTION MARK FILES: a dump more than FILES comes, with the start of MARK
dumped() {
	if ! until_true more_than "$1" "$4"; then
		fail "$2" "$(systemctl status --no-pager -l "$unit@$1" "$unit-dump@$1" 2>&1)" \
			"$(journalctl --no-pager -n 30 2>&1)"
		return
	fi
	tc-report -q "$(find $dumps -name "$1-*.dat" | sort | tail -n 1)" >/tmp/text 2>&1
	is "$2" "$(grep -c "sched_process_exec:.*filename=.*/$3 " /tmp/text)" 1
}
mark() {
	cp /bin/true "/tmp/$1" && "/tmp/$1"
}
first_boot() {
	is "a recorder that is enabled runs after boot" "$(until_true active default; state default)" active
	is "one that is not enabled does not" "$(state other)" inactive
	is "it records into its instance" "$(cat /sys/kernel/tracing/instances/default/tracing_on)" 1
	is "systemd knows that it records" "$(systemctl show -p StatusText --value $unit@default)" recording
	is "there is no dump of an earlier boot" "$(count default)" 0

	mark on-reload
	systemctl reload $unit@default
	dumped default "systemctl reload makes a dump" on-reload 0
	is "a dump is its owner's" "$(stat -c %a:%U $dumps/default-*.dat)" 600:root

	mark on-failure
	systemctl start fails.service
	is "a service failed" "$(systemctl is-failed fails.service)" failed
	dumped default "and its OnFailure= makes a dump" on-failure 1
	until_true sh -c "systemctl is-active $unit-dump@default | grep -qx inactive"
	is "the service of the dump ended well" \
		"$(systemctl show -p Result --value $unit-dump@default)" success

	mark on-request
	tc-session flight --dump default
	dumped default "tc-session flight --dump makes a dump" on-request 2

	cp /bin/true /tmp/stop-it
	mark on-event
	/tmp/stop-it
	dumped default "an event makes a dump" on-event 3

	pid=$(systemctl show -p MainPID --value $unit@default)
	mark before-kill
	kill -9 "$pid"
	until_true sh -c "p=\$(systemctl show -p MainPID --value $unit@default); [ \$p != $pid ] && [ \$p != 0 ]"
	is "a recorder that is killed is started again" "$(until_true active default; state default)" active
	is "once" "$(systemctl show -p NRestarts --value $unit@default)" 1
	systemctl reload $unit@default
	dumped default "and dumps what was there before" before-kill 4

	echo "no-such-key = 1" >/etc/tracecraft/flight/wrong.conf
	systemctl start $unit@wrong 2>/dev/null
	is "a mistake in the file fails" "$(systemctl is-failed $unit@wrong)" failed
	is "and is not tried again" "$(systemctl show -p NRestarts --value $unit@wrong)" 0

	systemctl start $unit@other
	is "a second recorder runs beside it" "$(state other):$(state default)" active:active
	systemctl stop $unit@other
	is "a recorder that is stopped leaves nothing" "$(ls /sys/kernel/tracing/instances)" default
	is "and ended well" "$(systemctl show -p Result --value $unit@other)" success
	is "the service is confined" "$(systemctl show -p CapabilityBoundingSet --value $unit@default)" \
		"cap_sys_resource cap_syslog"

	# "default" is an instance of the kernel's command line.
	mark before-reboot
	echo "# $(cat /sys/kernel/tracing/instances/default/buffer_size_kb \
		/sys/kernel/tracing/instances/default/last_boot_info 2>&1 | tr '\n' ' ')"
}

second_boot() {
	is "the recorder runs after the reboot" "$(until_true active default; state default)" active
	echo "# $(find $dumps -name '*.dat' -printf '%f %s ')"
	is "it made a dump of the boot before" "$(count default.last-boot)" 1
	tc-report -q "$(find $dumps -name 'default.last-boot-*.dat')" >/tmp/text 2>/tmp/err
	is "which tc-report reads" "$(cat /tmp/err)" ""
	is "and which has what happened before the reboot" \
		"$(grep -c 'sched_process_exec:.*filename=/tmp/before-reboot ' /tmp/text)" 1
	echo "# $(grep -c . /tmp/text) lines; $(tail -n 1 /tmp/text)"
	mark after-reboot
	systemctl reload $unit@default
	dumped default "and it records this boot" after-reboot 0
	is "without events of the boot before" "$(grep -c 'filename=/tmp/before-reboot ' /tmp/text)" 0
}

stty -F /dev/ttyS1 raw
echo "# $(uname -r), $(systemctl --version | head -n 1)"
# The root directory is in memory: a new one at each boot.
if [ "$(find $dumps -name '*last-boot*' 2>/dev/null)" = "" ]; then
	first_boot
	echo "@end 1"
	systemctl reboot
else
	second_boot
	echo "@end 2"
	systemctl poweroff
fi

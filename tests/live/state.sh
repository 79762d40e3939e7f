#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the state of tracefs: every control file that can be read with what it holds, the instances,
# and the settings below /proc/sys that a recorder may touch. Run before and after something, equal
# output means that it left tracefs as it found it.
#
# Left out: ring-buffer data and statistics, what changes by itself (saved_cmdlines), files that
# reading would change or block on, and private instances of tracecraft programs that are running
# now.
set -eu
LC_ALL=C
export LC_ALL
tracefs=${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}
cd "$tracefs"

# Names of instances whose owner, by the number at their end, is not running.
stable_instances() {
	for dir in instances/*/; do
		name=$(basename "$dir")
		case $name in
		'*') ;;
		tc-*.*[0-9]) [ -d "/proc/${name##*.}" ] || echo "$name" ;;
		*) echo "$name" ;;
		esac
	done
}

# control_files DIR...
control_files() {
	find "$@" \( -name per_cpu -o -path ./instances -o -path ./trace_stat \) -prune -o -type f \
		! -name 'trace_pipe*' ! -name 'snapshot*' ! -name trace ! -name format ! -name id \
		! -name hist ! -name inject ! -name hist_debug ! -name saved_cmdlines \
		! -name saved_tgids ! -name free_buffer ! -name 'trace_marker*' ! -name error_log \
		! -name 'available_filter_functions*' ! -name '*_profile' \
		! -name dyn_ftrace_total_info -print0 2>/dev/null | sort -z
}

stable=$(stable_instances)
printf 'instances:'
printf ' %s' "$stable"
echo
{
	control_files .
	for name in $stable; do
		control_files "instances/$name"
	done
} | xargs -0 grep -H '' 2>&1 || true
for file in kptr_restrict ftrace_enabled perf_event_paranoid; do
	[ ! -r "/proc/sys/kernel/$file" ] || echo "$file: $(cat "/proc/sys/kernel/$file")"
done

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of --flame: zoom, search, filters and views show what a model of --folded has.
#
# needs: browser
# area: web

set -u
# shellcheck source=tests/web/lib.sh
. "$TC_SRCDIR/tests/web/lib.sh"
skip_without_browser
command -v xz >/dev/null || skip_all "xz is not installed"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
srcdir=$(cd "$TC_SRCDIR" && pwd)
report=$(cd "$TC_BUILDDIR" && pwd)/tc-report
PYTHONPATH=$srcdir/tests/web
cd "$dir" || exit 1

xz -dc "$srcdir/tests/data/recordings/x86_64/stack.dat.xz" >stack.dat || exit 1
xz -dc "$srcdir/tests/data/made/stacks.dat.xz" >other.dat || exit 1
"$report" -f stack.dat | awk '{ print $1, "T", $2 }' |
	sed -e 's|T rcu_gp_fqs_loop$|T </script><script>window.hacked=1</script>|' \
		-e 's|T schedule_timeout$|T <img/src=x/onerror=window.hacked=1>|' >hostile
"$report" -q stack.dat --folded --no-annotate >folded || exit 1
"$report" -q stack.dat --fields time,event -t | sed -n 's/\tsched:sched_switch$//p' >stamps || exit 1
"$report" -q other.dat --folded --no-annotate >folded.other || exit 1
"$report" -q stack.dat --flame flame.html >said &&
	"$report" -q stack.dat --kallsyms hostile --title '<img src=x onerror=window.hacked=1>' --flame hostile.html >said &&
	"$report" -q stack.dat --flame diff.html --diff other.dat >said || exit 1
python3 "$srcdir/tests/web/flame_pages.py" flame.html >weights || exit 1
python3 "$srcdir/tests/web/flame.py" >out 2>err
cat err >&2
while read -r line; do
	case $line in
	"ok "*) pass "${line#ok }" ;;
	*) fail "${line#not ok }" "$(grep -F -A 3 "# ${line#not ok }" err)" ;;
	esac
done <out
is "all was tried" "$(tail -n 1 out)" "ok the end"
finish

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of --heatmap: cells, percentiles and keys, beside a model of the recording's events.
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

xz -dc "$srcdir/tests/data/recordings/x86_64/inst.dat.xz" >inst.dat || exit 1
xz -dc "$srcdir/tests/data/recordings/x86_64/lost.dat.xz" >lost.dat || exit 1
"$report" -q inst.dat --json >events || exit 1
"$report" -q inst.dat --heatmap heat.html --of syscall:read --columns 40 \
	--title '</title><img src=x onerror=window.hacked=1>' >said &&
	"$report" -q inst.dat --heatmap heat.svg --of syscall:read --columns 40 >said &&
	"$report" -q lost.dat --heatmap lost.html >said || exit 1
python3 "$srcdir/tests/web/heatmap.py" >out 2>err
cat err >&2
while read -r line; do
	case $line in
	"ok "*) pass "${line#ok }" ;;
	*) fail "${line#not ok }" "$(grep -F -A 3 "# ${line#not ok }" err)" ;;
	esac
done <out
is "all was tried" "$(tail -n 1 out)" "ok the end"
finish

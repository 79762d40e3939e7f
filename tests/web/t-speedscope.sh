#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-speedscope.sh - speedscope itself, in a browser, shows the weights that files of --speedscope hold. Its npm
# package is the directory TC_SPEEDSCOPE, or is fetched by npm.
#
# needs: browser
# wants: net
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
package=${TC_SPEEDSCOPE:-}
version=1.25.0
cd "$dir" || exit 1

if [ -z "$package" ]; then
	command -v npm >/dev/null || skip_all "speedscope was NOT tried: npm is missing"
	if ! timeout 60 npm pack --silent "speedscope@$version" >/dev/null 2>&1 ||
		! tar -xzf "speedscope-$version.tgz"; then
		skip_all "speedscope was NOT tried: npm could not fetch its package"
	fi
	package=$dir/package
fi
xz -dc "$srcdir/tests/data/recordings/x86_64/stack.dat.xz" >stack.dat || exit 1
xz -dc "$srcdir/tests/data/recordings/x86_64/func.dat.xz" >func.dat || exit 1
"$report" -q stack.dat --speedscope stacks.json &&
	"$report" -q stack.dat --speedscope off-cpu.json --off-cpu=all &&
	"$report" -q func.dat --speedscope functions.json || exit 1
python3 "$srcdir/tests/web/speedscope.py" "$package" stacks.json off-cpu.json functions.json >out 2>err
while read -r line; do
	pass "${line#ok }"
done <out
is "all was tried" "$(tail -n 1 out)" "ok the end"
[ "$(tail -n 1 out)" = "ok the end" ] || sed 's/^/# /' err
finish

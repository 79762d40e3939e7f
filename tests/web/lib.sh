# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shell tests of pages, in a browser. Sourced as ". "$TC_SRCDIR/tests/web/lib.sh"".

# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
export PYTHONPATH="$TC_SRCDIR/tests/web" PYTHONDONTWRITEBYTECODE=1
report=$TC_BUILDDIR/tc-report
export report

# skip_without_browser: what the test needs is named, so that nobody takes it for a pass
skip_without_browser() {
	command -v python3 >/dev/null || skip_all "pages were NOT tested: python3 is missing"
	python3 -c 'import sys, webdriver; sys.exit(not (webdriver.chromium() and webdriver.driver()))' ||
		skip_all "pages were NOT tested in a browser: chromium or chromedriver is missing (Debian: chromium, chromium-driver)"
}

# unpack RECORDING TO: one of tests/data/recordings
unpack() {
	xz -dc "$TC_SRCDIR/tests/data/recordings/$1.dat.xz" >"$2" ||
		skip_all "pages were NOT tested: recordings cannot be unpacked (xz)"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# apt with a state of its own, for tests that need a package without installing it: neither the machine's
# apt lists nor its configuration are read (but for how to reach the network) or changed. Downloads
# are checked against the archive's signed hashes.

apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC2034 # used by those that source this
apt_mirror=http://deb.debian.org

# apt_missing: print what the machine lacks for it; 1 when it lacks nothing
apt_missing() {
	for apt_tool in apt-get apt-cache dpkg; do
		command -v $apt_tool >/dev/null || { echo "no $apt_tool"; return 0; }
	done
	[ ! -r "$apt_keyring" ] || return 1
	echo "no $apt_keyring (package debian-archive-keyring)"
}

# The machine's proxy settings are kept: without them many a network is not to be reached. Its
# hooks are not: they would run on the machine's behalf.
apt_write_conf() {
	apt-config dump 2>/dev/null |
		grep -E '^Acquire::(http|https|Retries|Check-Valid-Until|Check-Date|ForceIPv)' || :
	cat <<-CONF
	APT::Architecture "$2";
	APT::Architectures "$2";
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Acquire::http::Timeout "20";
	Dir::Cache "$1/cache";
	Dir::Etc::Main "/dev/null";
	Dir::Etc::Parts "/dev/null";
	Dir::Etc::Preferences "/dev/null";
	Dir::Etc::PreferencesParts "/dev/null";
	Dir::Etc::SourceList "$1/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::State::Lists "$1/lists";
	Dir::State::Status "$1/status";
	CONF
}

# apt_start DIR ARCH: fetch the lists of the archives in DIR/sources.list; apt-get and apt-cache work in DIR
# from then on. Fails with apt's reason in DIR/log.
apt_start() {
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	apt_write_conf "$1" "$2" >"$1/apt.conf"
	export APT_CONFIG="$1/apt.conf" LC_ALL=C
	# With -o, "update" fails when one list fails; its exit status alone would say 0.
	timeout 300 apt-get -q -o APT::Update::Error-Mode=any update >"$1/log" 2>&1
}

# apt_reason LOG: the first thing that apt says went wrong
apt_reason() {
	sed -n 's/^[EW]: //p' "$1" | head -n 1
}

# SPDX-License-Identifier: GPL-2.0-or-later
# What tc-report-json(5) says of an object, key by key: true for each that is as it says.

def number: type == "number" and . == floor and fabs <= 9007199254740991;
def natural: number and . >= 0;
def digits: type == "string" and test("^-?[0-9]+$");
def element: number or digits or (type == "string" and test("^0x[0-9a-f]+$"));
def value:
	if type == "array" then all(.[]; element)
	elif type == "number" then number
	else . == null or type == "string" end;

def is($key):
	if $key == "ts" then type == "string" and test("^[0-9]+$")
	elif $key == "time" then . == null or (type == "number" and . >= 0)
	elif $key == "cpu" then natural
	elif $key == "pid" then . == null or number
	elif $key == "comm" then . == null or type == "string"
	elif $key == "file" or $key == "buffer" or $key == "text" then type == "string"
	elif $key == "flags" then . == null or (type == "string" and test("^[-.a-zA-Z0-9#]+$"))
	elif $key == "event" then type == "string" and test("^[^:]+:.+$")
	elif $key == "fields" then type == "object" and all(.[]; value)
	elif $key == "lost" then . == null or (natural and . > 0)
	elif $key == "id" then . == null or (natural and . < 65536)
	elif $key == "raw" then type == "string" and test("^([0-9a-f][0-9a-f])*$")
	else false end;

def task: has("pid") and has("comm") and has("flags");
def record: task and has("event") and has("fields") and (has("id") or has("raw") or has("lost") | not);
def unknown: task and has("id") and has("raw") and (has("event") or has("fields") or has("text") or has("lost") | not);
def loss: has("lost") and keys - ["file", "ts", "time", "buffer", "cpu", "lost"] == [];
def line: keys == ["text"];

type == "object" and
(line or (has("ts") and has("cpu") and (record or unknown or loss))) and
all(to_entries[]; .key as $key | .value | is($key))

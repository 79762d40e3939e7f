#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_inert.py FILE... - nothing of a hostile recording does anything in these outputs

Lines (.lines) have no control characters but tabs and line ends; a page has no elements but those of its own source; a
picture is XML without script; JSON (.json) is JSON, and so is each line of .jsonl. Prints "FILE: what is wrong" for
each that is not, and "FILE: ok" for each other one.
"""
import html.parser
import json
import os
import re
import sys
import xml.etree.ElementTree

HOSTILE = (b"<img onerror=", b"<svg/onl", b"<b>", b"<i>", b"]]>")


class Page(html.parser.HTMLParser):
    """elements and attributes of a page"""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.bad, self.scripts, self.csp = [], 0, False

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "iframe", "object", "embed", "link", "base"):
            self.bad.append(tag)
        self.scripts += tag == "script"
        for key, value in attrs:
            if key.startswith("on") or key in ("src", "href") and not (value or "").startswith(("#", "data:")):
                self.bad.append(f"{tag} {key}={value}")
            if key == "http-equiv" and (value or "").lower() == "content-security-policy":
                self.csp = True


def check_html(data):
    page = Page()
    page.feed(data.decode("utf-8"))
    assert page.csp, "no content security policy"
    assert not page.bad, page.bad[:3]
    for text in HOSTILE:
        assert text not in data, text
    assert data.count(b"<script") == data.count(b"</script>"), "unbalanced script elements"


def check_svg(data):
    tree = xml.etree.ElementTree.fromstring(data)
    for element in tree.iter():
        name = element.tag.rsplit("}", 1)[-1].lower()
        assert name not in ("script", "foreignobject", "image", "a", "img"), name
        assert not [k for k in element.attrib if k.lower().startswith("on")], element.attrib


def check_text(data):
    bad = re.search(rb"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]", data)
    assert not bad, f"control character at {bad.start()}: {data[max(bad.start() - 40, 0):bad.end() + 20]!r}"


def check_json(data):
    json.loads(data.decode("utf-8"))


def check_json_lines(data):
    lines = data.splitlines()
    assert lines, "no line"
    for line in lines:
        json.loads(line)


CHECKS = {".html": check_html, ".svg": check_svg, ".lines": check_text, ".json": check_json, ".jsonl": check_json_lines}


def main():
    for name in sys.argv[1:]:
        check = CHECKS.get(os.path.splitext(name)[1])
        try:
            with open(name, "rb") as f:
                data = f.read()
            if check:
                check(data)
            print(f"{name}: ok")
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}".replace("\n", " "))


main()

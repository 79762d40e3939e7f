#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The client that the other tests use: what it reports is what happened in the page.
#
# needs: browser
# area: web

set -u
# shellcheck source=tests/web/lib.sh
. "$TC_SRCDIR/tests/web/lib.sh"
skip_without_browser
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir" || exit 1

cat >good.html <<'END'
<!DOCTYPE html><title>good</title><canvas id="c" width="200" height="100"></canvas>
<script>
window.tc = { ready: true, keys: '', drag: [] };
addEventListener('keydown', e => { tc.keys += e.code + (e.shiftKey ? '+ ' : ' '); });
for (const t of ['mousedown', 'mouseup'])
	addEventListener(t, e => tc.drag.push(e.clientX, e.clientY));
addEventListener('wheel', e => { tc.wheel = [e.deltaY, e.ctrlKey]; e.preventDefault(); },
	{ passive: false });
</script>
END
cat >bad.html <<'END'
<!DOCTYPE html><title>bad</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'">
<script>
window.tc = { ready: true };
const i = document.createElement('img');
i.src = 'http://127.0.0.1:9/refused.png';
document.head.append(i);
setTimeout(() => undefinedName(), 0);
</script>
END
cat >asks.html <<'END'
<!DOCTYPE html><title>asks</title>
<script>
window.tc = { ready: true };
const i = document.createElement('img');
i.src = 'http://127.0.0.1:9/asked.png';
document.head.append(i);
</script>
END

python3 - >out 2>err <<'END'
import webdriver
with webdriver.Browser() as b:
    b.open('good.html')
    print('title', b.run('return document.title'))
    b.keys('w', 'Left', 'Escape')
    b.keys('M', shift=True)
    print('keys', b.run('return tc.keys'))
    b.drag((10, 20), (110, 30))
    print('drag', b.run('return tc.drag.join()'))
    b.scroll((50, 50), -120, control=True)
    print('wheel', b.run('return tc.wheel.join()'))
    b.save_screenshot('good.png')
    print('good', b.errors())
    b.open('bad.html')
    bad = []
    for what, text in ('refused', 'refused.png'), ('script', 'undefinedName'):
        print(what, b.wait(lambda: bad.extend(b.errors()) or any(text in e for e in bad), what))
    b.open('asks.html')
    print('request', b.wait(lambda: any(e.startswith('request: http://127.0.0.1:9/asked') for e in b.errors()),
                            'request'))
END
is "the client runs" "$(cat err)" ""
is "reads what the page did with keys, mouse and wheel" "$(sed -n 1,4p out)" "title good
keys KeyW ArrowLeft Escape ShiftLeft+ KeyM+ 
drag 10,20,110,30
wheel -120,true"
is "takes pictures" "$(head -c 4 good.png | tail -c 3)" "PNG"
is "reports errors of scripts, refused loads and requests from a page without" "$(sed -n '5,$p' out)" "good []
refused True
script True
request True"
finish

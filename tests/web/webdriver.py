# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of WebDriver for chromedriver, with python3's standard library alone.

    with webdriver.Browser() as b:
        b.open('page.html')                     # a file; waits until window.tc.ready
        b.run('return document.title')          # JavaScript in the page
        b.keys('w')                             # keys as of a person
        b.drag((100, 50), (300, 50))            # the mouse
        b.save_screenshot('out.png')
        assert not b.errors()                   # script errors and requests

A test is a tests/web/t-NAME.sh that calls skip_without_browser of lib.sh first.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
# Keys that have no character
KEY = {'Escape': '\ue00c', 'Enter': '\ue006', 'Tab': '\ue004', 'Shift': '\ue008', 'Control': '\ue009',
       'Left': '\ue012', 'Up': '\ue013', 'Right': '\ue014', 'Down': '\ue015', 'Home': '\ue011',
       'End': '\ue010', 'PageUp': '\ue00e', 'PageDown': '\ue00f', 'Delete': '\ue017', 'Space': ' '}


class Error(Exception):
    pass


def find(*names):
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    return None


def chromium():
    return find('chromium', 'chromium-browser', 'google-chrome')


def driver():
    return find('chromedriver')


def started_on(log):
    """the port that chromedriver has chosen; None: it has not said so"""
    with open(log, encoding='utf-8') as f:
        said = re.search(r'successfully on port (\d+)', f.read())
    return said and said[1]


class Browser:
    def __init__(self, width=1400, height=900, dark=False, arguments=()):
        self.session = None
        self.profile = tempfile.mkdtemp(prefix='tc-web.')
        self.url = None
        log = os.path.join(self.profile, 'driver.log')
        with open(log, 'wb') as out:
            self.driver = subprocess.Popen([driver(), '--port=0'], stdout=out, stderr=subprocess.DEVNULL,
                                           start_new_session=True)
        args = ['--headless=new', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
                '--disable-background-networking', '--disable-dev-shm-usage',
                f'--user-data-dir={self.profile}', f'--window-size={width},{height}', *arguments]
        if os.geteuid() == 0:
            args.append('--no-sandbox')
        if dark:
            args.append('--blink-settings=preferredColorScheme=0')
        options = {'binary': chromium(), 'args': args, 'perfLoggingPrefs': {'enableNetwork': True}}
        logs = {'browser': 'ALL', 'performance': 'ALL'}
        try:
            port = self.wait(lambda: started_on(log), 'chromedriver')
            self.url = f'http://127.0.0.1:{port}'
            self.wait(lambda: self.call('GET', '/status')['ready'], 'chromedriver')
            answer = self.call('POST', '/session', {'capabilities': {'alwaysMatch': {
                'browserName': 'chrome', 'goog:chromeOptions': options, 'goog:loggingPrefs': logs}}})
        except Exception:
            self.close()
            raise
        self.session = answer['sessionId']
        self.post('/timeouts', {'script': 120000, 'pageLoad': 120000})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.session:
            try:
                self.call('DELETE', f'/session/{self.session}')
            except (Error, OSError):
                pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    # --- the protocol

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {'Content-Type': 'application/json'},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as e:
            value = json.load(e)['value']
            raise Error(f"{method} {path}: {value['error']}: {value['message'].splitlines()[0]}") from e

    def post(self, path, body):
        return self.call('POST', f'/session/{self.session}{path}', body)

    def get(self, path):
        return self.call('GET', f'/session/{self.session}{path}')

    @staticmethod
    def wait(condition, what, seconds=60):
        """until condition() is true; a failed connection is false"""
        end = time.monotonic() + seconds
        while True:
            try:
                value = condition()
                if value:
                    return value
            except OSError:
                pass
            if time.monotonic() > end:
                raise Error(f'{what}: not in {seconds} s')
            time.sleep(0.02)

    # --- a page

    def goto(self, url):
        self.post('/url', {'url': url})

    def open(self, path, fragment='', seconds=60):
        """a page of ours: until window.tc.ready"""
        self.goto('file://' + os.path.abspath(path) + fragment)
        self.wait(lambda: self.run('return !!(window.tc && window.tc.ready)'), path, seconds)

    def run(self, script, *args):
        """the value of a script; a promise is waited for"""
        return self.post('/execute/sync', {'script': script, 'args': list(args)})

    def find(self, css):
        return self.post('/element', {'using': 'css selector', 'value': css})[ELEMENT]

    def click(self, css):
        self.post(f'/element/{self.find(css)}/click', {})

    def type(self, css, text):
        self.post(f'/element/{self.find(css)}/value', {'text': text})

    def save_screenshot(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.get('/screenshot')))

    # --- keys and the mouse

    def keys(self, *keys, shift=False, control=False):
        """press and release each: a character, or a name of KEY"""
        held = [KEY[k] for k, on in (('Shift', shift), ('Control', control)) if on]
        actions = [{'type': 'keyDown', 'value': k} for k in held]
        for key in keys:
            value = KEY.get(key, key)
            actions += [{'type': 'keyDown', 'value': value}, {'type': 'keyUp', 'value': value}]
        actions += [{'type': 'keyUp', 'value': k} for k in held]
        self.post('/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})

    def mouse(self, *actions):
        self.post('/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': list(actions),
                                            'parameters': {'pointerType': 'mouse'}}]})

    @staticmethod
    def move(at, duration=0):
        return {'type': 'pointerMove', 'duration': duration, 'x': int(at[0]), 'y': int(at[1])}

    def point(self, at):
        self.mouse(self.move(at))

    def press(self, at):
        """click at a place of the window"""
        self.mouse(self.move(at), {'type': 'pointerDown', 'button': 0}, {'type': 'pointerUp', 'button': 0})

    def drag(self, start, end):
        self.mouse(self.move(start), {'type': 'pointerDown', 'button': 0}, self.move(end, 50),
                   {'type': 'pointerUp', 'button': 0})

    def scroll(self, at, dy, dx=0, control=False):
        actions = [{'type': 'wheel', 'id': 'wheel', 'actions': [
            {'type': 'scroll', 'x': int(at[0]), 'y': int(at[1]), 'deltaX': dx, 'deltaY': dy}]}]
        if control:
            actions.append({'type': 'key', 'id': 'keys', 'actions': [{'type': 'keyDown', 'value': KEY['Control']}]})
            actions.reverse()
        self.post('/actions', {'actions': actions})
        self.call('DELETE', f'/session/{self.session}/actions')

    # --- what went wrong

    def errors(self):
        """script errors and refused loads, and requests for anything but the page; clears both logs"""
        found = [f"{e['level']}: {e['message']}" for e in self.post('/se/log', {'type': 'browser'})
                 if e['level'] in ('SEVERE', 'WARNING')]
        for entry in self.post('/se/log', {'type': 'performance'}):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                url = message['params']['request']['url']
                if not url.startswith(('file:///', 'data:', 'blob:', 'about:', 'chrome:')):
                    found.append(f'request: {url}')
        return found


if __name__ == '__main__':
    # webdriver.py PAGE PNG [dark]: a picture of a page
    with Browser(dark='dark' in sys.argv[3:]) as browser:
        browser.open(sys.argv[1])
        browser.save_screenshot(sys.argv[2])
        print('\n'.join(browser.errors()))

"""Page in Firefox, driven by WebDriver BiDi, since Playwright drives only a build of its own."""

import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from itertools import count

import pytest

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
SECONDS = 120  # until a command has to be answered, on a busy machine
PREFERENCES = {
    "ui.prefersReducedMotion": 1,
    "browser.shell.checkDefaultBrowser": False,
}


class Page:
    """Tab of Firefox."""

    def __init__(self, socket):
        self.socket, self.numbers, self.messages = socket, count(), []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method, **params):
        """Return the result of a command, keeping messages of the page that arrive meanwhile."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self.socket.recv(timeout=SECONDS))
            if told.get("method") == "log.entryAdded":
                self.messages.append(told["params"]["text"])
            elif told.get("id") == number:
                assert told["type"] == "success", told
                return told["result"]

    def open(self, url, width=1440, height=900):
        """Load an address in a window of this size."""
        self.call(
            "browsingContext.setViewport",
            context=self.tab,
            viewport={"width": width, "height": height},
        )
        self.call("browsingContext.navigate", context=self.tab, url="about:blank", wait="complete")
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def run(self, script):
        """Return the value of an expression in the page as JSON, awaiting promises."""
        found = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({script}).then((it) => JSON.stringify(it) ?? 'null')",
            target={"context": self.tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def until(self, condition):
        """Wait until an expression is true."""
        waits = f"""new Promise((done) => {{
          const look = () => (({condition}) ? done(true) : setTimeout(look, 20));
          look();
        }})"""
        assert self.run(waits)

    def click(self, selector, number=0):
        """Click with the mouse in the middle of an element."""
        x, y = self.run(f"""(() => {{
          const one = document.querySelectorAll({json.dumps(selector)})[{number}];
          one.scrollIntoView({{ block: "nearest" }});
          const {{ x, y, width, height }} = one.getBoundingClientRect();
          return [Math.round(x + width / 2), Math.round(y + height / 2)];
        }})()""")
        move = {"type": "pointerMove", "x": x, "y": y}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.act("pointer", [move, *press])

    def act(self, kind, actions):
        """Perform actions of a device."""
        device = {"type": kind, "id": kind, "actions": actions}
        self.call("input.performActions", context=self.tab, actions=[device])


@contextmanager
def firefox(folder):
    """Yield a tab of Firefox with a new profile in a folder, or skip the test without Firefox."""
    if FIREFOX is None:
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    from websockets.sync.client import connect

    folder.mkdir(exist_ok=True)
    written = "".join(
        f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in PREFERENCES.items()
    )
    (folder / "user.js").write_text(written)
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(folder)]
    with subprocess.Popen(
        [*command, "--remote-debugging-port", "0", "about:blank"], stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            found = None
            while found is None:
                line = running.stderr.readline()
                assert line, "Firefox ended before it could be driven"
                found = re.search(r"ws://\S+", line)
            with connect(f"{found[0]}/session", max_size=None, open_timeout=SECONDS) as socket:
                yield Page(socket)
        finally:
            running.terminate()

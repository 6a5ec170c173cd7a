"""Render an untrusted chat template, in a separate process with limited memory.

The first line of input is JSON with the arguments of transformers' `render_jinja_template`, each
further line a chat. The reply to the first is a line, to each other JSON: the text, or an object
with the `error`.
"""

import contextlib
import json
import sys
from pathlib import Path

MEMORY = 2**29  # bytes, on Linux
LONGEST = 2**16  # characters of a text


def main() -> None:
    """Render chats until the end of input."""
    from transformers.utils.chat_template_utils import render_jinja_template

    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    given = json.loads(sys.stdin.readline())
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            chats = [json.loads(line)]
            ((reply,), _) = render_jinja_template(chats, add_generation_prompt=True, **given)
            if len(reply) > LONGEST:
                raise ValueError(f"it makes {len(reply):,} characters, more than {LONGEST:,}")
        except Exception as error:  # jinja's, or any other that a template provokes
            reply = {"error": f"{type(error).__name__}: {str(error)[:100]}".rstrip(": ")}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()

"""Chat templates of untrusted tokenizers, rendered in a process with limits of time and memory."""

import json
import shlex
import sys
from typing import Any

from tttenv.adapters import chat_template_process
from tttenv.players.programs.program_player import FLUSH, Program, ProgramError

STARTING = 60.0  # maximum seconds to load what renders templates
RENDERING = 10.0  # maximum seconds for a text


class Renderer:
    """Renders a tokenizer's chat template; its process starts when it is needed."""

    def __init__(self, tokenizer: Any) -> None:
        given = {"chat_template": tokenizer.get_chat_template(), **tokenizer.special_tokens_map}
        self.given = json.dumps(given, default=str)
        self.program: Program | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Support copying and pickling, without the process."""
        return {**vars(self), "program": None}

    def __call__(self, chat: list[dict[str, str]], **_options: Any) -> str:
        """Return the text of a chat and the beginning of a reply, as `apply_chat_template` does.

        Args:
            chat: messages, each with its "role" and "content".

        Raises:
            ValueError: if the template fails, breaks a limit of its process, or the process ends.
        """
        try:
            if self.program is None:
                command = shlex.join([sys.executable, "-P", chat_template_process.__file__])
                self.program = Program(command, 8 * chat_template_process.LONGEST)
                self.program.write(f"{self.given}\n", STARTING)
                self.program.read_line()
            self.program.write(f"{json.dumps(chat)}\n", RENDERING)
            reply = json.loads(self.program.read_line())
        except BaseException as error:  # including an interrupt, since a reply would be pending
            if self.program is not None:
                self.program.kill()
            self.program = None
            if isinstance(error, ProgramError):
                reason = str(error).removesuffix(FLUSH)
                raise ValueError(f"the process of its chat template {reason}") from None
            raise
        if not isinstance(reply, str):
            raise ValueError(f"its chat template cannot be rendered: {reply['error']}")
        return reply

"""Download a trained player from the Hugging Face Hub: `tttenv pull OWNER/NAME`."""

from dataclasses import dataclass

from tttenv.cli import console
from tttenv.cli.options import FolderOrNone, Repository

EXAMPLES = """
tttenv pull OWNER/NAME
tttenv pull OWNER/NAME --revision v1 --out players/mine
"""


@dataclass(frozen=True)
class Arguments:
    """Download a trained player from the Hugging Face Hub.

    Only the files of a checkpoint are fetched: JSON and safetensors, each checked against its size
    and SHA-256. Afterwards hub:OWNER/NAME is a player in every command, without a network. The
    environment variable HF_ENDPOINT names another server. Needs the extra hub.
    """

    repo: Repository  # the repository on the Hub
    revision: str = "main"  # a branch, tag or commit
    out: FolderOrNone = None  # the folder; if omitted, the one that hub:OWNER/NAME plays


def main(args: list[str], prog: str = "tttenv pull") -> None:
    """Download the player, and print how to use it."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    from tttenv.players.stored import hub

    hub.check_names(given.repo, given.revision)
    console.check_folder(given.out)
    with console.stage(f"downloading {given.repo} from {hub.address()}") as tell:
        folder, commit = hub.pull(given.repo, given.revision, given.out, tell)
    spec = str(folder) if given.out else f"hub:{given.repo}"
    if not given.out and given.revision != hub.REVISION:
        spec += f",revision={given.revision}"
    print(f"downloaded to {folder}, commit {commit[:12]}; to certify it:")
    print(f"tttenv certify {spec}")

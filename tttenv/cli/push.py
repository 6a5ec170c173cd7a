"""Upload a trained player to the Hugging Face Hub: `tttenv push FOLDER OWNER/NAME`."""

from dataclasses import dataclass

from tttenv.cli import console
from tttenv.cli.options import CheckpointFolder, Flag, Repository, TextOrNone

EXAMPLES = """
tttenv push runs/selfplay-0 OWNER/NAME
tttenv push runs/selfplay-0 OWNER/NAME --private --license mit
tttenv push runs/selfplay-0 OWNER/NAME --dry-run
"""


@dataclass(frozen=True)
class Arguments:
    """Upload a trained player to the Hugging Face Hub, with its certificate in a model card.

    The folder is what tttenv train wrote. The state for resuming is not uploaded. Log in by
    hf auth login, or set HF_TOKEN; HF_ENDPOINT names another server. A repository that does not
    exist is created; in one that does, the model card README.md is replaced. Needs the extra hub,
    except with --dry-run.
    """

    folder: CheckpointFolder  # a checkpoint, or the name of a trained player
    repo: Repository  # the repository on the Hub
    private: Flag = False  # if the repository is created, only you can see it
    license: TextOrNone = None  # for the model card, such as mit
    dry_run: Flag = False  # print the model card and upload nothing


def main(args: list[str], prog: str = "tttenv push") -> None:
    """Check the player, upload it, and print its address."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    from tttenv.players import checkpoint_of
    from tttenv.players.stored import hub
    from tttenv.report import model_card

    hub.check_names(given.repo)
    place = checkpoint_of(given.folder)
    if place is None or place[1]:
        raise ValueError(f"{given.folder} is not the folder of a checkpoint")
    with console.stage(f"checking {given.folder}", given.dry_run):
        files = model_card.for_the_hub(place[0], given.repo, given.license)
    if given.dry_run:
        print(files[model_card.NAME].decode(), end="")
        return
    size, address = sum(map(len, files.values())), f"{hub.address()}/{given.repo}"
    with console.stage(f"uploading {len(files)} files, {size:,} bytes, to {address}"):
        commit = hub.upload(given.repo, files, given.private)
    print(f"uploaded to {address}, commit {commit[:12]}; to play against it:")
    print(f"tttenv play hub:{given.repo}")

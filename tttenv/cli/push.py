"""Upload a trained player to the Hugging Face Hub: `tttenv push FOLDER OWNER/NAME`."""

import json
import sys
from dataclasses import dataclass

from tttenv.cli import console
from tttenv.cli.options import CheckpointFolder, Flag, Repository, TextOrNone

PROG = "tttenv push"
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
    exist is created; in one that does, the model card README.md is replaced. Needs the extra hub.
    """

    folder: CheckpointFolder  # a checkpoint, or the name of a trained player
    repo: Repository  # the repository on the Hub
    private: Flag = False  # if the repository is created, only you can see it
    license: TextOrNone = None  # for the model card, such as mit
    dry_run: Flag = False  # print the model card and upload nothing
    json: Flag = False  # print the address and the commit as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Check the player, upload it, and print its address.

    Raises:
        ModuleNotFoundError: without the package huggingface_hub.
        ValueError: if the folder holds no checkpoint, its card states a strength that its player
            does not have, or the Hub rejects it.
    """
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    from tttenv.certificates import model_card
    from tttenv.players import checkpoint_of
    from tttenv.players.bundled import ON_THE_HUB
    from tttenv.players.stored import hub
    from tttenv.players.stored.checkpoint import DATA_FILE
    from tttenv.utils import hub_client

    hub.check_names(given.repo, hub.REVISION)
    at = hub_client.endpoint()
    place = checkpoint_of(given.folder)
    if place is None or place[1]:
        raise ValueError(f"{given.folder} is not the folder of a checkpoint")
    with console.stage(f"checking {given.folder}", given.json or given.dry_run):
        files = model_card.for_the_hub(place[0], given.repo, given.license)
    if given.dry_run:
        print(files[model_card.NAME].decode(), end="")
        return
    size = sum(map(len, files.values()))
    doing = f"uploading {len(files)} files, {size:,} bytes, to {given.repo}"
    if not given.json:
        print(f"{doing} on {hub_client.host(at)}", file=sys.stderr, flush=True)
    with console.stage("uploading", given.json):
        commit = hub_client.upload(given.repo, files, given.private, replaced=DATA_FILE)
    address = f"{hub_client.public(at)}/{given.repo}"
    if given.json:
        print(json.dumps({"url": address, "commit": commit, "files": sorted(files)}, indent=2))
        return
    print(f"{address} holds the player, in commit {commit[:12]}; to play against it:")
    print(f"tttenv play {ON_THE_HUB}{given.repo}")

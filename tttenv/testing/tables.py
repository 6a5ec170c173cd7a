"""The tables of checks. To add one: a function from its patient to a finding, and its row here."""

from tttenv.testing import answers, interface, paying, play, telling
from tttenv.testing.findings import Check

PLAYER = [  # of a checkups.patients.Player
    Check("answers", answers.answers, first=True),
    Check("repeatable", answers.repeatable),
    Check("batches", answers.batches),
    Check("legal", answers.legal),
    Check("all illegal", answers.all_illegal),
    Check("looks", answers.looks),
    Check("rewards", play.rewards),
    Check("sides", play.sides),
    Check("view", play.view),
]
ENVIRONMENT = [  # of a checkups.episodes.Record of its games
    Check("interface", interface.interface, unplayed=True),
    Check("masks", telling.masks),
    Check("view", telling.view),
    Check("finals", telling.finals),
    Check("seats", telling.seats),
    Check("seeding", telling.seeding),
    Check("rewards", paying.rewards),
    Check("endings", paying.endings),
    Check("illegal", paying.illegal),
]

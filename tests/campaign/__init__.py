"""Campaign of attacks on the whole package: kills and failing disks.

It runs for as long as it is given and is no part of the test suite:

    make campaign SECONDS=600
    make campaign-short                            the same cases everywhere, if the seed is given
    python -m tests.campaign kills --seconds 600
    python -m tests.campaign calls --seed 7 --case 12      one case again

Every case follows from the seed, which is printed, and its number alone.
"""

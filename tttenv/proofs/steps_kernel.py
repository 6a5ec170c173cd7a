"""The steps of a recorded proof, which the recorder writes and the checker reads.

A proof is a list of numbers, the positions in the order of a depth-first walk. A position that is
an image of one that is finished already takes no number. With the defender to prove that he holds:

    POTENTIAL                           the attacker's potential is below its bound
    PAIRS n a1 b1 .. an bn              a pairing strategy
    MOVE cell                           the defender's move; the position after it follows
    COMPLETES cell n c1 .. cn           he completes a line; c1 .. cn with `cell` hit all open lines
    TWO_THREATS a b n c1 .. cn          he can complete lines on a and on b; with c1 .. cn two cells
                                        on each line open to the attacker
    ANSWER cell, position, n c1 .. cn   he threatens on `cell`; the position after the attacker's
                                        answer, then cells that hit each open line twice
    MOVES a1, position, a2, position .. attacker's moves, until no cell is in all of their zones

With the attacker to prove that he wins, every position has a rank, how often the defender passed
before it, and repeats are written:

    cell                                the attacker's move; the position after it follows
    KNOWN - i                           the attacker's position: its image under map i of the board
                                        is finished, at the same rank
    (nothing)                           the defender's position, if the attacker threatens to
                                        complete a line on one cell, which he takes, or on several
    n passes, m a1, position, a2 ..     the defender's position: after n passes, each followed by
                                        the position of the next rank, a reply on each cell that
                                        all their zones contain, on each empty cell if n is 0
    FORGET, position                    the attacker's position; nothing from here on refers to a
                                        position that was finished earlier

At rank 0 several replies may be one group, -n c1 .. cn with n >= 2 instead of a cell: the position
with the defender's stones on all n cells follows. Before the first number, if the attacker is to
move, -n c1 .. cn with n >= 1 puts the defender's stones there too.
"""

POTENTIAL, PAIRS, MOVE, COMPLETES, TWO_THREATS, ANSWER, MOVES, PASSES = range(8)
KNOWN = PASS = -1  # instead of a cell; KNOWN and the numbers below it
GROUP = -2  # instead of a cell
FORGET = -(2**15)

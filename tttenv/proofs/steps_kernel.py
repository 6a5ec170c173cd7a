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

With the attacker to prove that he wins, there is his cell wherever he moves. The defender's moves
are not written: first to last empty cell, or only the one on which the attacker would win.
"""

POTENTIAL, PAIRS, MOVE, COMPLETES, TWO_THREATS, ANSWER, MOVES = range(7)

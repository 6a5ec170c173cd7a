"""What windows are painted with: tiles with smooth stones, and words in an even hand (pygame)."""

from functools import lru_cache
from typing import TypeAlias

import pygame

from tttenv.render import O_INK, X_INK

Colour: TypeAlias = tuple[int, int, int]

DESK = (226, 230, 236)  # what the tiles lie on
FINE = 4  # all is drawn so many times larger and then reduced, for smooth edges


@lru_cache(maxsize=256)
def tile(side: int, mark: str, ground: Colour, rim: Colour | None) -> pygame.Surface:
    """One cell with its stone, (side, side) pixels; a rim marks the last stone."""
    big = side * FINE
    large = pygame.Surface((big, big))
    large.fill(DESK)
    box = pygame.Rect(0, 0, big, big).inflate(-big // 16, -big // 16)
    pygame.draw.rect(large, rim or ground, box, border_radius=big // 9)
    if rim:
        inner = box.inflate(-big // 16, -big // 16)
        pygame.draw.rect(large, ground, inner, border_radius=big // 12)
    middle, reach, thick = big / 2, big * 0.24, big * 0.105
    if mark == "X":
        for tilt in (1, -1):
            _stroke(large, (middle, middle), (reach, tilt * reach), thick / 2)
    elif mark == "O":
        centre, radius = (middle, middle), reach + thick / 2 + big * 0.02
        pygame.draw.circle(large, O_INK, centre, radius)
        pygame.draw.circle(large, ground, centre, radius - thick)
    return pygame.transform.smoothscale(large, (side, side))


def _stroke(
    tile: pygame.Surface, centre: tuple[float, float], arm: tuple[float, float], half: float
) -> None:
    """A straight stroke with round ends, to both sides of its centre."""
    one, other = pygame.Vector2(centre) - arm, pygame.Vector2(centre) + arm
    across = pygame.Vector2(arm).rotate(90).normalize() * half
    pygame.draw.polygon(tile, X_INK, (one + across, other + across, other - across, one - across))
    for end in (one, other):
        pygame.draw.circle(tile, X_INK, end, half)


def write(
    surface: pygame.Surface, text: str, size: int, colour: Colour, centre: tuple[int, int]
) -> None:
    """Write a line around its centre, smaller than `size` where the surface is too narrow."""
    large = _font(size * FINE).render(text, True, colour)  # reduced, letters keep their distances
    factor = max(FINE, large.get_width() / max(1, surface.get_width() - 8))
    small = int(large.get_width() / factor), int(large.get_height() / factor)
    drawn = pygame.transform.smoothscale(large, small)
    surface.blit(drawn, drawn.get_rect(center=centre))


@lru_cache(maxsize=32)
def _font(size: int) -> pygame.font.Font:
    """The font that comes with pygame, so that a window looks alike everywhere."""
    return pygame.font.Font(None, round(size * 1.35))

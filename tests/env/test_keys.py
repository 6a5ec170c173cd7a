"""Keyboard control of TicTacToe-v0 by `gymnasium.utils.play`, with scripted keys."""

import gymnasium as gym
import pytest

import tttenv

pygame = pytest.importorskip("pygame")


def test_a_game_is_played_by_keys(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    from gymnasium.utils.play import play

    down_and_up = pygame.KEYDOWN, pygame.KEYUP
    events = [pygame.event.Event(kind, key=ord(key)) for key in "sez" for kind in down_and_up]
    script = iter([*events, pygame.event.Event(pygame.QUIT)])
    monkeypatch.setattr(pygame.event, "get", lambda: [next(script)])
    played = []

    def note(before, after, action, reward, terminated, truncated, info):
        played.append((action, reward, terminated, info.get("outcome")))

    env = gym.make("TicTacToe-v0", opponent="first", seat="X", render_mode="rgb_array")
    play(env, fps=1000, seed=0, wait_on_player=True, callback=note)
    won = (6, 1.0, True, tttenv.Outcome.WIN)
    assert played == [(4, 0.0, False, None), (2, 0.0, False, None), won]

"""Writes the little stories that the model of this folder was trained on: sentences of ours with open places."""

from __future__ import annotations

import random
from typing import Final, NamedTuple


class Adventure(NamedTuple):
    """A thing that the hero finds, what is wrong with it, and what helps."""

    thing: str
    wish: str
    trouble: str
    advice: str
    deed: str
    outcome: str


ANIMALS: Final = ["fox", "mouse", "bear", "hare", "owl", "frog", "cat", "dog", "hedgehog", "squirrel", "duck", "mole"]
ADJECTIVES: Final = ["small", "brave", "curious", "quiet", "clever", "cheerful", "shy", "young"]
SHE: Final = ["Mila", "Anna", "Lily", "Nora", "Ida", "Rosa", "Tilda", "Emma"]
HE: Final = ["Tom", "Otto", "Ben", "Finn", "Max", "Leo", "Hugo", "Oscar"]
HOMES: Final = (
    "in a hollow tree near the river",
    "under the roots of an old oak",
    "in a green house at the edge of the forest",
    "beside a round pond",
    "on a hill above the village",
    "in a warm cave behind the waterfall",
    "in the garden of a baker",
    "at the end of a long valley",
)
TIMES: Final = (
    "One morning",
    "One evening",
    "One cold day",
    "One rainy afternoon",
    "On the first day of spring",
    "Early one summer morning",
)
PLACES: Final = ("in the snow", "under a bush", "on the path", "beside the road", "in the tall grass", "behind a stone")
HELPERS: Final = ("the old owl", "the wise turtle", "the grey goose", "the miller", "the moon", "the tall heron")
FEELINGS: Final = ("very happy", "proud and happy", "so glad", "full of joy")
ENDINGS: Final = (
    "From that day on, {name} and {helper} were friends.",
    "That night {name} slept well and dreamed of the {thing}.",
    "{name} thanked {helper} and went home with a light heart.",
    "And whenever {name} saw the {thing}, {pronoun} smiled.",
)
ADVENTURES: Final = (
    Adventure("red kite", "fly it", "there was no wind", "wait until evening", "waited until evening",
              "the wind came and the kite flew high above the trees"),
    Adventure("silver key", "know what it opened", "there was no door", "look behind the ivy", "looked behind the ivy",
              "a little door opened and there was a garden full of roses"),
    Adventure("broken lamp", "light it", "it stayed dark", "ask the fireflies", "asked the fireflies",
              "the lamp shone as bright as a star"),
    Adventure("wooden boat", "sail it", "it had a hole", "close the hole with wax", "closed the hole with wax",
              "the boat sailed across the water"),
    Adventure("golden seed", "see it grow", "the ground was dry", "give it water every day",
              "gave it water every day", "a tall yellow flower grew in the sun"),
    Adventure("blue egg", "keep it warm", "the night was cold", "build a nest of wool", "built a nest of wool",
              "a tiny bird came out and began to sing"),
    Adventure("music box", "hear its song", "it made no sound", "turn the handle slowly", "turned the handle slowly",
              "a soft song filled the air"),
    Adventure("lost letter", "read it", "the words were too faint", "hold it up to the light",
              "held it up to the light", "the words said that a friend was coming to visit"),
    Adventure("heavy drum", "carry it home", "it was too big", "roll it like a wheel", "rolled it like a wheel",
              "the drum came home and everyone danced"),
    Adventure("secret map", "find the treasure", "a piece was missing", "follow the river", "followed the river",
              "there was a chest full of sweet apples"),
)  # fmt: skip
OPENINGS: Final = (
    "Once upon a time there was a {adjective} {animal} named {name}.",
    "Once upon a time, a {adjective} {animal} named {name} lived {home}.",
    "There once was a {adjective} {animal}. {Pronoun} was called {name}.",
    "{name} was a {adjective} {animal}.",
)
LIVED: Final = ("{name} lived {home}.", "{Pronoun} lived {home}.")
FOUND: Final = ("{time} {name} found a {thing} {place}.", "{time} {pronoun} found a {thing} {place}.")
WANTED: Final = (
    "{Pronoun} wanted to {wish}, but {trouble}.",
    "{name} wanted to {wish}. But {trouble}.",
)
ASKED: Final = (
    "So {pronoun} asked {helper} for help.",
    "{name} was sad and went to {helper}.",
    "{name} did not give up and asked {helper}.",
)
SAID: Final = ('"You must {advice}," said {helper}.', '{Helper} said, "{Advice}, and you will see."')
DID: Final = ("So {name} {deed}.", "{name} {deed}, just as {helper} had said.")
THEN: Final = ("At last {outcome}.", "And then {outcome}!", "Soon {outcome}.")
FELT: Final = ("{name} was {feeling}.", "{Pronoun} was {feeling}.")


def story(chance: random.Random) -> str:
    """Return one story, of about a hundred words."""
    found = chance.choice(ADVENTURES)
    is_she = chance.random() < 0.5
    pronoun, helper = ("she" if is_she else "he"), chance.choice(HELPERS)
    opening = chance.choice(OPENINGS)
    parts = [opening, chance.choice(LIVED), chance.choice(FOUND), chance.choice(WANTED), chance.choice(ASKED)]
    parts += [chance.choice(SAID), chance.choice(DID), chance.choice(THEN), chance.choice(FELT), chance.choice(ENDINGS)]
    if "{home}" in opening:
        del parts[1]
    return " ".join(parts).format(
        **found._asdict(),
        Advice=found.advice.capitalize(),
        name=chance.choice(SHE if is_she else HE),
        pronoun=pronoun,
        Pronoun=pronoun.capitalize(),
        helper=helper,
        Helper=helper.capitalize(),
        animal=chance.choice(ANIMALS),
        adjective=chance.choice(ADJECTIVES),
        home=chance.choice(HOMES),
        time=chance.choice(TIMES),
        place=chance.choice(PLACES),
        feeling=chance.choice(FEELINGS),
    )


def stories(count: int, seed: int = 0) -> list[str]:
    """Return some stories; the same ones for the same seed."""
    chance = random.Random(seed)
    return [story(chance) for _ in range(count)]

"""A world of your own in under 120 lines: robots clear a warehouse that they see little of.

To use it by name, let your package say so in its `pyproject.toml`:

    [project.entry-points."mosaic_planner.worlds"]
    warehouse = "own_world:Warehouse"

Then `mosaic run --world warehouse --model openai:gpt-4o` works. Run this file to check the world.
"""

from random import Random

from mosaic_planner.coordination import ActionProfile, JointNeed
from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Effect, Outcome, Sighting, StepResult, View
from mosaic_planner.core.world import Briefing, Geometry, Score
from mosaic_planner.testing import check_world
from mosaic_planner.worlds.plain import plain_observation, plain_words

SIZE, TEAM = 16, ("Ann", "Ben", "Cem", "Dee", "Eli", "Fay")
POSTS = {"NorthWest": (4, 11), "NorthEast": (11, 11), "SouthWest": (4, 4), "SouthEast": (11, 4)}
SCHEMAS = (
    ActionSchema("Carry", (Parameter("box", ("box",)),), "Go to a box and bring it to the Dock."),
    ActionSchema("Push", (Parameter("crate", ("crate",)),), "Go to a crate; two push it away."),
    ActionSchema("Patrol", (Parameter("post", (), tuple(POSTS)),), "Go to a post to look around."),
    ActionSchema("Idle", (), "Do nothing in this step.", ("wait",), idle=True),
)
VOCABULARY = Vocabulary(SCHEMAS, (Kind("box"), Kind("crate"), Kind("dock"), Kind("robot", True)))


class Rules:
    """What the coordinator is taught, from beliefs. Robots may share a cell here: no paths."""

    def profile(self, agent, action, beliefs):
        if VOCABULARY.is_idle(action) and not action.args:
            return ActionProfile(idle=True)
        kinds = [(name, belief.kind) for name, belief in beliefs.entities.items()]
        if problem := VOCABULARY.check(action, kinds):
            return ActionProfile(eligible=False, reason=problem)
        steps = there.steps if (there := beliefs.relative(agent, action.args[0])) else 2 * SIZE
        joint = JointNeed(str(action), 2) if action.verb == "Push" else None
        claims = () if joint else action.args  # a box, or a post, is enough for one robot
        return ActionProfile(claims=claims, joint=joint, steps=steps, progress=8 / (8 + steps))

    def fallbacks(self, agent, beliefs):
        options = [Action(verb, (name,)) for verb in ("Push", "Carry") for name in beliefs.entities]
        options += [Action("Patrol", (post,)) for post in POSTS]
        good = [action for action in options if self.profile(agent, action, beliefs).eligible]
        return [Candidate(agent, a, n, "safe", "of use") for n, a in enumerate((*good, IDLE))]


class Warehouse:
    world_id, vocabulary, rules = "warehouse-v1", VOCABULARY, Rules()
    geometry = Geometry(directions=("up", "right", "down", "left"))
    word_observation = staticmethod(plain_words)  # keeps texts right behind noisy sensors

    def __init__(self, scene=5, agents=2, *, faithful=False):
        if not (1 <= agents <= len(TEAM) and 1 <= scene <= 20):
            raise UsageError("the warehouse takes 1 to 6 robots, and scene is 1 to 20 boxes")
        self.agents, self.scene = TEAM[:agents], scene
        self.kinds = {f"Box_{n + 1}": "box" for n in range(scene)} | {"Crate_1": "crate"}
        self.kinds |= {"Dock": "dock"} | dict.fromkeys(self.agents, "robot")
        task = f"Carry all {scene} boxes to the Dock, and let two robots push Crate_1 away."
        self.briefing = Briefing(task, ("A robot sees what is within 6 cells.",))

    def settings(self):
        return {"world": "warehouse", "scene": self.scene, "agents": len(self.agents)}

    def static(self):
        return {"size": SIZE}

    def snapshot(self):
        return {"cells": {n: list(c) for n, c in self.cells.items()}, "done": list(self.done)}

    def score(self):
        done, total = tuple(self.done), self.scene + 1
        return Score(len(done) == total, done, total, done, done, total)

    def reset(self, seed):
        places = Random(f"warehouse {seed}").sample(range(SIZE**2), len(self.kinds))
        self.cells = {n: divmod(p, SIZE) for n, p in zip(self.kinds, places, strict=True)}
        self.known, self.done, self.time = {}, {}, 0
        return {agent: self.see(agent, None) for agent in self.agents}

    def step(self, joint):
        self.time += 1
        outcomes = {agent: self.act(agent, joint) for agent in self.agents}
        self.known = {n: kind for n, kind in self.known.items() if n not in self.done}
        return StepResult({a: self.see(a, outcomes[a]) for a in self.agents}, outcomes)

    def act(self, agent, joint):
        action = joint[agent]
        if VOCABULARY.is_idle(action) and not action.args:
            return Outcome(agent, action, True, idle=True)
        free = [(n, k) for n, k in self.known.items() if n not in self.done or k == "crate"]
        why = VOCABULARY.check(action, free)  # only what the team has seen can be named
        if action.verb == "Push" and list(joint.values()).count(action) < 2:
            why = why or "two robots have to push in the same step"
        if why:
            return Outcome(agent, action, False, reason=why)
        name, push = action.args[0], action.verb == "Push"
        effects = () if name in POSTS else (Effect(name, "gone", True),)
        self.done |= {effect.name: None for effect in effects}
        self.cells[agent] = POSTS.get(name) or self.cells[name if push else "Dock"]
        return Outcome(agent, action, True, agent_steps=8, effects=effects)

    def see(self, agent, outcome):
        here, there = Pose(*self.cells[agent]), [n for n in self.cells if n not in self.done]
        seen = [Sighting(n, self.kinds[n], here.to_frame(*self.cells[n])) for n in there]
        seen = [s for s in seen if s.name != agent and s.offset.length <= 6.0]
        self.known |= {s.name: s.kind for s in seen}
        return plain_observation(agent, self.time, here, seen, outcome=outcome, view=View(6.0))


if __name__ == "__main__":
    print(*check_world(Warehouse, options={"scene": 6}).lines(), sep="\n")

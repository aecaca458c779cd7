"""A planner of your own, in one file: a ranked list per agent, one call per agent and step.

To use it by name, let your package say so in its `pyproject.toml`:

    [project.entry-points."mosaic_planner.planners"]
    rota = "own_planner:Rota"

Then `mosaic run --planner rota+mosaic` works. Run this file to check it against the contract.
"""

from mosaic_planner.core.candidate import Proposal
from mosaic_planner.models.asking import ask_for
from mosaic_planner.models.reading import answer_schema, as_texts
from mosaic_planner.planners.candidates import known_entities, rank_texts
from mosaic_planner.planners.prompt import action_lines, bullets
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.wording import agent_block, rejected_text
from mosaic_planner.testing.check_planner import examine_planner


class Rota:
    """Asks for one agent after the other; each call sees what the earlier agents chose."""

    def __init__(self, setup: PlannerSetup) -> None:
        self.setup = setup
        self.static = (
            f"You choose the next action of one {setup.briefing.agent_noun} of a team.\n\n"
            f"How this world works:\n{bullets(setup.briefing.rules)}\n\n"
            f"Actions, one per step:\n{action_lines(setup.vocabulary)}\n\n"
            "Answer with one JSON object and nothing else, with this key:\n"
            f'- "actions": a list of {setup.k} different actions, the best first'
        )
        self.static_prompts = {"rota": self.static}  # for the start-up check

    async def propose(self, turn: Turn) -> Proposal:
        candidates, rejections, chosen = {}, [], ["none yet"]
        entities = known_entities(self.setup, turn)
        k, words = self.setup.k, self.setup.vocabulary
        schema = answer_schema({"actions": "actions"}, words, entities, k=k)
        for agent in self.setup.agents:
            state = (
                f"TASK: {self.setup.briefing.instruction}\nYOU CHOOSE FOR: {agent}\n"
                f"CHOSEN: {'; '.join(chosen)}\nREJECTED: {rejected_text(turn.feedback)}\n"
                f"{agent_block(turn, agent, places=self.setup.asm)}"
            )
            ask, keys = self.setup.ask, ("actions",)
            answer = await ask_for(ask, "rota", self.static, state, keys=keys, schema=schema)
            texts = as_texts(answer.fields.get("actions"))[:k]
            candidates[agent], rejected = rank_texts(self.setup, entities, agent, texts)
            rejections += rejected
            chosen += [f"{agent}: {c.action}" for c in candidates[agent][:1]]
        return Proposal(candidates, tuple(rejections))

    async def review(self, turn: Turn) -> None:
        return None


if __name__ == "__main__":
    print("\n".join(examine_planner(Rota)) or "the planner keeps the contract")

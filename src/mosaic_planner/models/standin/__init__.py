"""The stand-in: a rule-based chat model that needs no network.

It gets exactly the messages a hosted model would get and answers with text in the asked JSON form.
It knows what the messages say and one documented table of common sense, nothing else: no world,
no scene, no state may be imported or smuggled in here.
"""

from mosaic_planner.models.standin.model import STRENGTHS, StandIn, make_standin
from mosaic_planner.models.standin.rates import CORRELATIONS, RATES, MistakeRates

__all__ = ["CORRELATIONS", "RATES", "STRENGTHS", "MistakeRates", "StandIn", "make_standin"]

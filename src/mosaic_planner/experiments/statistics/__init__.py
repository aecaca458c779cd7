"""Statistics of episodes: summaries, intervals, paired differences, sample sizes.

Pure functions of arrays; numpy only. A task is a cluster: episodes of one task are alike, so
intervals resample or average tasks, never single episodes.
"""

from mosaic_planner.experiments.statistics.intervals import (
    FEW_CLUSTERS,
    Interval,
    cluster_bootstrap,
    few_clusters_mean,
    few_clusters_rate,
    interval_of,
    wilson,
)
from mosaic_planner.experiments.statistics.paired import PairedDifference, paired_difference
from mosaic_planner.experiments.statistics.sample_size import Needed, needed_episodes
from mosaic_planner.experiments.statistics.summary import (
    Summary,
    interquartile_mean,
    repeat_means,
    summarise,
)

__all__ = [
    "FEW_CLUSTERS",
    "Interval",
    "Needed",
    "PairedDifference",
    "Summary",
    "cluster_bootstrap",
    "few_clusters_mean",
    "few_clusters_rate",
    "interquartile_mean",
    "interval_of",
    "needed_episodes",
    "paired_difference",
    "repeat_means",
    "summarise",
    "wilson",
]

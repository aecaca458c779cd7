"""Experiments: suites, resumable sweeps, statistics, the paper's tables and figures, report.

Everything shown is derived from the traces of finished episodes; nothing is counted on the side.
"""

"""Chat models behind one protocol: adapters, reading of answers, accounting, limits, cassettes.

This room knows neither worlds nor planners; a provider's SDK is imported only in its own adapter.
"""

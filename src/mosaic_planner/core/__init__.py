"""The words of the house: plain values and protocols that every other room speaks.

Nothing here knows a world, a model or a solver, and nothing here does input or output except
`trace`, which writes the record that everything shown later is read from.
"""

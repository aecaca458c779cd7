"""`python -m mosaic_planner.worlds.household.player`: the same as `mosaic-thor-player`."""

from mosaic_planner.worlds.household.player.main import main

if __name__ == "__main__":
    main()

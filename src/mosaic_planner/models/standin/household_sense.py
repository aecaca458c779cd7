"""Common sense about households: what words mean, where things belong, where they are kept.

The household part of the stand-in's common-sense table. Keyed by words and by kinds of things,
never by scene, task, seed or state; a hosted model brings the same from its training. Kinds are
written as prompts name things, without their numbers and in lower case.
"""

from __future__ import annotations

__all__ = [
    "ANYTHING",
    "CATEGORIES",
    "CONTAINERS",
    "DOUBTFUL",
    "FIXED",
    "HOMES",
    "KEPT_IN",
    "LIGHTS",
    "ONE_PLACE",
    "SEARCHED",
    "SPARE_SURFACES",
    "SYNONYMS",
    "USUAL_PLACE",
    "encloses",
]

ANYTHING = "*"

# Words of instructions for several kinds at once; what is named first is seen to first.
CATEGORIES: dict[str, tuple[str, ...]] = {
    "grocery": ("bread", "tomato", "lettuce", "potato", "apple", "egg"),
    "food": ("bread", "tomato", "lettuce", "potato", "apple", "egg"),
    "fruit": ("apple", "tomato"),
    "vegetable": ("tomato", "lettuce", "potato"),
    "shaker": ("saltshaker", "peppershaker"),
    "silverware": ("butterknife", "knife", "fork", "spoon", "spatula", "ladle"),
    "utensil": ("butterknife", "knife", "fork", "spoon", "spatula", "ladle"),
    "cutlery": ("butterknife", "fork", "knife", "spoon"),
    "schoolsupply": ("pen", "pencil", "laptop", "book", "cellphone"),
    "tableware": ("plate", "mug", "bowl", "cup"),
    "kitchenware": ("bowl", "plate", "cup", "mug", "pan", "pot"),
    "sliceable": ("bread", "lettuce", "tomato", "potato", "apple", "egg"),
    "lamp": ("floorlamp", "desklamp"),
    "electronic": ("laptop", "cellphone", "remotecontrol"),
}

# Kinds of which one may doubt that a word for several kinds means them: seen to last.
DOUBTFUL = frozenset(("egg", "cup", "pan", "pot"))

# All that gives light and can be switched.
LIGHTS = ("lightswitch", "floorlamp", "desklamp")

# Other words for one kind. A kind that begins with a star is the end of several ("side table").
SYNONYMS: dict[str, tuple[str, ...]] = {
    "computer": ("laptop",),
    "key": ("keychain",),
    "remote": ("remotecontrol",),
    "phone": ("cellphone",),
    "couch": ("sofa",),
    "counter": ("countertop",),
    "light": ("lightswitch",),
    "cardboardbox": ("box",),
    "table": ("*table",),
    "sink": ("sinkbasin", "sink"),
    "burner": ("stoveburner",),
    "knob": ("stoveknob",),
    "tv": ("television",),
    "refrigerator": ("fridge",),
    "cupboard": ("cabinet",),
    "floor": ("floor",),
    "storage": ("drawer", "cabinet"),
}

_SMALL = (
    "shelf",
    "sidetable",
    "dresser",
    "drawer",
    "coffeetable",
    "tvstand",
    "diningtable",
    "desk",
)
_SURFACES = ("sidetable", "dresser", "coffeetable", "tvstand", "diningtable", "desk")

# Where things belong, the best place first. What is not listed stays where it is when somebody
# tidies up, except from a floor or when everything has to go.
HOMES: dict[str, tuple[str, ...]] = {
    "tomato": ("fridge",),
    "lettuce": ("fridge",),
    "apple": ("fridge",),
    "egg": ("fridge",),
    "butterknife": ("drawer",),
    "fork": ("drawer",),
    "spoon": ("drawer",),
    "knife": ("drawer",),
    "spatula": ("drawer",),
    "ladle": ("drawer",),
    "keychain": _SMALL,
    "pencil": _SMALL,
    "pen": _SMALL,
    "book": ("shelf", "sidetable", "dresser", "drawer", "bed", *_SURFACES),
    "watch": _SMALL,
    "cd": _SMALL,
    "creditcard": _SMALL,
    "cellphone": ("sidetable", "shelf", "dresser", "drawer", "bed", *_SURFACES),
    "laptop": ("sidetable", "dresser", "bed", *_SURFACES),
    "alarmclock": ("sidetable", "dresser", "shelf", *_SURFACES),
    "mug": ("cabinet", "shelf", *_SURFACES),
    "bowl": ("cabinet", "shelf", *_SURFACES),
    "plate": ("cabinet", "shelf", *_SURFACES),
    "cup": ("cabinet", "shelf", *_SURFACES),
    "remotecontrol": _SMALL,
    "newspaper": _SMALL,
}

# Where to lay something down that has no better place.
SPARE_SURFACES = (
    "countertop", "diningtable", "sidetable", "coffeetable", "desk", "dresser", "shelf", "tvstand",
    "bed", "sofa",
)  # fmt: skip

# What has room for one thing only.
ONE_PLACE = ("stoveburner", "coffeemachine", "toaster")

# Containers with a door or lid that hide what is in them.
CONTAINERS = (
    "fridge", "cabinet", "drawer", "microwave", "safe", "laundryhamper", "box",
)  # fmt: skip

# Where one looks first for something that is not in sight.
USUAL_PLACE: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("apple", "tomato", "lettuce", "egg", "potato", "bread"), ("fridge",)
)

# In which containers things are kept: searched first when looking around does not find them.
KEPT_IN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("butterknife", "knife", "fork", "spoon", "spatula", "ladle"), ("drawer",)),
    **dict.fromkeys(("plate", "bowl", "mug", "cup", "pot", "pan", "vase"), ("cabinet",)),
    **dict.fromkeys(("saltshaker", "peppershaker"), ("cabinet", "drawer")),
    **dict.fromkeys(
        ("pen", "pencil", "keychain", "creditcard", "watch", "cd", "remotecontrol", "cellphone",
         "book", "tissuebox"),
        ("drawer",),
    ),
    **USUAL_PLACE,
}  # fmt: skip

# In which order closed containers are searched when nothing else helps.
SEARCHED = ("fridge", "cabinet", "microwave", "drawer", "safe", "box", "laundryhamper")

# Furniture and fittings: nobody carries them away.
FIXED = frozenset(
    (
        "armchair", "bathtub", "bathtubbasin", "bed", "blinds", "cabinet", "chair",
        "coffeemachine", "coffeetable", "countertop", "curtains", "desk", "desklamp", "desktop",
        "diningtable", "dogbed", "drawer", "dresser", "faucet", "floor", "floorlamp",
        "footstool", "fridge", "garbagecan", "handtowelholder", "houseplant", "laundryhamper",
        "lightswitch", "microwave", "mirror", "ottoman", "painting", "poster", "safe", "shelf",
        "shelvingunit", "showercurtain", "showerdoor", "showerglass", "showerhead", "sidetable",
        "sink", "sinkbasin", "sofa", "stool", "stoveburner", "stoveknob", "television",
        "toaster", "toilet", "toiletpaperhanger", "towelholder", "tvstand", "vacuumcleaner",
        "window", "roomdecor", "garbagebag", "robot", "agent",
    )
)  # fmt: skip


def encloses(kind: str) -> bool:
    """Whether a kind is a container that hides what is in it while closed."""
    return kind in CONTAINERS

"""The shop's services. This package does not import Reflex; `storefront` and the HTTP routes are built on top of it."""

import warnings

from pydantic import BaseModel
from pydantic.warnings import UnsupportedFieldAttributeWarning

BaseModel.model_config["defer_build"] = (
    True  # builds a model's validators at their first use, which makes the start faster
)
# FastAPI silences this warning while it builds a route; models that are built later would show it
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

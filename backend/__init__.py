"""What the shop does. Knows nothing of Reflex; `storefront` and the HTTP routes stand above it."""

import warnings

from pydantic import BaseModel
from pydantic.warnings import UnsupportedFieldAttributeWarning

BaseModel.model_config["defer_build"] = True  # a model's validators are built by who first asks for them
# FastAPI silences this one while it makes a route; what is built later warns then
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

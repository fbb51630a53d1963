"""What mem0's own client calls, answered from this store: the platform's paths at the root of the
host (`/v1/`, `/v2/`, `/v3/`), those of its self-hosted server under `/mem0/`.

An id here is a fact's, the same through all its versions: an update supersedes, and the id that
the client holds goes on meaning what is true now. A delete retracts. What a client of mem0 does
not know (`lifecycle_state`, `replaced_by`, `score_details`, `code`) stands beside what it does.
"""

from ninja import NinjaAPI

from ..parser import StrictJson
from . import batch, errors, events, hosted, items, lists, others, project

api = NinjaAPI(
    title="MASE for mem0",
    version="1",
    urls_namespace="mem0",
    parser=StrictJson(),
    docs_url=None,
    openapi_url=None,
)
errors.install(api)
api.add_router("/mem0", hosted.router)
for part in (others, events, project, batch, lists, items):
    api.add_router("", part.router)

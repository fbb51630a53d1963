"""The HTTP API for agents, under /api/v1. One router a noun; each operation parses, calls one
function of the roads below, and answers."""

from ninja import NinjaAPI

from . import (
    accesses,
    batches,
    bulk,
    corrections,
    difference,
    entities,
    erasures,
    exports,
    images,
    imports,
    jobs,
    ledger,
    memories,
    problems,
    recall,
    recalls,
    repeat,
    review,
    sharing,
    turns,
    webhooks,
    working,
)
from .parser import StrictJson

REPEATED = {
    "in": "header",
    "name": repeat.HEADER,
    "required": False,
    "description": "Sent again with the same body within a day, the request is answered again "
    "(`Idempotent-Replayed: true`) and not carried out again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}


class Api(NinjaAPI):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._described = {}

    def get_openapi_schema(self, *, path_prefix=None, path_params=None):
        """As ninja makes it, with refusals under the media type that they really bear. It is made
        once for each prefix, as that takes 2 s: nobody may change what is returned."""
        if path_prefix is None:
            path_prefix = self.get_root_path(path_params or {})
        if path_prefix not in self._described:
            self._described[path_prefix] = self._describe(path_prefix)
        return self._described[path_prefix]

    def _describe(self, path_prefix):
        schema = super().get_openapi_schema(path_prefix=path_prefix)
        for path in schema["paths"].values():
            if "post" in path:
                path["post"].setdefault("parameters", []).append(REPEATED)
            for operation in path.values():
                for status, answer in operation["responses"].items():
                    if int(status) >= 400:
                        answer["content"] = {problems.MEDIA_TYPE: answer["content"].popitem()[1]}
        return schema


api = Api(
    title="MASE",
    version="1",
    description="The memory of AI agents: written, recalled, corrected, with its history.",
    urls_namespace="api",
    parser=StrictJson(),
)
problems.install(api)
api.add_router("/memories", bulk.router)
api.add_router("/memories", memories.router)
api.add_router("/memories", accesses.router)
api.add_router("/memories", review.router)
api.add_router("/memories", erasures.of_memories)
api.add_router("/erasures", erasures.router)
api.add_router("/exports", exports.router)
api.add_router("/imports", imports.router)
api.add_router("/ledger", ledger.router)
api.add_router("/recall", recall.router)
api.add_router("/recalls", sharing.router)
api.add_router("/recalls", recalls.router)
api.add_router("/corrections", corrections.router)
api.add_router("/batches", batches.router)
api.add_router("/diff", difference.router)
api.add_router("/entities", entities.router)
api.add_router("/turns", turns.router)
api.add_router("/images", images.router)
api.add_router("/jobs", jobs.router)
api.add_router("/webhooks", webhooks.router)
api.add_router("/working", working.router)

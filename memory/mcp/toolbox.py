"""All tools of the engine; what people's side offers is added where the server is put up."""

from . import reading, recalling, writing

TOOLS = (*writing.TOOLS, *recalling.TOOLS, *reading.TOOLS)

"""The addresses beside /api/ under which agents with a key are served."""

MCP = "/mcp"
# mem0's own client calls these at the root of its host.
MEM0 = ("/v1/", "/v2/", "/v3/", "/mem0/")
LANES = (MCP, *MEM0)

"""The API's verbs as tools of the Model Context Protocol, over stdio and over HTTP.

A tool parses its arguments, calls the operation of the API that does the same, and tells its
answer with fewer words. Only `server`, `stdio` and `over_http` know the SDK, which is an extra.
"""

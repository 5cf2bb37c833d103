"""Routes written by hand; most routes are made of operations, by `routes_in` in all_routes.py.

An operation in rota.operations brings its route with it: path, role, parameters, answer. A route
is written by hand where one transaction is not what happens: submits that share a commit, streams,
sign-in, requests of workers. An example:

    @get("/metrics", **needs("viewer"))
    async def show_metrics(request: ApiRequest) -> Response[str]:
        \"\"\"Counters and gauges of this namespace.\"\"\"

- `needs` names the role. It makes the check at the gate, the entry in the description and the row
  in tests/api/test_matrix.py: each operation must have a row in tests/api/examples.py.
- The namespace is `request.namespace`, from the credential; never a part of path, query or body. A
  run or a queue that the credential does not reach (`request.credential.reaches`) is unknown.
- `request.read(work)` and `request.change(verb, subject, work, answers=...)` run `work(tx)` in a
  thread, in one transaction. A change writes its audit entry, and obeys an Idempotency-Key.
- Errors are those of rota.errors; rota.api.server.problems says which status they are.
- Names in paths go through `named()`, as they may hold a slash that was sent as %2F.

A new file of routes is added to API in rota.api.routes.all_routes; that is all.
"""

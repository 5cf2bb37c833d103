"""Routes: thin, one file for each noun. This is how one looks.

    @get("/queues", **needs("viewer"))
    async def list_queues(request: ApiRequest) -> Page[QueueDocument]:
        \"\"\"All queues with their depth.\"\"\"
        found = await request.read(lambda tx: queues(tx, namespace=request.namespace))
        return Page(items=[queue_document(each) for each in found])

    @post("/queues/{queue:str}/pause", **needs("operator", changes=True), status_code=200)
    async def pause_queue(
        request: ApiRequest, queue: FromPath[str], data: JSONBody[PauseBody]
    ) -> QueueState:
        \"\"\"Start nothing new from this queue.\"\"\"

        def pause_it(tx: Tx, by: By) -> QueueState:
            pause(tx, queue, namespace=request.namespace, note=data.note)
            return QueueState(name=queue, is_paused=True)

        return await request.change("pause queue", queue, pause_it, answers=QueueState)

- `needs` names the role. It makes the check at the gate, the entry in the description and the row
  in tests/api/test_matrix.py: each operation must have a row in tests/api/examples.py.
- The namespace is `request.namespace`, from the credential; never a part of path, query or body. A
  run or a queue that the credential does not reach (`request.credential.reaches`) is unknown.
- `request.read(work)` and `request.change(verb, subject, work, answers=...)` run `work(tx)` in a
  thread, in one transaction. A change writes its act and obeys an Idempotency-Key by itself; if the
  verb records an act of its own, give it the `by` that `work` is called with: the act is one.
- Bodies and answers are structs of `rota.api.server.documents` (`Body`, `Document`): camelCase,
  unknown fields refused, defaults left out of nothing. Times are ISO 8601 in UTC.
- Errors are those of rota.errors; rota.api.server.problems says which status they are.
- Names in paths go through `named()`, as they may hold a slash that was sent as %2F.

A new file is added to API in rota.api.routes.all_routes; that is all.
"""

-- name: lock_nodes
-- One by one in the order of the batch, which is that of their keys, so that two batches do not lock
-- each other out. As a join, the whole table was read until the first ANALYZE.
select n.*, {now} as now
  from {rows:place} as b
 cross join lateral (
        select n.graph_id, n.name, n.state, n.version, n.run_id, n.result, n.reason, n.counts,
               n.width, n.made, n.ended, n.bad, n.earlier
          from rota.node as n
         where n.graph_id = b.graph_id
           and n.name = b.name
         {lock:n}
       ) as n

-- name: load_nodes
-- Without a lock: these columns do not change any more. The limit keeps it from being a join.
select n.*
  from {rows:place} as b
 cross join lateral (
        select n.graph_id, n.name, n.state, n.result, n.run_id, n.width, n.earlier
          from rota.node as n
         where n.graph_id = b.graph_id
           and n.name = b.name
         limit 1
       ) as n

-- name: existing_nodes
select n.*
  from json_array_elements_text(cast(:ids as json)) as i
 cross join lateral (
        select n.graph_id, n.name, n.state, n.version, n.run_id, n.result, n.reason, n.counts,
               n.width, n.made, n.ended, n.bad, n.earlier
          from rota.node as n
         where n.graph_id = cast(i as uuid)
         limit 1000000
       ) as n

-- name: bad_nodes
select n.*
  from json_array_elements_text(cast(:ids as json)) as i
 cross join lateral (
        select n.graph_id, n.name, n.state, n.reason, n.run_id, n.width
          from rota.node as n
         where n.graph_id = cast(i as uuid)
           and n.state in ('failed', 'upstream_failed')
         limit 1000000
       ) as n

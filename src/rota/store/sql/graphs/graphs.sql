-- name: insert_children
-- Like insert_runs, for runs of nodes. They are due now: their graph has waited for their parents.
insert into rota.run ({columns:submitted}, parent_id, node, item, origin)
select n.id, :namespace, n.job, n.version, coalesce(n.queue, 'default'), coalesce(n.priority, 0),
       'queued', {rank:t.now, coalesce(n.priority, 0)},
       coalesce(n.args, '{}'), {columns:brought},
       t.now, t.now, t.now, t.now + n.expires_ms, n.parent_id, n.node, n.item, n.origin
  from {rows:child_run} as n
 cross join (select {now} as now limit 1) as t
 where true
on conflict (id) do nothing

-- name: insert_nodes
insert into rota.node (
    graph_id, name, state, version, run_id, result, reason, counts, width, made, ended, bad, earlier
)
select b.graph_id, b.name, b.state, b.version, b.run_id, b.result, b.reason, b.counts,
       b.width, b.made, b.ended, b.bad, b.earlier
  from {rows:node} as b
 where true
on conflict (graph_id, name) do nothing

-- name: lock_nodes
-- In the order of their keys, so that two batches do not lock each other out.
select n.graph_id, n.name, n.state, n.version, n.run_id, n.result, n.reason, n.counts,
       n.width, n.made, n.ended, n.bad, n.earlier, {now} as now
  from {rows:place} as b
 cross join rota.node as n
 where n.graph_id = b.graph_id
   and n.name = b.name

-- name: lock_waiting_nodes
-- Nodes of one graph that wait for parents, or for a place; and mapped ones that run.
select n.graph_id, n.name, n.state, n.version, n.run_id, n.result, n.reason, n.counts,
       n.width, n.made, n.ended, n.bad, n.earlier, {now} as now
  from rota.node as n
 where n.graph_id = :graph_id
   and n.name <> ''
   and (n.state in ('pending', 'ready', 'held') or n.state = 'active')
 order by n.graph_id, n.name
 {lock:n}

-- name: lock_ready_nodes
select n.graph_id, n.name, n.state, n.version, n.run_id, n.result, n.reason, n.counts,
       n.width, n.made, n.ended, n.bad, n.earlier, {now} as now
  from rota.node as n
 where n.graph_id = :graph_id
   and n.state = 'ready'
 order by n.graph_id, n.name
 limit :limit
 {lock:n}

-- name: save_nodes
-- They are there, and ours: by way of a conflict each is found by its key, whatever the planner
-- thinks of the size of the table. A join read all of it until the first ANALYZE.
insert into rota.node as n (
    graph_id, name, state, version, run_id, result, reason, counts, width, made, ended, bad, earlier
)
select b.graph_id, b.name, b.state, b.version, b.run_id, b.result, b.reason, b.counts,
       b.width, b.made, b.ended, b.bad, b.earlier
  from {rows:node} as b
 where true
on conflict (graph_id, name) do update
   set state = excluded.state,
       run_id = excluded.run_id,
       result = excluded.result,
       reason = excluded.reason,
       counts = excluded.counts,
       width = excluded.width,
       made = excluded.made,
       ended = excluded.ended,
       bad = excluded.bad,
       earlier = excluded.earlier

-- name: load_nodes
-- Without a lock: these columns do not change any more.
select n.graph_id, n.name, n.state, n.result, n.run_id, n.width, n.earlier
  from {rows:place} as b
 cross join rota.node as n
 where n.graph_id = b.graph_id
   and n.name = b.name

-- name: list_nodes
select n.name, n.state, n.run_id, n.reason, n.width, n.made, n.ended, n.bad, n.counts, n.earlier,
       coalesce({columns:node_seen}, h.state) as run_state,
       coalesce(r.job, h.job) as job,
       coalesce(r.attempt, h.attempt) as attempt,
       coalesce(r.created_at, h.created_at) as created_at,
       coalesce({columns:node_start}, h.started_at) as started_at,
       h.finished_at
  from rota.node as n
  left join rota.run as r
    on r.id = n.run_id
  left join rota.run_history as h
    on h.id = n.run_id
 where n.graph_id = :graph_id
   and n.name <> ''

-- name: item_spans
-- When the instances of mapped nodes began, and when those ended that have.
select i.node, min(i.started_at) as started_at, max(i.finished_at) as finished_at
  from (select node, {columns:seen_start} as started_at, cast(null as bigint) as finished_at
          from rota.run
         where parent_id = :graph_id
           and item is not null
         union all
        select node, started_at, finished_at
          from rota.run_history
         where parent_id = :graph_id
           and item is not null) as i
 group by i.node

-- name: find_end
-- The row that stands for the whole run.
select state, result
  from rota.node
 where graph_id = :graph_id
   and name = ''

-- name: paused_graphs
select graph_id
  from rota.node
 where graph_id {ids:ids}
   and name = ''
   and state = 'paused'

-- name: grid_nodes
-- The states of the nodes of several runs, and of the runs that carry them out.
select n.graph_id, n.name, n.state, {columns:node_seen} as run_state
  from rota.node as n
  left join rota.run as r
    on r.id = n.run_id
 where n.graph_id {ids:ids}
   and n.name <> ''

-- name: existing_nodes
-- A rerun takes over the nodes that it keeps of the run before.
select n.graph_id, n.name, n.state, n.version, n.run_id, n.result, n.reason, n.counts,
       n.width, n.made, n.ended, n.bad, n.earlier
  from rota.node as n
 where n.graph_id {ids:ids}

-- name: bad_nodes
select n.graph_id, n.name, n.state, n.reason, n.run_id, n.width
  from rota.node as n
 where n.graph_id {ids:ids}
   and n.state in ('failed', 'upstream_failed')

-- name: close_nodes
-- The run has ended otherwise: nodes and instances that have not begun never begin. Instances that
-- are being made are waited for, so that they are seen afterwards.
update rota.node
   set state = case when state = 'active' then 'failed' else 'skipped' end,
       reason = :reason
 where graph_id {ids:ids}
   and name <> ''
   and (state in ('pending', 'ready', 'held') or (state = 'active' and made < width))

-- name: end_graphs
update rota.node
   set state = 'ended',
       ended_at = {now},
       graph = (select r.namespace || ' ' || r.job from rota.run as r where r.id = graph_id)
 where graph_id {ids:ids}
   and name = ''
returning graph_id

-- name: open_graphs
-- The graphs among these runs that have begun and have not ended.
select graph_id
  from rota.node
 where graph_id {ids:ids}
   and name = ''
   and state <> 'ended'

-- name: note_winding_down
-- It ends when its teardowns have; how long that takes is up to them.
update rota.run
   set cancel_requested = cancel_requested or :is_cancel,
       cancel_reason = coalesce(cancel_reason, :reason),
       expires_at = null
 where id = :id
   and fence = :fence
   and {from:complete}

-- name: past_graphs
-- The last runs of the same graph.
select graph_id
  from rota.node
 where graph = :graph
   and name = ''
   and ended_at is not null
   and graph_id <> :graph_id
 order by ended_at desc
 limit :limit

-- name: past_spans
-- When nodes started and ended; of mapped ones the first instances tell the pace.
select h.parent_id as graph_id, h.node, 0 as instances, null as width,
       min(h.started_at) as started_at, max(h.finished_at) as finished_at
  from {rows:place} as b
 cross join rota.run_history as h
 where h.parent_id = b.graph_id
   and h.node = b.name
   and h.item is null
   and h.state = 'success'
 group by h.parent_id, h.node
 union all
select h.parent_id as graph_id, h.node, count(*) as instances, max(n.width) as width,
       min(h.started_at) as started_at, max(h.finished_at) as finished_at
  from {rows:place} as b
 cross join rota.node as n
 cross join rota.run_history as h
 where n.graph_id = b.graph_id
   and n.name = b.name
   and h.parent_id = b.graph_id
   and h.node = b.name
   and h.item >= 0
   and h.item < :sample
   and h.state = 'success'
 group by h.parent_id, h.node

-- name: live_children
select id, namespace, fence, state, worker_id, parent_id, node, item
  from rota.run as run
 where parent_id {ids:ids}
 order by id
 {sql:lock}

-- name: find_instances
-- Instances that are about to end, locked until they have.
select run.id
  from {rows:verdict} as v
  join rota.run as run
    on run.id = v.run_id
   and run.fence = v.fence
   and run.item is not null
   and run.namespace = :namespace
 order by run.id
 {sql:lock}

-- name: find_graphs
-- The graph runs of these nodes: their definition and their arguments.
select id, namespace, job, version, args, policy, parent_id, node, created_at, rerun_of, origin
  from rota.run
 where id {ids:ids}
 union all
select id, namespace, job, version, args, policy, parent_id, node, created_at, rerun_of, origin
  from rota.run_history
 where id {ids:ids}

-- name: lock_graphs
select id, fence, failures, policy, parent_id, node, item, schedule_id, {now} as now
  from rota.run as run
 where id {ids:ids}
   and {from:complete}
 order by id
 {sql:lock}

-- name: suspend_runs
-- A run of a graph holds no slot: it ends with its nodes. Its arguments may be known only now.
update rota.run as run
   set state = {to:suspend},
       worker_id = null,
       args = coalesce(b.args, run.args),
       policy = coalesce(b.policy, run.policy),
       expires_at = coalesce(run.started_at, {now}) + b.timeout_ms
  from {rows:begun} as b
 where run.id = b.run_id
   and run.fence = b.fence
   and run.namespace = :namespace
   and run.{from:suspend}

-- name: find_overdue_graphs
select id, namespace, fence, schedule_id, parent_id, node, item, started_at, expires_at
  from rota.run
 where {from:complete}
   and expires_at <= {now}
 order by expires_at
 limit :limit
 {sql:skip_locked}

-- name: instance_results
-- The results of one mapped node, in order; an instance that was made again has more than one run.
select item, state, result
  from rota.run_history
 where parent_id = :graph_id
   and node = :name
   and item >= :low
   and item < :high
 order by item, id

-- name: instance_endings
-- How they ended, and as which runs.
select id, item, state
  from rota.run_history
 where parent_id = :graph_id
   and node = :name
   and item >= :low
   and item < :high
 order by item, id

-- name: find_submit
-- The submit of a run that was run again.
select created_at, rerun_of
  from rota.run
 where id = :id
 union all
select created_at, rerun_of
  from rota.run_history
 where id = :id

-- name: node_versions
-- Since when each is the current one; null where that is not on record. In the same trip: when
-- these runs were submitted.
select j.name, j.version, c.since, cast(null as {type:uuid}) as id,
       cast(null as {type:uuid}) as rerun_of
  from rota.job as j
  left join rota.version_change as c
    on c.namespace = j.namespace
   and c.name = j.name
   and c.version = j.version
   and c.number = (
        select max(last.number)
          from rota.version_change as last
         where last.namespace = j.namespace
           and last.name = j.name
       )
 where j.namespace = :namespace
   and j.name in ({each:names})
 union all
select null, null, r.created_at, r.id, r.rerun_of
  from rota.run as r
 where r.id {ids:ids}

-- name: forget_nodes
delete from rota.node
 where graph_id {ids:ids}

-- name: list_node_runs
-- All runs of nodes that have ended, older ones of the same node too.
select id, node, item, state, reason, crashes, created_at, started_at, finished_at
  from rota.run_history
 where parent_id = :graph_id
 order by id

-- name: note_restart
-- A run of a graph begins again, at the failed nodes.
update rota.run
   set failures = failures + 1
 where id = :id

-- name: disown_instances
-- Of mapped nodes that are done again: instances that have not ended yet are no items of theirs any
-- more.
update rota.run
   set item = null
 where parent_id = :id
   and item is not null

-- name: lock_job
-- Taken to count the runs of a graph, which only one process at a time may do.
select j.name
  from rota.job as j
 where j.namespace = :namespace
   and j.name = :name
 {lock:j}

-- name: under_way_by_job
-- Runs of graphs whose nodes have not all ended, and how many of these runs are paused.
select run.job, count(*) as runs, count(whole.graph_id) as paused
  from rota.run as run
  left join rota.node as whole
    on whole.graph_id = run.id
   and whole.name = ''
   and whole.state = 'paused'
 where run.namespace = :namespace
   and run.job in ({each:names})
   and run.{from:complete}
 group by run.job

-- name: timeline_runs
-- Runs of nodes that are not mapped, live and ended; a node that was made again has several.
select id, fence, node, job, {columns:seen} as state, created_at,
       {columns:seen_start} as started_at, null as finished_at
  from rota.run
 where parent_id = :graph_id
   and item is null
 union all
select id, fence, node, job, state, created_at, started_at, finished_at
  from rota.run_history
 where parent_id = :graph_id
   and item is null
 order by id

-- name: timeline_maps
-- Mapped nodes as a whole: from the first instance to the last.
select node, count(*) as instances, min(created_at) as created_at, min(started_at) as started_at,
       max(finished_at) as finished_at, count(*) - count(finished_at) as going_on
  from (
        select node, created_at, {columns:seen_start} as started_at,
               cast(null as bigint) as finished_at
          from rota.run
         where parent_id = :graph_id
           and item is not null
         union all
        select node, created_at, started_at, finished_at
          from rota.run_history
         where parent_id = :graph_id
           and item is not null
       ) as r
 group by node

-- name: timeline_attempts
select run_id, fence, kind, started_at, ended_at
  from rota.attempt
 where run_id {ids:ids}
 order by fence

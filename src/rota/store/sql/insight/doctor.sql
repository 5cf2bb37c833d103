-- name: stuck_runs
-- Every live run has something that will move it on: a time that comes, a queue that is claimed
-- from, a lease that ends, a node that runs, runs that it waits for, a person who paused it. These
-- runs have nothing, or it is overdue by more than :late_ms, so that the process that should have
-- acted does not. A state that is missing here has no known way out.
select s.state, s.why, count(*) as runs, min(s.id) as example
  from (
        select cast(run.id as text) as id, run.state,
               case when run.{from:promote}
                         then case when run.ready_at <= {now} - :late_ms
                                        then 'its time has come and nobody promotes it' end
                    when run.{from:expire}
                         then case when run.expires_at <= {now} - :late_ms
                                        then 'it has expired and nobody ends it' end
                    when run.{from:reap}
                         then case when w.id is null and run.started_at <= {now} - :late_ms
                                        then 'its worker is gone and nobody takes it back'
                                   when w.lease_until <= {now} - :late_ms
                                        then 'the lease of its worker has ended and nobody takes it back'
                                    end
                    when run.{from:complete}
                         and (exists (
                                select 1
                                  from rota.run as child
                                 where child.parent_id = run.id
                               )
                              or exists (
                                select 1
                                  from rota.node as n
                                 where n.graph_id = run.id
                                   and n.name = ''
                                   and n.state = 'paused'
                               ))
                         then null
                    when run.{from:unblock}
                         and (exists (
                                select 1
                                  from rota.run as graph
                                 where graph.id = run.parent_id
                               )
                              or exists (
                                select 1
                                  from rota.schedule as s
                                 where s.id = run.schedule_id
                                   and s.state <> 'error'
                               )
                              or exists (
                                select 1
                                  from rota.awaited as a
                                 where a.run_id = run.id
                               )
                              or (run.fence > 0 and exists (
                                select 1
                                  from rota.run as other
                                 where other.namespace = run.namespace
                                   and other.job = run.job
                                   and other.id <> run.id
                                   and not other.{from:unblock}
                               )))
                         then null
                    else 'nothing will ever wake it' end as why
          from rota.run as run
          left join rota.worker as w
            on w.id = run.worker_id
       ) as s
 where s.why is not null
 group by s.state, s.why
 order by s.state, s.why

-- name: queued_by_job
select namespace, queue, job, count(*) as runs, {now} - min(ready_at) as oldest_ms
  from rota.run
 where {from:claim}
 group by namespace, queue, job
 order by namespace, queue, job

-- name: worker_leases
select namespace, name, host, pid, queues, jobs, {now} - seen_at as silent_ms,
       {now} - lease_until as over_ms, {now} - stalled_at as stalled_ms, stalled_why
  from rota.worker
 order by namespace, name

-- name: all_paused_queues
select namespace, name
  from rota.queue
 where is_paused

-- name: chore_ages
select name, {now} - done_at as age_ms
  from rota.chore
 where done_at is not null
 order by name

-- name: vitals
select 'key_rows' as name, count(*) as value
  from rota.run_key

-- name: list_partitions
-- Empty here; a dialect with partitions replaces this statement.
select null as name
 where false

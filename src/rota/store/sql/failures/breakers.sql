-- name: set_breaker_rule
-- The state stays: a new version of a job does not forget that its dependency is down.
insert into rota.breaker as breaker (namespace, job, rule, changed_at)
values (:namespace, :job, :rule, {now})
on conflict (namespace, job) do update
   set rule = excluded.rule
 where breaker.rule is distinct from excluded.rule

-- name: drop_breaker_rule
-- A job that a person holds back is held even if its new version has no breaker.
delete from rota.breaker
 where namespace = :namespace
   and job = :job
   and not stays

-- name: observe_attempts
-- How the attempts of a batch ended, by job and part, beside the breaker of the job. Before the
-- runs change and under their lock, as record_attempts: a lost lease is not counted.
-- The guard asks the verdict too, so that PostgreSQL looks runs up by id: through the index of
-- running ones it compared each of them with each verdict, 40 ms for a batch of 250.
select b.job, ended.part, ended.good, ended.bad, ended.fate, b.rule, b.state, b.turn, b.opened_at,
       b.probe_at, b.cools, b.stays, b.probe_id, b.note, {now} as now
  from (
        select a.job, a.part,
               count(case when a.fate = 'good' then 1 end) as good,
               count(case when a.fate = 'bad' then 1 end) as bad,
               max(case when a.id in (
                            select p.probe_id
                              from rota.breaker as p
                             where p.namespace = :namespace
                               and p.state = 'half_open'
                        ) then a.fate end) as fate
          from (
                select run.id, run.job,
                       substr(cast(run.worker_id as text), 36, 1) as part,
                       case when v.verb = 'succeed' then 'good'
                            when v.kind in ('error', 'timeout', 'crash', 'lost') then 'bad'
                            when v.verb <> 'release' then 'gone' end as fate
                  from {rows:verdict} as v
                  join rota.run as run
                    on run.id = v.run_id
                   and run.fence = v.fence
                   and (v.verb is null or (run.namespace = :namespace and run.{from:fail}))
                 order by run.id
                 {sql:lock}
               ) as a
         group by a.job, a.part
       ) as ended
  join rota.breaker as b
    on b.namespace = :namespace
   and b.job = ended.job
   and b.rule is not null
 order by b.job, ended.part

-- name: add_tallies
insert into rota.breaker_tally as t (
    namespace, job, turn, bucket_at, part, good, bad, expires_at
)
select :namespace, n.job, n.turn, n.bucket_at, n.part, n.good, n.bad, n.expires_at
  from {rows:tally} as n
 where true
on conflict (namespace, job, turn, bucket_at, part) do update
   set good = t.good + excluded.good,
       bad = t.bad + excluded.bad

-- name: read_tallies
select bucket_at, sum(good) as good, sum(bad) as bad
  from rota.breaker_tally
 where namespace = :namespace
   and job = :job
   and turn = :turn
   and expires_at > {now}
 group by bucket_at

-- name: unsettled_breakers
-- Breakers that may have to change without an attempt that ends: time passes, probes vanish, and
-- two workers that failed at the same moment did not see each other.
select b.namespace, b.job, b.rule, b.state, b.turn, b.opened_at, b.probe_at, b.cools, b.stays,
       b.probe_id, b.note, {now} as now
  from rota.breaker as b
 where b.rule is not null
   and not b.stays
   and (b.state <> 'closed'
        or exists (
            select 1
              from rota.breaker_tally as t
             where t.namespace = b.namespace
               and t.job = b.job
               and t.turn = b.turn
               and t.bad > 0
               and t.expires_at > {now}
           ))
 order by b.namespace, b.job

-- name: find_breaker
select b.namespace, b.job, b.rule, b.state, b.turn, b.opened_at, b.probe_at, b.cools, b.stays,
       b.probe_id, b.note, {now} as now
  from rota.breaker as b
 where b.namespace = :namespace
   and b.job = :job

-- name: find_probe
-- The end of a probe, for a process that looks later than the transaction that ended it.
select state, attempt
  from rota.run
 where id = :id
 union all
select state, attempt
  from rota.run_history
 where id = :id

-- name: pick_probe
-- The run that would have been claimed first.
select id, queue
  from rota.run
 where {from:claim}
   and namespace = :namespace
   and job = :job
   and (expires_at is null or expires_at > {now})
   and queue not in (
        select q.name
          from rota.queue as q
         where q.namespace = :namespace
           and q.is_paused
       )
 order by rank, id
 limit 1

-- name: change_breaker
update rota.breaker
   set state = :state,
       turn = turn + 1,
       opened_at = :opened_at,
       probe_at = :probe_at,
       cools = :cools,
       stays = :stays,
       probe_id = :probe_id,
       note = :note,
       changed_at = {now}
 where namespace = :namespace
   and job = :job
   and turn = :turn

-- name: open_breaker
insert into rota.breaker as b (namespace, job, state, turn, opened_at, stays, note, changed_at)
values (:namespace, :job, 'open', 1, {now}, true, :note, {now})
on conflict (namespace, job) do update
   set state = excluded.state,
       turn = b.turn + 1,
       opened_at = case when b.state = 'closed' then excluded.opened_at else b.opened_at end,
       probe_at = null,
       probe_id = null,
       stays = true,
       note = excluded.note,
       changed_at = excluded.changed_at
 where b.state <> 'open'
    or not b.stays
    or b.note is distinct from excluded.note
returning turn, changed_at

-- name: close_breaker
update rota.breaker
   set state = 'closed',
       turn = turn + 1,
       opened_at = null,
       probe_at = null,
       cools = 0,
       stays = false,
       probe_id = null,
       note = null,
       changed_at = {now}
 where namespace = :namespace
   and job = :job
   and state <> 'closed'
returning turn, changed_at

-- name: queues_of_job
select distinct queue
  from rota.run
 where {from:claim}
   and namespace = :namespace
   and job = :job

-- name: job_names
select name
  from rota.job
 where namespace = :namespace

-- name: held_jobs
select job, probe_id
  from rota.breaker
 where namespace = :namespace
   and state <> 'closed'

-- name: list_breakers
select b.job, b.rule, b.state, b.opened_at, b.probe_at, b.probe_id, b.cools, b.stays, b.note,
       b.changed_at,
       coalesce(t.good, 0) as good,
       coalesce(t.bad, 0) as bad,
       coalesce(h.held, 0) as held,
       {now} as now
  from rota.breaker as b
  left join (
        select job, turn, sum(good) as good, sum(bad) as bad
          from rota.breaker_tally
         where namespace = :namespace
           and expires_at > {now}
         group by job, turn
       ) as t
    on t.job = b.job
   and t.turn = b.turn
  left join (
        select run.job, count(*) as held
          from (
                select id, job
                  from rota.run
                 where namespace = :namespace
                   and {from:claim}
                   and exists (
                        select 1
                          from rota.breaker as o
                         where o.namespace = :namespace
                           and o.state <> 'closed'
                       )
                 limit :most
               ) as run
          join rota.breaker as o
            on o.namespace = :namespace
           and o.job = run.job
           and o.state <> 'closed'
           and run.id is distinct from o.probe_id
         group by run.job
       ) as h
    on h.job = b.job
 where b.namespace = :namespace
   and (b.rule is not null or b.state <> 'closed')
 order by b.job

-- name: prune_tallies
delete from rota.breaker_tally
 where (namespace, job, turn, bucket_at, part) in (
        select namespace, job, turn, bucket_at, part
          from rota.breaker_tally
         where expires_at <= {now}
         limit :limit
       )

-- name: forget_breakers
delete from rota.breaker
 where namespace = :namespace

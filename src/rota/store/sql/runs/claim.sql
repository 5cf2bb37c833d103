-- name: claim_runs
-- Up to :limit runs for one worker, best rank first. The fence only ever grows. Whether any job is
-- held is checked once; only then each run is compared with those (1 us a run). A run starts when
-- the row is taken, by the clock of that moment: the time of the statement may be older than the
-- rows that it sees, and a run would have started before it was due. A run that is :held ready
-- starts later, and its worker reports when. No with clause: SQLite prepares one beside a returning
-- clause anew each time, 97 us instead of 5.
update rota.run
   set state = {to:claim},
       attempt = attempt + 1,
       fence = fence + 1,
       worker_id = :worker_id,
       started_at = {clock},
       held_fence = case when :held then fence + 1 end
 where id {sql:among}
        select id
          from rota.run
         where {from:claim}
           and namespace = :namespace
           and queue = :queue
           and {columns:in_front}
           and (expires_at is null or expires_at > {now})
           and job in ({each:jobs})
           and not exists (
                select 1
                  from rota.queue as q
                 where q.namespace = :namespace
                   and q.name = :queue
                   and q.is_paused
               )
           and (not exists (
                    select 1
                      from rota.breaker as b
                     where b.namespace = :namespace
                       and b.state <> 'closed'
                   )
                or job not in (
                    select b.job
                      from rota.breaker as b
                     where b.namespace = :namespace
                       and b.state <> 'closed'
                   )
                or id in (
                    select b.probe_id
                      from rota.breaker as b
                     where b.namespace = :namespace
                       and b.state = 'half_open'
                   ))
         order by rank, id
         limit :limit
         {sql:skip_locked}
       {sql:end_among}
returning {columns:lease}, rank

-- name: pick_runs
-- Runs that a claim may take from one stretch of a queue: from the front, or from a lane. The
-- caller leaves out jobs that a breaker holds back: a lane may hold a million of them.
select id, rank
  from rota.run
 where {from:claim}
   and namespace = :namespace
   and queue = :queue
   and rank >= :start
   and rank < :end
   and (expires_at is null or expires_at > {now})
   and job in ({each:jobs})
   and not exists (
        select 1
          from rota.queue as q
         where q.namespace = :namespace
           and q.name = :queue
           and q.is_paused
       )
 order by rank, id
 limit :limit
 {sql:skip_locked}

-- name: pick_probes
-- Runs that a breaker lets through although it holds their job back.
select id, rank
  from rota.run
 where id {ids:ids}
   and {from:claim}
   and namespace = :namespace
   and queue = :queue
   and (expires_at is null or expires_at > {now})
   and not exists (
        select 1
          from rota.queue as q
         where q.namespace = :namespace
           and q.name = :queue
           and q.is_paused
       )
 order by id
 {sql:skip_locked}

-- name: claim_picked
update rota.run
   set state = {to:claim},
       attempt = attempt + 1,
       fence = fence + 1,
       worker_id = :worker_id,
       started_at = {clock},
       held_fence = case when :held then fence + 1 end
 where id {ids:ids}
   and {from:claim}
returning {columns:lease}, rank

-- name: claimable_runs
-- Runs that a claim may have meant, when it raised because of one of them.
select id, namespace, fence, schedule_id, parent_id, node, item
  from rota.run
 where {from:claim}
   and namespace = :namespace
   and queue = :queue
   and rank >= :start
   and rank < :end
   and (expires_at is null or expires_at > {now})
   and job in ({each:jobs})
 order by rank, id
 limit :limit
 {sql:skip_locked}

-- name: try_claim
update rota.run
   set state = {to:claim},
       attempt = attempt + 1,
       fence = fence + 1,
       worker_id = :worker_id,
       started_at = {clock}
 where id = :id
   and {from:claim}

-- name: find_given_up
-- The runs among these that have just failed: recent only, so that few partitions are read.
select id, job, version, attempt, finished_at, error, reason, policy, origin, parent_id, node
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace
   and state = {to:fail}
   and finished_at > {now} - cast(:recent_ms as bigint)

-- name: insert_letters
-- A verdict that is applied again, because its answer got lost, leaves the letter as it is.
insert into rota.dead_letter (
    run_id, namespace, job, version, fingerprint, error_type, message, reason, died_at
)
select b.run_id, :namespace, b.job, b.version, b.fingerprint, b.error_type, b.message, b.reason,
       b.died_at
  from {rows:letter} as b
 where true
on conflict (run_id) do nothing

-- name: take_letters
-- Each open letter once, in the order of ids: two people who redrive the same letters wait for
-- each other and then find them taken. Named run, as the lock wants it.
with picked as materialized (
    select run_id as id
      from rota.dead_letter as run
     where run_id {ids:ids}
       and namespace = :namespace
       and state = 'open'
       and exists (
            select 1
              from rota.run_history as h
             where h.id = run.run_id
               and h.state = {to:fail}
           )
     order by run_id
     {sql:lock}
)
update rota.dead_letter as dead_letter
   set state = 'redriven',
       acted_at = {now},
       acted_by = :who,
       rerun_id = v.rerun_id
  from (select r.run_id as letter, r.rerun_id from {rows:redrive} as r) as v
 where dead_letter.run_id = v.letter
   and dead_letter.state = 'open'
   and dead_letter.run_id {sql:among} select id from picked {sql:end_among}
returning run_id

-- name: find_redriven
select run_id, rerun_id
  from rota.dead_letter
 where run_id {ids:ids}
   and namespace = :namespace
   and state = 'redriven'

-- name: find_failed_runs
select {columns:kept}
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace
   and state = {to:fail}

-- name: discard_letters
with picked as materialized (
    select run_id as id
      from rota.dead_letter as run
     where run_id {ids:ids}
       and namespace = :namespace
       and state = 'open'
     order by run_id
     {sql:lock}
)
update rota.dead_letter
   set state = 'discarded',
       acted_at = {now},
       acted_by = :who
 where run_id {sql:among} select id from picked {sql:end_among}
   and state = 'open'
returning run_id

-- name: find_letter
select run_id, job, version, fingerprint, error_type, message, reason, died_at, state,
       acted_at, acted_by, rerun_id
  from rota.dead_letter
 where run_id = :id
   and namespace = :namespace

-- name: list_letters
select run_id, job, version, fingerprint, error_type, message, reason, died_at, state,
       acted_at, acted_by, rerun_id
  from rota.dead_letter as dead_letter
 where namespace = :namespace
   and (cast(:state as text) is null or state = :state)
   and (cast(:job as text) is null or job = :job)
   and (cast(:fingerprint as text) is null or fingerprint = :fingerprint)
   and {columns:letter_reached}
   and (cast(:before as {type:uuid}) is null or run_id < :before)
 order by run_id desc
 limit :limit

-- name: list_groups
-- The newest letter speaks for its group. Counted from an index that has all it needs.
select g.job, g.fingerprint, d.error_type, d.message, d.reason, g.open_letters, g.all_letters,
       g.first_at, g.last_at
  from (
        select job, fingerprint,
               count(case when state = 'open' then 1 end) as open_letters,
               count(*) as all_letters,
               min(died_at) as first_at,
               max(died_at) as last_at
          from rota.dead_letter as dead_letter
         where namespace = :namespace
           and died_at >= :since
           and (cast(:job as text) is null or job = :job)
           and (cast(:fingerprint as text) is null or fingerprint = :fingerprint)
           and {columns:letter_reached}
         group by job, fingerprint
        having count(case when state = 'open' then 1 end) > 0
            or cast(:acted as {type:bool})
         order by count(case when state = 'open' then 1 end) desc, max(died_at) desc, fingerprint
         limit :limit
       ) as g
  join rota.dead_letter as d
    on d.run_id = (
        select newest.run_id
          from rota.dead_letter as newest
         where newest.namespace = :namespace
           and newest.job = g.job
           and newest.fingerprint = g.fingerprint
           and newest.died_at = g.last_at
         order by newest.namespace desc, newest.job desc, newest.fingerprint desc,
                  newest.died_at desc, newest.run_id desc
         limit 1
       )
 order by g.open_letters desc, g.last_at desc, g.fingerprint

-- name: list_group_versions
select distinct job, fingerprint, version
  from rota.dead_letter
 where namespace = :namespace
   and (cast(:job as text) is null or job = :job)
 order by version

-- name: open_letters
-- The next letters of a group after a run; only runs that died before the redrive began, or runs
-- that fail again at once would be redriven for ever.
select run_id
  from rota.dead_letter as dead_letter
 where namespace = :namespace
   and state = 'open'
   and fingerprint = :fingerprint
   and died_at <= :until
   and {columns:letter_reached}
   and (cast(:after as {type:uuid}) is null or run_id > :after)
 order by run_id
 limit :limit

-- name: count_open
select count(*) as letters, min(job) as job
  from rota.dead_letter as dead_letter
 where namespace = :namespace
   and state = 'open'
   and fingerprint = :fingerprint
   and {columns:letter_reached}

-- name: letters_like
select run_id
  from rota.dead_letter
 where namespace = :namespace
   and (cast(run_id as text) like :begins or cast(run_id as text) like :ends)
 order by run_id desc
 limit :limit

-- name: prune_letters
-- Kept as long as their runs: both are cut at the same moment of the same clock.
delete from rota.dead_letter
 where run_id in (
        select run_id
          from rota.dead_letter
         where died_at < {now} - :keep_ms
         limit :limit
       )

-- name: forget_letters
delete from rota.dead_letter
 where run_id {ids:ids}
   and namespace = :namespace

-- name: open_letters_by_job
select job, count(*) as letters
  from (
        select job
          from rota.dead_letter as dead_letter
         where namespace = :namespace
           and state = 'open'
           and {columns:letter_reached}
         limit :most
       ) as open_letters
 group by job
 order by job
 limit :limit

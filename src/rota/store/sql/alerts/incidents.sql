-- name: failures_lately
-- What failed for good since a moment, by job and cause.
select job, fingerprint, count(*) as runs, max(died_at) as last_at
  from rota.dead_letter
 where died_at > :since
   and namespace = :namespace
 group by job, fingerprint
 order by max(died_at) desc, job, fingerprint
 limit :limit

-- name: newest_failure
select run_id, error_type, message, reason
  from rota.dead_letter
 where died_at >= :since
   and namespace = :namespace
   and (cast(:job as text) is null or job = :job)
   and (cast(:cause as text) is null or fingerprint = :cause)
 order by died_at desc
 limit 1

-- name: is_old_cause
-- Whether a run failed with this cause before a moment.
select 1 as found
  from rota.dead_letter
 where namespace = :namespace
   and job = :job
   and fingerprint = :cause
   and died_at <= :until
 limit 1

-- name: failed_since
-- How many runs failed between two moments: of a job, of a job with a cause, or of all jobs.
select count(*) as runs
  from rota.dead_letter
 where namespace = :namespace
   and (cast(:job as text) is null or job = :job)
   and (cast(:cause as text) is null or fingerprint = :cause)
   and died_at >= :since
   and died_at <= :until

-- name: succeeded_since
-- Of the newest runs of a job, one that has succeeded since a moment.
select n.id
  from (
        select id, state, finished_at
          from rota.run_history
         where namespace = :namespace
           and job = :job
         order by namespace desc, job desc, id desc
         limit :most
       ) as n
 where n.state = {to:succeed}
   and n.finished_at > :since
 limit 1

-- name: schedules_paused_by_themselves
select name, job, state, note, changed_at
  from rota.schedule
 where namespace = :namespace
   and (state = 'error' or (state = 'paused' and changed_by = 'rota'))
 order by changed_at desc, name
 limit :limit

-- name: schedules_missed_lately
-- Schedules that missed instants while they were active.
select name, job, missed, missed_at
  from rota.schedule
 where missed_at > :since
   and namespace = :namespace
 order by missed_at desc, name
 limit :limit

-- name: open_incidents
select id, rule, kind, subject, severity, title, advice, job, cause, queue, run_id, opened_at,
       last_at, messages, told_at
  from rota.incident
 where namespace = :namespace
   and closed_at is null
 order by id
 limit :limit

-- name: closed_lately
-- When incidents that were closed since a moment were last seen.
select rule, kind, subject, max(last_at) as last_at
  from rota.incident
 where closed_at > :since
   and namespace = :namespace
 group by rule, kind, subject

-- name: open_incident
-- One process opens it; another one finds it open.
insert into rota.incident (
    id, namespace, rule, kind, subject, severity, title, advice, job, cause, queue, run_id,
    opened_at, last_at, messages, told_at
)
values (
    :id, :namespace, :rule, :kind, :subject, :severity, :title, :advice, :job, :cause, :queue,
    :run_id, :opened_at, :last_at, :messages, :told_at
)
on conflict do nothing

-- name: move_incident
-- The number of messages guards it: of two processes one tells people.
update rota.incident
   set last_at = :last_at,
       closed_at = :closed_at,
       messages = :messages,
       told_at = :told_at
 where id = :id
   and namespace = :namespace
   and closed_at is null
   and messages = :was_messages

-- name: list_incidents
select id, rule, kind, subject, severity, title, advice, job, cause, queue, run_id, opened_at,
       last_at, closed_at, messages, told_at
  from rota.incident
 where namespace = :namespace
   and (cast(:state as text) is null or (closed_at is null) = (:state = 'open'))
   and (cast(:rule as text) is null or rule = :rule)
   and (cast(:job as text) is null or job = :job)
   and (cast(:before as {type:uuid}) is null or id < :before)
 order by id desc
 limit :limit

-- name: find_incident
select id, rule, kind, subject, severity, title, advice, job, cause, queue, run_id, opened_at,
       last_at, closed_at, messages, told_at
  from rota.incident
 where id = :id
   and namespace = :namespace

-- name: prune_incidents
delete from rota.incident
 where id {sql:among} select id
          from rota.incident
         where closed_at < {now} - :keep_ms
         limit :limit {sql:end_among}

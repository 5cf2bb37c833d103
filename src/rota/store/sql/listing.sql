-- name: list_these
select {columns:kept}, state, failures, crashes, fence, cancel_requested, error,
       null as finished_at, null as result, null as reason
  from rota.run
 where id {ids:ids}
   and namespace = :namespace
   and {columns:asked_for}
   and (cast(:parent as {type:uuid}) is null or parent_id = :parent)
   and {columns:asked_when}

-- name: list_these_ended
select {columns:kept}, state, failures, crashes, fence, false as cancel_requested, error,
       finished_at, result, reason
  from rota.run_history
 where id {ids:ids}
   and namespace = :namespace
   and {columns:asked_for}
   and (cast(:parent as {type:uuid}) is null or parent_id = :parent)
   and {columns:asked_when}

-- name: ids_of_error
-- An error is asked for by its type or by its fingerprint; each has an index.
select run_id as id
  from (
        select run_id
          from (
                select run_id
                  from rota.dead_letter
                 where namespace = :namespace
                   and error_type = :error
                   and run_id < :before
                 order by run_id desc
                 limit :limit
               ) as of_type
         union
        select run_id
          from (
                select run_id
                  from rota.dead_letter
                 where namespace = :namespace
                   and fingerprint = :error
                   and run_id < :before
                 order by run_id desc
                 limit :limit
               ) as of_cause
       ) as found
 order by run_id desc
 limit :limit

-- name: ids_from
select id
  from (
        select id
          from (
                select id
                  from rota.run
                 where namespace || '' = :namespace
                   and id >= :first
                   and id < :before
                 order by id desc
                 limit :limit
               ) as live
         union all
        select id
          from (
                select id
                  from rota.run_history
                 where namespace || '' = :namespace
                   and id >= :first
                   and id < :before
                 order by id desc
                 limit :limit
               ) as ended
       ) as every
 order by id desc
 limit :limit

-- name: job_names
select name
  from rota.job
 where namespace = :namespace
 order by name

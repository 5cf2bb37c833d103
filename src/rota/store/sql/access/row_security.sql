-- name: search_logs
select run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from rota.search_own_logs(:match, cast(:job as text), :since, :limit, :offset)
 where namespace = :namespace
 order by first_at desc, run_id desc, fence desc, seq desc

-- name: load_artifacts
select digest, body
  from rota.values_of(cast(:digests as json))

-- name: keep_artifacts
select rota.keep_values(cast(:batch as json), {now})

-- name: lock_quota
select max_running
  from rota.lock_quota(:name)

-- name: load_artifacts
select digest, body
  from rota.values_of(cast(:digests as json))

-- name: keep_artifacts
select rota.keep_own_values(cast(:batch as json), {now})

-- name: lock_quota
select max_running
  from rota.lock_quota(:name)

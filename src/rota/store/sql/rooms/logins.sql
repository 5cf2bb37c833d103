-- name: load_artifacts
select digest, body
  from rota.values_of(cast(:digests as json))

-- name: keep_artifacts
select rota.keep_own_values(cast(:batch as json), {now})

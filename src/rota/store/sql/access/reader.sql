-- name: load_artifacts
select digest, body
  from rota.values_of(cast(:digests as json))

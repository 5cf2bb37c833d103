-- name: forget_runs
delete from rota.run_history
 where id {ids:ids}
   and namespace = :namespace

-- name: forget_jobs
delete from rota.job
 where namespace = :namespace

-- name: forget_versions
delete from rota.job_version
 where namespace = :namespace

-- name: forget_releases
delete from rota.release
 where namespace = :namespace

-- name: forget_version_changes
delete from rota.version_change
 where namespace = :namespace

-- name: find_version
select version
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and digest = :digest

-- name: insert_version
-- Two processes that bring the same new definition agree on one number.
insert into rota.job_version (namespace, name, version, digest, spec, created_at, origin)
select :namespace, :name, coalesce(max(version), 0) + 1, :digest, :spec, {now}, :origin
  from rota.job_version
 where namespace = :namespace
   and name = :name
having true
on conflict do nothing

-- name: set_current_version
insert into rota.job (namespace, name, version, origin, app)
values (:namespace, :name, :version, :origin, :app)
on conflict (namespace, name) do update
   set version = excluded.version,
       origin = excluded.origin,
       app = excluded.app,
       removed_at = null

-- name: load_spec
select spec, origin
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and version = :version

-- name: list_jobs
select job.name, job.version, v.spec, v.created_at, b.state as breaker, job.origin
  from rota.job as job
  join rota.job_version as v
    on v.namespace = job.namespace
   and v.name = job.name
   and v.version = job.version
  left join rota.breaker as b
    on b.namespace = job.namespace
   and b.job = job.name
   and (b.rule is not null or b.state <> 'closed')
 where job.namespace = :namespace
   and job.removed_at is null
 order by job.name

-- name: find_job
select version, origin, removed_at
  from rota.job
 where namespace = :namespace
   and name = :name

-- name: stored_jobs
-- Those that no code defines. Removed ones too: runs that were accepted before are still carried out.
select job.name, v.spec
  from rota.job as job
  join rota.job_version as v
    on v.namespace = job.namespace
   and v.name = job.name
   and v.version = job.version
 where job.namespace = :namespace
   and job.origin <> 'code'
 order by job.name

-- name: declared_jobs
select name
  from rota.job
 where namespace = :namespace
   and app = :app
   and origin = 'code'
   and removed_at is null
 order by name

-- name: remove_job
update rota.job
   set removed_at = {now}
 where namespace = :namespace
   and name = :name
   and removed_at is null

-- name: current_jobs
select name, version
  from rota.job
 where namespace = :namespace
   and name in ({each:names})
   and removed_at is null

-- name: find_version
select version
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and digest = :digest

-- name: insert_version
-- Two processes that bring the same new definition agree on one number.
insert into rota.job_version (namespace, name, version, digest, spec, created_at)
select :namespace, :name, coalesce(max(version), 0) + 1, :digest, :spec, {now}
  from rota.job_version
 where namespace = :namespace
   and name = :name
having true
on conflict do nothing

-- name: set_current_version
insert into rota.job (namespace, name, version)
values (:namespace, :name, :version)
on conflict (namespace, name) do update
   set version = excluded.version

-- name: load_spec
select spec
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and version = :version

-- name: list_jobs
select job.name, job.version, v.spec, v.created_at, b.state as breaker
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
 order by job.name

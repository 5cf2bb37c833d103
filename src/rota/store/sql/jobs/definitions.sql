-- name: find_version
select version
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and digest = :digest

-- name: insert_version
-- Two processes that bring the same new definition get the same number.
insert into rota.job_version (
    namespace, name, version, digest, spec, created_at, origin, deadline
)
select :namespace, :name, coalesce(max(version), 0) + 1, :digest, :spec, {now}, :origin,
       cast(:deadline as text)
  from rota.job_version
 where namespace = :namespace
   and name = :name
having true
on conflict do nothing

-- name: set_current_version
insert into rota.job as job (namespace, name, version, origin, app)
values (:namespace, :name, :version, :origin, :app)
on conflict (namespace, name) do update
   set version = excluded.version,
       origin = excluded.origin,
       app = excluded.app,
       weights = case when job.version = excluded.version then job.weights end,
       removed_at = null

-- name: note_version
-- Since when it is the current version; nothing when it is already. The writer has locked the row
-- of the job, perhaps after a writer that began later.
insert into rota.version_change (namespace, name, number, version, since)
select :namespace, :name, coalesce(max(c.number), 0) + 1, cast(:version as {type:int}),
       {sql:greatest}(coalesce(cast(:since as {type:bigint}), {now}), coalesce(max(c.since), 0))
  from rota.version_change as c
 where c.namespace = :namespace
   and c.name = :name
having coalesce((
            select last.version
              from rota.version_change as last
             where last.namespace = :namespace
               and last.name = :name
             order by last.number desc
             limit 1
           ), 0) <> :version
on conflict do nothing

-- name: version_changes
-- The versions of these jobs that were current, one after the other.
select c.name, c.version, c.since
  from rota.version_change as c
 where c.namespace = :namespace
   and c.name in ({each:names})
 order by c.name, c.number

-- name: load_spec
select spec, origin
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and version = :version

-- name: list_jobs
select job.name, job.version, v.spec, v.created_at, b.state as breaker, b.stays, b.note,
       job.origin, job.weights
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
   and job.name > :after
   and (cast(:name as text) is null or job.name = :name)
 order by job.name
 limit :limit

-- name: find_job
select version, origin, removed_at
  from rota.job
 where namespace = :namespace
   and name = :name

-- name: stored_jobs
-- Jobs that no code defines. Removed ones too: runs that were accepted before are still carried
-- out.
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

-- name: current_versions
select name, version, weights
  from rota.job
 where namespace = :namespace
   and name in ({each:names})
   and removed_at is null

-- name: list_versions
select version, spec, created_at, origin
  from rota.job_version
 where namespace = :namespace
   and name = :name
   and version < :before
 order by version desc
 limit :limit

-- name: set_weights
update rota.job
   set weights = :weights
 where namespace = :namespace
   and name = :name
   and removed_at is null

-- name: put_template
insert into rota.job_template as job_template (namespace, name, spec, changed_by, changed_at)
values (:namespace, :name, :spec, :who, {now})
on conflict (namespace, name) do update
   set spec = excluded.spec,
       revision = job_template.revision + 1,
       changed_by = excluded.changed_by,
       changed_at = excluded.changed_at
 where job_template.spec <> excluded.spec

-- name: list_templates
select name, spec, revision, changed_by, changed_at
  from rota.job_template
 where namespace = :namespace
   and name > :after
   and (cast(:name as text) is null or name = :name)
 order by name
 limit :limit

-- name: delete_template
delete from rota.job_template
 where namespace = :namespace
   and name = :name

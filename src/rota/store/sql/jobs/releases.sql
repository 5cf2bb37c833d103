-- name: find_release
select number, jobs, schedules
  from rota.release
 where namespace = :namespace
   and app = :app
   and digest = :digest

-- name: later_releases
select number, jobs, schedules
  from rota.release
 where namespace = :namespace
   and app = :app
   and number > :number
 order by number desc

-- name: insert_release
insert into rota.release (
    namespace, app, digest, number, label, jobs, schedules, seen_at, used_at, used_by
)
select :namespace, :app, :digest, coalesce(max(number), 0) + 1, :label, :jobs, :schedules,
       {now}, {now}, :who
  from rota.release
 where namespace = :namespace
having true

-- name: prune_releases
delete from rota.release
 where namespace = :namespace
   and app = :app
   and number <= (
        select old.number
          from rota.release as old
         where old.namespace = :namespace
           and old.app = :app
         order by old.number desc
         limit 1
        offset :keep
       )

-- name: renumber_release
update rota.release
   set number = (
        select max(newest.number) + 1
          from rota.release as newest
         where newest.namespace = :namespace
       ),
       used_at = {now},
       used_by = :who
 where namespace = :namespace
   and number = :number

-- name: list_releases
select number, app, label, jobs, schedules, seen_at, used_at, used_by
  from rota.release
 where namespace = :namespace
   and (cast(:app as text) is null or app = :app)
   and (cast(:number as {type:int}) is null or number = :number)
 order by number desc
 limit :limit

-- Labels of runs. Lists find runs by the indexes of labels first and read their rows by id, so that
-- no plan depends on how common a label is (engine.runs.labelled).

-- name: insert_labels
insert into rota.run_label (run_id, name, namespace, kind, value)
select b.run_id, b.name, :namespace, b.kind, b.value
  from {rows:run_label} as b
 where true
on conflict (run_id, name) do nothing

-- name: copy_labels
-- To runs that repeat others; labels of their own win.
insert into rota.run_label (run_id, name, namespace, kind, value)
select b.run_id, l.name, l.namespace, l.kind, l.value
  from {rows:label_copy} as b
  join rota.run_label as l
    on l.run_id = b.rerun_of
   and l.namespace = :namespace
 where true
on conflict (run_id, name) do nothing

-- name: put_labels
insert into rota.run_label (run_id, name, namespace, kind, value)
select b.run_id, b.name, :namespace, b.kind, b.value
  from {rows:run_label} as b
 where true
on conflict (run_id, name) do update
   set kind = excluded.kind,
       value = excluded.value

-- name: remove_labels
delete from rota.run_label
 where run_id = :run_id
   and namespace = :namespace
   and name in ({each:names})

-- name: labels_of_runs
select run_id, name, kind, value
  from rota.run_label
 where run_id {ids:ids}
   and namespace || '' = :namespace

-- name: labelled_by_value
select run_id, name, kind, value
  from rota.run_label
 where namespace = :namespace
   and name = :name
   and value = :value
   and {columns:label_further}
 order by run_id desc
 limit :limit

-- name: labelled_by_name
select run_id, name, kind, value
  from rota.run_label
 where namespace = :namespace
   and name = :name
   and kind <> ''
   and {columns:label_further}
 order by run_id desc
 limit :limit

-- name: list_among
-- Live runs of these ids.
select {columns:live}
  from rota.run
 where id {ids:ids}
   and namespace || '' = :namespace
   and {columns:asked_live}
 order by id || '' desc

-- name: list_ended_among
select {columns:ended}
  from rota.run_history
 where id {ids:ids}
   and namespace || '' = :namespace
   and {columns:asked}
 order by id || '' desc

-- name: fired_for
-- Runs that schedules have started for these instants.
select distinct f.run_id
  from rota.schedule as s
  join rota.firing as f
    on f.schedule_id = s.id
   and f.instant >= :from_at
   and f.instant < :to_at
 where s.namespace = :namespace
   and (cast(:schedule as text) is null or s.name = :schedule)
   and f.run_id is not null
 limit :most

-- name: known_label_names
-- From one name to the next, however many runs have it.
with recursive known (name, n) as (
    select min(name), 1
      from rota.run_label
     where namespace = :namespace
     union all
    select (select min(l.name)
              from rota.run_label as l
             where l.namespace = :namespace
               and l.name > known.name),
           known.n + 1
      from known
     where known.name is not null
       and known.n <= :limit
)
select name
  from known
 where name is not null

-- name: known_label_values
with recursive known (value, n) as (
    select min(value), 1
      from rota.run_label
     where namespace = :namespace
       and name = :name
       and value >= :prefix
     union all
    select (select min(l.value)
              from rota.run_label as l
             where l.namespace = :namespace
               and l.name = :name
               and l.value > known.value),
           known.n + 1
      from known
     where known.value is not null
       and known.n <= :limit
)
select value
  from known
 where value is not null

-- name: labelled_runs_after
-- Runs with labels in the order of their ids, and whether they are still there.
select old.run_id,
       exists (select 1 from rota.run as r where r.id = old.run_id)
       or exists (select 1 from rota.run_history as h where h.id = old.run_id) as stands
  from (
        select distinct run_id
          from rota.run_label
         where run_id > :after
           and run_id < :before
         order by run_id
         limit :limit
       ) as old
 order by old.run_id

-- name: forget_labels
delete from rota.run_label as l
 where run_id {ids:ids}
   and not exists (select 1 from rota.run as r where r.id = l.run_id)
   and not exists (select 1 from rota.run_history as h where h.id = l.run_id)

-- name: load_saved_views
select name, filter, note, changed_by, changed_at
  from rota.saved_view
 where namespace = :namespace
 order by name

-- name: find_saved_view
select name, filter, note, changed_by, changed_at
  from rota.saved_view
 where namespace = :namespace
   and name = :name

-- name: count_saved_views
select count(*) as views
  from rota.saved_view
 where namespace = :namespace
   and name <> :name

-- name: put_saved_view
insert into rota.saved_view (namespace, name, filter, note, changed_by, changed_at)
values (:namespace, :name, :filter, :note, :who, {now})
on conflict (namespace, name) do update
   set filter = excluded.filter,
       note = excluded.note,
       changed_by = excluded.changed_by,
       changed_at = excluded.changed_at

-- name: delete_saved_view
delete from rota.saved_view
 where namespace = :namespace
   and name = :name

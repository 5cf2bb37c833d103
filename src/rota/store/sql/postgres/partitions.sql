-- name: list_partitions
select c.relname as name
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n
    on n.oid = c.relnamespace
 where n.nspname = 'rota'
   and c.relkind = 'r'
   and c.relispartition

-- name: try_rotate_lock
select pg_try_advisory_xact_lock(7261746169) as locked

-- name: migrate_lock
select pg_advisory_xact_lock(7261746168) as locked

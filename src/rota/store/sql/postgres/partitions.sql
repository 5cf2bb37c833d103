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

-- name: lock_holders
-- Sessions with locks on our tables that have had them for longer than a statement of ours takes.
select a.pid, a.usename, a.application_name, a.state,
       cast(date_part('epoch', clock_timestamp() - a.xact_start) as int) as seconds
  from pg_catalog.pg_stat_activity as a
 where a.pid <> pg_backend_pid()
   and a.xact_start < clock_timestamp() - interval '200 ms'
   and exists (
        select 1
          from pg_catalog.pg_locks as l
          join pg_catalog.pg_class as c
            on c.oid = l.relation
         where l.pid = a.pid
           and l.granted
           and c.relnamespace = to_regnamespace('rota')
       )
 order by a.xact_start
 limit 3

-- name: vitals
-- Estimates where counting would read a whole table. Tables that a role may not see are left out.
select 'connections' as name, cast(count(*) as bigint) as value
  from pg_catalog.pg_stat_activity
 where backend_type = 'client backend'
 union all
select 'max_connections', cast(current_setting('max_connections') as bigint)
 union all
select 'oldest_transaction_ms',
       cast(date_part('epoch', clock_timestamp() - min(xact_start)) * 1000 as bigint)
  from pg_catalog.pg_stat_activity
 where xact_start is not null
   and pid <> pg_backend_pid()
   and backend_type = 'client backend'
 union all
select 'idle_in_transaction_ms',
       cast(date_part('epoch', clock_timestamp() - min(state_change)) * 1000 as bigint)
  from pg_catalog.pg_stat_activity
 where left(state, 19) = 'idle in transaction'
   and backend_type = 'client backend'
 union all
select 'transaction_age', cast(age(datfrozenxid) as bigint)
  from pg_catalog.pg_database
 where datname = current_database()
 union all
select 'replicas', count(*)
  from pg_catalog.pg_stat_replication
 union all
select 'synchronous_replicas', count(*)
  from pg_catalog.pg_stat_replication
 where sync_state in ('sync', 'quorum')
 union all
select concat(v.kind, ' ', t.relname), v.value
  from pg_catalog.pg_stat_user_tables as t
 cross join lateral (values ('live', t.n_live_tup), ('dead', t.n_dead_tup)) as v (kind, value)
 where t.schemaname = 'rota'
   and t.relname in ('run', 'worker', 'chore', 'run_key')
 union all
select 'rest_rows', cast(coalesce(sum(n_live_tup), 0) as bigint)
  from pg_catalog.pg_stat_user_tables
 where schemaname = 'rota'
   and right(relname, 5) = '_rest'
 union all
select 'room_rules', count(*)
  from pg_catalog.pg_policy
 where polname = 'room'
 union all
-- The logins of our processes, except this one.
select case when r.rolsuper then 'superuser_sessions'
            when pg_has_role(r.oid, c.relowner, 'usage') then 'owner_sessions'
            else 'granted_sessions' end,
       count(*)
  from pg_catalog.pg_stat_activity as a
  join pg_catalog.pg_roles as r
    on r.oid = a.usesysid
  join pg_catalog.pg_class as c
    on c.oid = to_regclass('rota.run')
 where a.datname = current_database()
   and a.application_name = 'rota'
   and a.pid <> pg_backend_pid()
 group by 1
 union all
select 'logins', count(*)
  from rota.login
 union all
select 'key_rows', n_live_tup
  from pg_catalog.pg_stat_user_tables
 where schemaname = 'rota'
   and relname = 'run_key'

-- name: has_amcheck
select 1 as is_there
  from pg_catalog.pg_extension
 where extname = 'amcheck'

-- name: list_indexes
-- Indexes with rows: an index of a partitioned table has none of its own.
select cast(cast(c.oid as regclass) as text) as name
  from pg_catalog.pg_class as c
  join pg_catalog.pg_index as i
    on i.indexrelid = c.oid
  join pg_catalog.pg_am as a
    on a.oid = c.relam
 where c.relnamespace = cast('rota' as regnamespace)
   and c.relkind = 'i'
   and c.relpersistence = 'p'
   and a.amname = 'btree'
   and i.indisvalid
 order by 1

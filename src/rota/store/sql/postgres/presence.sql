-- name: own_session
select concat(pid, ':', cast(date_part('epoch', backend_start) * 1000 as bigint)) as session
  from pg_catalog.pg_stat_activity
 where pid = pg_backend_pid()

-- name: gone_sessions
-- PostgreSQL shows only the pid of sessions of another role; such a session counts as there.
select s.session
  from ({each:sessions}) as s (session)
 where not exists (
        select 1
          from pg_catalog.pg_stat_activity as a
         where a.pid = cast(split_part(s.session, ':', 1) as int)
           and coalesce(cast(date_part('epoch', a.backend_start) * 1000 as bigint) =
                        cast(split_part(s.session, ':', 2) as bigint), true)
       )

-- name: long_statements
-- Statements of this role, from any client: all that is known of sessions that a pooler shares out.
select count(*) as statements
  from pg_catalog.pg_stat_activity
 where usename = current_user
   and pid <> pg_backend_pid()
   and state = 'active'
   and query_start < clock_timestamp() - interval '0.1 seconds'

-- name: snapshot
-- While it reads the same, nothing was committed in this server that has written or notified.
select cast(pg_current_snapshot() as text) as snapshot

-- name: news
-- Keys of wake-ups that may be due after any commit, without a look at what it wrote.
with recursive ready (namespace, queue) as (
    (select namespace, queue
       from rota.run
      where {from:claim}
      order by namespace, queue
      limit 1)
     union all
    select n.namespace, n.queue
      from ready as r
     cross join lateral (
            select namespace, queue
              from rota.run
             where {from:claim}
               and (namespace, queue) > (r.namespace, r.queue)
             order by namespace, queue
             limit 1
           ) as n
)
select concat(namespace, '/', queue) as key
  from ready
 union all
select k.key
  from (values ('ended'), ('node'), ('logged')) as k (key)

-- name: timeline
-- The name of the present WAL file begins with the timeline, also before the first checkpoint on it.
select s.system_identifier as system,
       cast(cast('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as bit(32)) as int) as timeline
  from pg_control_system() as s
 where not pg_is_in_recovery()

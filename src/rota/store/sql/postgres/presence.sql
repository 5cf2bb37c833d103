-- name: own_session
select concat(pid, ':', cast(date_part('epoch', backend_start) * 1000 as bigint)) as session
  from pg_catalog.pg_stat_activity
 where pid = pg_backend_pid()

-- name: gone_sessions
-- Of sessions of another role only the pid is shown; then it counts as there.
select s.session
  from ({each:sessions}) as s (session)
 where not exists (
        select 1
          from pg_catalog.pg_stat_activity as a
         where a.pid = cast(split_part(s.session, ':', 1) as int)
           and coalesce(cast(date_part('epoch', a.backend_start) * 1000 as bigint) =
                        cast(split_part(s.session, ':', 2) as bigint), true)
       )

-- name: timeline
-- The name of the present WAL file begins with the timeline, also before the first checkpoint on it.
select s.system_identifier as system,
       cast(cast('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as bit(32)) as int) as timeline
  from pg_control_system() as s
 where not pg_is_in_recovery()

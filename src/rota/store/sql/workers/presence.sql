-- name: list_presences
-- Workers with a lease whose process can be seen. One is spared while reaping has just begun
-- again after a gap: it has had no chance yet to renew its lease.
select w.id, w.presence,
       {now} - w.seen_at as silent_ms,
       {now} - w.missing_since as missing_ms,
       exists (
        select 1
          from rota.chore as c
         where c.name = 'reap'
           and c.resumed_at + (w.lease_until - w.seen_at) > {now}
       ) as is_spared
  from rota.worker as w
 where w.presence is not null
   and w.lease_until > w.seen_at

-- name: note_missing
-- Here and below a locked row is left for the next look: its worker is sending a heartbeat, or
-- another process that judges it hangs.
update rota.worker
   set missing_since = {now}
 where id in (
        select id
          from rota.worker
         where id {ids:ids}
           and missing_since is null
         {sql:skip_locked}
       )

-- name: note_found
update rota.worker
   set missing_since = null
 where id in (
        select id
          from rota.worker
         where id {ids:ids}
           and missing_since is not null
         {sql:skip_locked}
       )

-- name: void_leases
-- A heartbeat in between has cleared the mark, and then nothing happens. A lease without length
-- is not spared by an amnesty.
update rota.worker
   set lease_until = seen_at
 where id in (
        select id
          from rota.worker
         where id {ids:ids}
           and missing_since is not null
         {sql:skip_locked}
       )

-- name: raise_alert
insert into rota.alert (id, namespace, at, kind, payload, next_at)
values (:id, :namespace, {now}, :kind, :payload, {now})
on conflict do nothing

-- name: waiting_alerts
-- Alerts that no process has emitted yet, and, with a webhook, those to be sent now.
select id, namespace, at, kind, payload, tries, told_at is not null as is_told
  from rota.alert
 where sent_at is null
   and (told_at is null
        or (:sends and next_at <= {now} and at > {now} - :patience_ms))
 order by at, id
 limit :limit

-- name: tell_alert
update rota.alert
   set told_at = {now}
 where id = :id
   and told_at is null

-- name: take_alert
-- One process tries to send it; if that one dies, another does after the wait.
update rota.alert
   set tries = tries + 1,
       next_at = {now} + :wait_ms
 where id = :id
   and tries = :tries
   and sent_at is null

-- name: sent_alert
update rota.alert
   set sent_at = {now}
 where id = :id
   and sent_at is null

-- name: prune_alerts
delete from rota.alert
 where id in (
        select id
          from rota.alert
         where at < {now} - :keep_ms
         limit :limit
       )

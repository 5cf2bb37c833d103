-- name: load_alert_rules
-- With the number of incidents that are open.
select r.namespace, r.name, r.spec,
       (select count(*)
          from rota.incident as i
         where i.namespace = r.namespace
           and i.rule = r.name
           and i.closed_at is null) as open_incidents
  from rota.alert_rule as r
 where cast(:namespace as text) is null or r.namespace = :namespace
 order by r.namespace, r.name

-- name: put_alert_rule
insert into rota.alert_rule (namespace, name, spec, changed_at)
values (:namespace, :name, :spec, {now})
on conflict (namespace, name) do update
   set spec = excluded.spec,
       changed_at = excluded.changed_at

-- name: delete_alert_rule
delete from rota.alert_rule
 where namespace = :namespace
   and name = :name

-- name: load_alert_channels
select namespace, name, spec
  from rota.alert_channel
 where namespace = :namespace
 order by name

-- name: find_alert_channel
select spec
  from rota.alert_channel
 where namespace = :namespace
   and name = :name

-- name: channel_deliveries
-- What became of the messages to each channel.
select m.channel,
       count(case when m.state = 'waiting' then 1 end) as waiting,
       max(m.sent_at) as sent_at,
       max(m.failed_at) as failed_at
  from rota.alert_message as m
 where m.namespace = :namespace
 group by m.channel

-- name: last_alert_error
select error
  from rota.alert_message
 where namespace = :namespace
   and channel = :channel
   and failed_at = :failed_at
 limit 1

-- name: put_alert_channel
insert into rota.alert_channel (namespace, name, spec, changed_at)
values (:namespace, :name, :spec, {now})
on conflict (namespace, name) do update
   set spec = excluded.spec,
       changed_at = excluded.changed_at

-- name: delete_alert_channel
delete from rota.alert_channel
 where namespace = :namespace
   and name = :name

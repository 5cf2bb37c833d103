-- name: insert_alert_message
insert into rota.alert_message (id, namespace, channel, rule, kind, title, payload, at, next_at)
values (:id, :namespace, :channel, :rule, :kind, :title, :payload, {now}, {now})

-- name: due_alert_messages
-- Messages to be sent now, with their channels; oldest first.
select m.id, m.namespace, m.channel, m.rule, m.kind, m.title, m.payload, m.at, m.tries, c.spec
  from rota.alert_message as m
  left join rota.alert_channel as c
    on c.namespace = m.namespace
   and c.name = m.channel
 where m.state = 'waiting'
   and m.next_at <= {now}
 order by m.next_at, m.id
 limit :limit

-- name: alert_work
-- Whether there is anything to do for alerts, and how long until the next message is due.
select exists (select 1 from rota.alert_rule) as has_rules,
       (select min(next_at) from rota.alert_message where state = 'waiting') - {now} as wait_ms

-- name: take_alert_message
-- One process sends it; if that one dies, another does after the wait.
update rota.alert_message
   set tries = tries + 1,
       next_at = {now} + :wait_ms
 where id = :id
   and tries = :tries
   and state = 'waiting'

-- name: alert_message_sent
update rota.alert_message
   set state = 'sent',
       sent_at = {now},
       next_at = null,
       error = null
 where id = :id
   and state = 'waiting'

-- name: alert_message_failed
update rota.alert_message
   set failed_at = {now},
       error = :error,
       state = case when :gives_up then 'given_up' else state end,
       next_at = case when :gives_up then null else {now} + :wait_ms end
 where id = :id
   and state = 'waiting'

-- name: told_lately
-- How many messages each rule sent since a moment, to one of its channels; and the last.
select rule, count(*) / count(distinct channel) as messages, max(at) as last_at
  from rota.alert_message
 where namespace = :namespace
   and rule is not null
   and at > :since
 group by rule

-- name: find_alert_message
select id, channel, rule, kind, title, state, at, tries, next_at, sent_at, error
  from rota.alert_message
 where id = :id
   and namespace = :namespace

-- name: list_alert_messages
select id, channel, rule, kind, title, state, at, tries, next_at, sent_at, error
  from rota.alert_message
 where namespace = :namespace
   and (cast(:channel as text) is null or channel = :channel)
   and (cast(:state as text) is null or state = :state)
   and (cast(:before as {type:uuid}) is null or id < :before)
 order by id desc
 limit :limit

-- name: prune_alert_messages
delete from rota.alert_message
 where id {sql:among} select id
          from rota.alert_message
         where state <> 'waiting'
           and at < {now} - :keep_ms
         limit :limit {sql:end_among}

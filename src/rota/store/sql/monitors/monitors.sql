-- name: put_monitor
-- Not one that is there by now: it keeps its address and its pings.
insert into rota.monitor (id, namespace, name, spec, ping_id, changed_at, changed_by)
values (:id, :namespace, :name, :spec, :ping_id, {now}, :who)
on conflict (namespace, name) do nothing

-- name: change_monitor
-- The number of pings guards it: a ping meanwhile counts.
update rota.monitor
   set spec = :spec,
       status = :status,
       started_at = :started_at,
       started_rid = :started_rid,
       expected_at = :expected_at,
       down_at = :down_at,
       pause_note = :pause_note,
       changed_at = {now},
       changed_by = :who
 where id = :id
   and pings = :pings

-- name: change_ping_id
update rota.monitor
   set ping_id = :ping_id,
       changed_at = {now},
       changed_by = :who
 where id = :id

-- name: delete_monitor
delete from rota.monitor
 where id = :id

-- name: delete_monitor_pings
delete from rota.monitor_ping
 where monitor_id = :id

-- name: take_monitor
-- One monitor by its name; waits for the holder of its lock.
select m.id, m.namespace, m.name, m.spec, m.ping_id, m.status, m.pings, m.last_at, m.last_exit,
       m.last_duration_ms, m.started_at, m.started_rid, m.expected_at, m.down_at, m.changed_at,
       m.changed_by, m.pause_note, {now} as now
  from rota.monitor as m
 where m.namespace = :namespace
   and m.name = :name
 {lock:m}

-- name: take_monitor_by_id
select m.id, m.namespace, m.name, m.spec, m.ping_id, m.status, m.pings, m.last_at, m.last_exit,
       m.last_duration_ms, m.started_at, m.started_rid, m.expected_at, m.down_at, m.changed_at,
       m.changed_by, m.pause_note, {now} as now
  from rota.monitor as m
 where m.namespace = :namespace
   and m.id = :id
 {lock:m}

-- name: list_monitors
select id, namespace, name, spec, ping_id, status, pings, last_at, last_exit, last_duration_ms,
       started_at, started_rid, expected_at, down_at, changed_at, changed_by, pause_note
  from rota.monitor
 where namespace = :namespace
   and (cast(:name as text) is null or name = :name)
   and name > :after
 order by name
 limit :limit

-- name: monitors_down
select name, status, last_at, last_exit, started_at, started_rid, expected_at, down_at
  from rota.monitor
 where namespace = :namespace
   and down_at <= :until
 order by down_at desc, name
 limit :limit

-- name: find_pinged_by_id
select namespace, id
  from rota.monitor
 where ping_id = :secret

-- name: find_pinged_by_key
select m.namespace, m.id
  from rota.ping_key as k
  join rota.monitor as m
    on m.namespace = k.namespace
   and m.name = :name
 where k.secret = :secret

-- name: move_monitor
-- What a ping changes; the number of pings guards it.
update rota.monitor
   set status = :status,
       pings = pings + 1,
       last_at = :last_at,
       last_exit = :last_exit,
       last_duration_ms = :last_duration_ms,
       started_at = :started_at,
       started_rid = :started_rid,
       expected_at = :expected_at,
       down_at = :down_at
 where id = :id
   and pings = :pings

-- name: insert_monitor_ping
insert into rota.monitor_ping (
    monitor_id, number, namespace, kind, at, exit_status, rid, duration_ms, method, address, agent,
    size, body
)
values (
    :monitor_id, :number, :namespace, :kind, :at, :exit_status, :rid, :duration_ms, :method,
    :address, :agent, :size, :body
)

-- name: forget_monitor_pings
delete from rota.monitor_ping
 where monitor_id = :monitor_id
   and number <= :number

-- name: find_monitor_start
-- The start of a foreign run that has not ended since, among the pings that are kept.
select at
  from rota.monitor_ping
 where monitor_id = :monitor_id
   and kind = 'start'
   and rid = :rid
 order by number desc
 limit 1

-- name: recent_monitor_pings
-- The newest pings of monitors whose names are in a range, the oldest first.
select p.monitor_id, p.kind, p.at, p.exit_status, p.duration_ms
  from rota.monitor as m
  join rota.monitor_ping as p
    on p.monitor_id = m.id
   and p.number > m.pings - :most
 where m.namespace = :namespace
   and m.name >= :first
   and m.name <= :last
 order by p.monitor_id, p.number

-- name: list_monitor_pings
select number, kind, at, exit_status, rid, duration_ms, method, address, agent, size
  from rota.monitor_ping
 where monitor_id = :monitor_id
   and number < :before
 order by number desc
 limit :limit

-- name: find_monitor_ping
select number, kind, at, exit_status, rid, duration_ms, method, address, agent, size, body
  from rota.monitor_ping
 where monitor_id = :monitor_id
   and number = :number

-- name: find_ping_key
select secret
  from rota.ping_key
 where namespace = :namespace

-- name: make_ping_key
insert into rota.ping_key (namespace, secret, changed_at)
values (:namespace, :secret, {now})
on conflict do nothing

-- name: change_ping_key
update rota.ping_key
   set secret = :secret,
       changed_at = {now}
 where namespace = :namespace

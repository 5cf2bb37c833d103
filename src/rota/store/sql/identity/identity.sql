-- name: put_namespace
insert into rota.namespace (name, note, max_queued, max_running, max_rate, max_payload, created_at)
values (:name, :note, :max_queued, :max_running, :max_rate, :max_payload, {now})
on conflict (name) do update
   set note = excluded.note,
       max_queued = excluded.max_queued,
       max_running = excluded.max_running,
       max_rate = excluded.max_rate,
       max_payload = excluded.max_payload

-- name: find_namespace
select name, note, max_queued, max_running, max_rate, max_payload, created_at
  from rota.namespace
 where name = :name

-- name: list_namespaces
select name, note, max_queued, max_running, max_rate, max_payload, created_at
  from rota.namespace
 order by name

-- name: delete_namespace
delete from rota.namespace
 where name = :name

-- name: namespace_in_use
select exists (select 1 from rota.job where namespace = :name and removed_at is null)
    or exists (select 1 from rota.schedule where namespace = :name)
    or exists (select 1 from rota.run where namespace = :name)
    or exists (select 1 from rota.token where namespace = :name and revoked_at is null)
    as is_used

-- name: count_waiting
-- Counted no further than it matters.
select count(*) as runs
  from (
        select 1
          from rota.run
         where namespace = :namespace
           and state in ('queued', 'scheduled', 'pending')
         limit :limit
       ) as waiting

-- name: insert_token
insert into rota.token (
    id, namespace, name, prefix, digest, roles, queues, created_at, created_by, expires_at
)
values (
    :id, :namespace, :name, :prefix, :digest, :roles, :queues, {now}, :who, {now} + :ttl_ms
)
on conflict do nothing

-- name: find_token
select id, namespace, name, prefix, roles, queues, created_at, created_by, expires_at, used_at,
       revoked_at, revoked_by
  from rota.token
 where id = :id
   and namespace = :namespace

-- name: list_tokens
select id, namespace, name, prefix, roles, queues, created_at, created_by, expires_at, used_at,
       revoked_at, revoked_by
  from rota.token
 where namespace = :namespace
   and (:past or (revoked_at is null and (expires_at is null or expires_at > {now})))
   and (cast(:before as {type:uuid}) is null or id < :before)
 order by id desc
 limit :limit

-- name: token_names
select id, name
  from rota.token
 where namespace = :namespace
   and id {ids:ids}

-- name: revoke_token
update rota.token
   set revoked_at = {now},
       revoked_by = :who
 where id = :id
   and namespace = :namespace
   and revoked_at is null

-- name: shorten_token
-- Valid until then at most; one that ends sooner, or has ended, stays as it is.
update rota.token
   set expires_at = {now} + :ttl_ms
 where id = :id
   and namespace = :namespace
   and revoked_at is null
   and (expires_at is null or expires_at > {now} + :ttl_ms)

-- name: any_token
select exists (select 1 from rota.token) as is_there

-- name: credential_of_token
select id, namespace, name, roles, queues, expires_at
  from rota.token
 where digest = :digest
   and revoked_at is null
   and (expires_at is null or expires_at > {now})

-- name: namespace_of_token
select namespace
  from rota.token
 where digest = :digest

-- name: touch_tokens
update rota.token
   set used_at = :used_at
 where id {ids:ids}
   and (used_at is null or used_at < :used_at)

-- name: insert_session
insert into rota.session (
    digest, namespace, token_id, who, roles, queues, created_at, seen_at, expires_at
)
values (
    :digest, :namespace, :token_id, :who, :roles, :queues, {now}, {now}, {now} + :ttl_ms
)

-- name: credential_of_session
select s.namespace, s.token_id, s.who, s.roles, s.queues, s.expires_at, s.seen_at, {now} as now
  from rota.session as s
  left join rota.token as t
    on t.id = s.token_id
 where s.digest = :digest
   and s.expires_at > {now}
   and s.seen_at > {now} - :idle_ms
   and (s.token_id is null
        or (t.revoked_at is null and (t.expires_at is null or t.expires_at > {now})))

-- name: touch_session
update rota.session
   set seen_at = {now}
 where digest = :digest

-- name: delete_session
delete from rota.session
 where digest = :digest

-- name: insert_ticket
insert into rota.ticket (digest, purpose, token_id, expires_at)
values (:digest, :purpose, :token_id, {now} + :ttl_ms)

-- name: credential_of_ticket
select t.id, t.namespace, t.name, t.roles, t.queues, t.expires_at
  from rota.ticket as k
  join rota.token as t
    on t.id = k.token_id
 where k.digest = :digest
   and k.purpose = :purpose
   and k.expires_at > {now}
   and t.revoked_at is null
   and (t.expires_at is null or t.expires_at > {now})

-- name: take_ticket
delete from rota.ticket
 where digest = :digest
   and purpose = :purpose
returning token_id, expires_at > {now} as is_good

-- name: credential_of_id
select id, namespace, name, roles, queues, expires_at
  from rota.token
 where id = :id
   and revoked_at is null
   and (expires_at is null or expires_at > {now})

-- name: take_requests
-- A key whose window has passed is free again. Returns the keys that are ours now.
insert into rota.request as request (namespace, key, digest, answer, expires_at)
select b.namespace, b.key, b.digest, '', {now} + :window_ms
  from {rows:request} as b
 where true
on conflict (namespace, key) do update
   set digest = excluded.digest,
       answer = '',
       expires_at = excluded.expires_at
 where request.expires_at <= {now}
returning namespace, key

-- name: find_requests
select r.namespace, r.key, r.digest, r.answer
  from {rows:request} as b
  join rota.request as r
    on r.namespace = b.namespace
   and r.key = b.key

-- name: answer_requests
update rota.request as request
   set answer = b.answer
  from {rows:request} as b
 where request.namespace = b.namespace
   and request.key = b.key

-- name: prune_requests
delete from rota.request
 where expires_at in (
        select expires_at
          from rota.request
         where expires_at <= {now}
         limit :limit
       )

-- name: prune_sessions
delete from rota.session
 where expires_at <= {now}

-- name: prune_tickets
delete from rota.ticket
 where expires_at <= {now}

-- name: drop_requests
delete from rota.request
 where (namespace, key) in (select b.namespace, b.key from {rows:request} as b)
   and answer = ''

-- name: insert_acts
-- A request that is sent twice, with the same id, is one audit entry.
insert into rota.act (
    id, namespace, at, who, verb, subject, detail, address, request_id, before_digest, after_digest
)
select b.id, b.namespace, {now}, b.who, b.verb, b.subject, b.detail, b.address, b.request_id,
       b.before_digest, b.after_digest
  from {rows:act} as b
 where true
on conflict (id) do nothing

-- name: find_act
select id, at, who, verb, subject, detail, address, request_id, before_digest, after_digest, seq, hash
  from rota.act
 where id = :id
   and namespace = :namespace

-- name: list_acts
select id, at, who, verb, subject, detail, address, request_id, before_digest, after_digest, seq, hash
  from rota.act
 where namespace = :namespace
   and (cast(:verb as text) is null or verb = :verb)
   and (cast(:who as text) is null or who = :who)
   and (cast(:subject as text) is null or subject = :subject)
   and (cast(:text as text) is null
        or lower(who) like lower(:text) escape '!'
        or lower(verb) like lower(:text) escape '!'
        or lower(subject) like lower(:text) escape '!'
        or lower(detail) like lower(:text) escape '!')
   and (cast(:since as bigint) is null or at >= :since)
   and (cast(:before as {type:uuid}) is null or id < :before)
   and (cast(:last as {type:uuid}) is null or id >= :last)
 order by id desc
 limit :limit

-- name: last_act_read
-- How many rows a page that searches for some entries reads, even if it finds few.
select id, at
  from rota.act
 where namespace = :namespace
   and (cast(:before as {type:uuid}) is null or id < :before)
 order by id desc
 limit 1
offset :most

-- name: last_act
select who, at, detail
  from rota.act
 where namespace = :namespace
   and verb = :verb
   and subject = :subject
 order by id desc
 limit 1

-- name: unsealed_namespaces
select distinct namespace
  from rota.act
 where seq is null
 limit :limit

-- name: lock_chain
-- The next process that seals waits here, so that a chain grows by one at a time.
insert into rota.chain (namespace)
values (:namespace)
on conflict (namespace) do update
   set namespace = excluded.namespace
returning seq, hash, base_seq, base_hash

-- name: unsealed_acts
select id, at, who, verb, subject, detail, address, request_id, before_digest, after_digest, seq, hash
  from rota.act
 where namespace = :namespace
   and seq is null
 order by id
 limit :limit

-- name: seal_acts
update rota.act as act
   set seq = b.seq,
       hash = b.hash
  from {rows:seal} as b
 where act.id = b.id

-- name: move_chain
update rota.chain
   set seq = :seq,
       hash = :hash
 where namespace = :namespace

-- name: find_chain
select seq, hash, base_seq, base_hash
  from rota.chain
 where namespace = :namespace

-- name: list_chains
select namespace, base_seq
  from rota.chain
 order by namespace

-- name: chain_heads
select c.namespace, c.seq, c.hash, a.at as acted_at, {now} as now
  from rota.chain as c
  left join rota.act as a on a.namespace = c.namespace and a.seq = c.seq
 where c.seq > 0
 order by c.namespace

-- name: sealed_acts
select id, at, who, verb, subject, detail, address, request_id, before_digest, after_digest, seq, hash
  from rota.act
 where namespace = :namespace
   and seq > :after
 order by seq
 limit :limit

-- name: old_acts
select seq, hash, at < {now} - :keep_ms as is_old
  from rota.act
 where namespace = :namespace
   and seq > :after
 order by seq
 limit :limit

-- name: move_base
update rota.chain
   set base_seq = :seq,
       base_hash = :hash
 where namespace = :namespace
   and base_seq < :seq

-- name: prune_acts
delete from rota.act
 where namespace = :namespace
   and seq <= :seq

-- name: find_sealed
select seq
  from rota.act
 where namespace = :namespace
   and hash = :hash

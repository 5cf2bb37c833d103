-- name: insert_act
insert into rota.act (id, namespace, at, who, verb, subject, detail)
values (:id, :namespace, {now}, :who, :verb, :subject, :detail)
on conflict (id) do nothing

-- name: find_act
select id, at, who, verb, subject, detail
  from rota.act
 where id = :id
   and namespace = :namespace

-- name: list_acts
select id, at, who, verb, subject, detail
  from rota.act
 where namespace = :namespace
   and (cast(:verb as text) is null or verb = :verb)
   and (cast(:who as text) is null or who = :who)
   and (cast(:before as {type:uuid}) is null or id < :before)
 order by id desc
 limit :limit

-- name: last_act
select who, at, detail
  from rota.act
 where namespace = :namespace
   and verb = :verb
   and subject = :subject
 order by id desc
 limit 1

-- name: prune_acts
delete from rota.act
 where id in (
        select id
          from rota.act
         where at < {now} - :keep_ms
         limit :limit
       )

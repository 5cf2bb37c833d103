-- name: find_memos
select key, run_id, result
  from rota.memo
 where namespace = :namespace
   and key in ({each:keys})
   and expires_at > {now}

-- name: keep_memos
insert into rota.memo (namespace, key, run_id, result, expires_at)
select :namespace, b.key, b.run_id, b.result, {now} + b.memo_ms
  from {rows:memo} as b
 where true
on conflict (namespace, key) do update
   set run_id = excluded.run_id,
       result = excluded.result,
       expires_at = excluded.expires_at

-- name: prune_memos
-- An hour after they expired: no run that found one is still about to write its result down. The
-- time is checked again: the entry may be renewed right now.
delete from rota.memo
 where (namespace, key) in (
        select namespace, key
          from rota.memo
         where expires_at <= {now} - 3600000
         limit :limit
       )
   and expires_at <= {now} - 3600000

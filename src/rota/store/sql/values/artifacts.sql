-- name: keep_artifacts
-- The same value again counts as new, so that nothing removes it before it is referred to.
insert into rota.artifact (digest, body, kept_at)
select b.digest, b.body, {now}
  from {rows:artifact} as b
 where true
on conflict (digest) do update
   set kept_at = excluded.kept_at

-- name: load_artifacts
select digest, body
  from rota.artifact
 where digest in ({each:digests})

-- name: mentioned
-- Which of these pointers are used anywhere. One statement, so one moment: a value that is passed
-- from row to row is seen in one of them.
select b.pointer
  from {rows:pointer} as b
 where exists (select 1 from rota.run as r
                where substr(r.args, 1, 1) = '@' and r.args = b.pointer)
    or exists (select 1 from rota.run_history as h
                where substr(h.args, 1, 1) = '@' and h.args = b.pointer)
    or exists (select 1 from rota.run_history as h
                where substr(h.result, 1, 1) = '@' and h.result = b.pointer)
    or exists (select 1 from rota.node as n
                where substr(n.result, 1, 1) = '@' and n.result = b.pointer)
    or exists (select 1 from rota.memo as m
                where substr(m.result, 1, 1) = '@' and m.result = b.pointer)

-- name: old_artifacts
select digest
  from rota.artifact
 where kept_at < {now} - :keep_ms
   and digest > :after
 order by digest
 limit :limit

-- name: prune_artifacts
-- The age is checked again: a process that writes the same value now has renewed it.
delete from rota.artifact
 where digest in ({each:digests})
   and kept_at < {now} - :keep_ms

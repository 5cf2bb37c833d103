-- name: append_logs
-- A caller that sends a chunk again has checked what is there: a check here would cost half of the
-- row.
insert into rota.log_chunk (
    run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts, namespace
)
values (
    :run_id, :job, :attempt, :fence, :seq, :first_at, :marks, :body, :last_id, :parts, :namespace
)

-- name: index_logs
insert into rota.log_words (rowid, body)
select id, body
  from (
        select id, body, sum(length(body)) over (order by id) - length(body) as chars_before
          from (
                select id, body
                  from rota.log_chunk
                 where id > (select coalesce(max(id), 0) from rota.log_words_docsize)
                 order by id
                 limit :limit
               )
       )
 where chars_before < :chars
 order by id

-- name: search_logs
select c.run_id, c.job, c.attempt, c.fence, c.seq, c.first_at, c.marks, c.body, c.last_id, c.parts
  from rota.log_words as w
  join rota.log_chunk as c
    on c.id = w.rowid
 where rota.log_words match :match
   and c.namespace = :namespace
   and (cast(:job as text) is null or c.job = :job)
   and c.first_at >= :since
 order by w.rowid desc
 limit :limit
offset :offset

-- name: search_fresh_logs
-- Lines that are not indexed yet are read as they are.
select run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from rota.log_chunk
 where id > (select coalesce(max(id), 0) from rota.log_words_docsize)
   and namespace = :namespace
   and (cast(:job as text) is null or job = :job)
   and first_at >= :since
   and not exists (select 1 from json_each(:words) where instr(lower(body), value) = 0)
 order by id desc
 limit :limit
offset :offset

-- name: prune_logs
-- Ids grow with time, so the oldest come first without an index on the time.
delete from rota.log_words
 where rowid in (
        select id
          from (select id, first_at from rota.log_chunk order by id limit :limit)
         where first_at < {now} - :keep_ms
       );
delete from rota.log_chunk
 where id in (
        select id
          from (select id, first_at from rota.log_chunk order by id limit :limit)
         where first_at < {now} - :keep_ms
       )

-- name: index_logs
-- Done later than the insert: cutting text into words there cost three times the row itself.
with picked as materialized (
    select run_id, fence, seq, first_at, length(body) as chars
      from rota.log_chunk
     where words is null
     order by first_at
     limit :limit
       for update skip locked
),
sized as (
    select run_id, fence, seq, first_at,
           sum(chars) over (order by first_at, run_id, fence, seq) - chars as chars_before
      from picked
)
update rota.log_chunk as c
   set words = rota.words_of(c.body)
  from sized as p
 where p.chars_before < :chars
   and c.run_id = p.run_id
   and c.fence = p.fence
   and c.seq = p.seq
   and c.first_at = p.first_at

-- name: search_logs
select run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from rota.log_chunk
 where words @@ plainto_tsquery('pg_catalog.simple', :match)
   and namespace = :namespace
   and (cast(:job as text) is null or job = :job)
   and first_at >= :since
 order by first_at desc, run_id desc, fence desc, seq desc
 limit :limit
offset :offset

-- name: search_fresh_logs
-- Lines that are not indexed yet are read as they are.
select run_id, job, attempt, fence, seq, first_at, marks, body, last_id, parts
  from rota.log_chunk
 where words is null
   and namespace = :namespace
   and (cast(:job as text) is null or job = :job)
   and first_at >= :since
   and not exists (
        select 1
          from json_array_elements_text(cast(:words as json)) as w (word)
         where strpos(lower(body), w.word) = 0
       )
 order by first_at desc, run_id desc, fence desc, seq desc
 limit :limit
offset :offset

-- name: prune_logs
-- Days go as a whole; this is for rows of a day that nobody prepared.
delete from rota.log_chunk_rest
 where (run_id, fence, seq) in (
        select run_id, fence, seq
          from rota.log_chunk_rest
         where first_at < {now} - :keep_ms
         limit :limit
       )
   and first_at < {now} - :keep_ms

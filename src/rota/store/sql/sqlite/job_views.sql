-- name: recent_runs
-- SQLite has no lateral joins; the list of ids is made anew for each job, from the same index.
select h.job, h.id, h.state, h.started_at, h.finished_at
  from json_each(:names) as n
 cross join rota.run_history as h
 where h.id in (
        select r.id
          from rota.run_history as r
         where r.namespace = :namespace
           and r.job = n.value
         order by r.id desc
         limit :limit
       )
 order by h.job, h.id desc

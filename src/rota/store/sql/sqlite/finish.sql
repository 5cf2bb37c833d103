-- name: close_runs
-- SQLite has no writes inside a with clause: copy, then delete, in the one write transaction.
insert into rota.run_history (
    {columns:made}, started_at,
    state, failures, crashes, fence, finished_at, result, error, reason
)
select {columns:made}, {columns:began},
       {becomes:final},
       failures + case when v.kind in ('error', 'timeout') then 1 else 0 end,
       crashes + case when v.kind in ('crash', 'lost') then 1 else 0 end,
       run.fence, {now}, v.result, coalesce(v.error, run.error),
       case when v.verb = 'abort' then coalesce(run.cancel_reason, v.reason) else v.reason end
  from {rows:verdict} as v
 cross join rota.run as run
 where run.id = v.run_id
   and run.fence = v.fence
   and run.namespace = :namespace
   and {allowed:final};
delete from rota.run
 where rowid in (
        select run.rowid
          from {rows:verdict} as v
         cross join rota.run as run
         where run.id = v.run_id
           and run.fence = v.fence
           and run.namespace = :namespace
           and {allowed:final}
       )

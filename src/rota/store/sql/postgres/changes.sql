-- name: change_mark
-- Transactions below `oldest` have ended; those from `next` on have not begun to write.
select {now} as now,
       cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint) as oldest,
       cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint) as next

-- name: change_mark
-- One writer at a time: what is not there yet will be written later.
select {now} as now, 0 as oldest, 0 as next

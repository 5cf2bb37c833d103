-- name: lock_name
-- There is one writer at a time.
select :what as locked

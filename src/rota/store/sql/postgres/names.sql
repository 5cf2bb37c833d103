-- name: lock_name
-- There may be no row yet to lock.
select pg_advisory_xact_lock(hashtextextended(:what, 0)) as locked

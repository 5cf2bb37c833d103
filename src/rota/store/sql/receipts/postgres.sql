-- name: has_receipts
select to_regclass('rota_receipt') is not null as is_there

-- name: lock_receipts
-- Two that make the table at once would stumble over each other; the number is ours alone.
select pg_advisory_xact_lock(7205201511)

-- name: has_receipts
select exists (select 1 from sqlite_master where name = 'rota_receipt') as is_there

-- name: lock_receipts
-- A writer is alone here.
select 1 as is_alone

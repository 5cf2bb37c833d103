-- name: make_receipts
create table if not exists rota_receipt (
    run_id  text not null,
    step    text not null,
    result  text,
    made_at timestamp not null default current_timestamp,
    primary key (run_id, step)
)

-- name: take_receipt
-- Another attempt that holds the same receipt is waited for: it commits, or the step is ours.
insert into rota_receipt (run_id, step)
values (:run_id, :step)
on conflict (run_id, step) do nothing

-- name: read_receipt
select result
  from rota_receipt
 where run_id = :run_id
   and step = :step

-- name: keep_result
update rota_receipt
   set result = :result
 where run_id = :run_id
   and step = :step

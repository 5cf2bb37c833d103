-- name: hold_run
-- The limits are local to this transaction: a handler that hangs in it must not hold its locks. Its
-- own statements are planned as usual.
select run.id, cast(pg_current_xact_id() as text) as tx,
       set_config('statement_timeout', cast(:limit_ms as text), true),
       set_config('idle_in_transaction_session_timeout', cast(:idle_ms as text), true),
       set_config('enable_seqscan', 'on', true)
  from rota.run as run
 where run.id = :run_id
   and run.fence = :fence
   and run.namespace = :namespace
   and run.{from:succeed}
   and not run.cancel_requested
 {sql:lock}

-- name: current_tx
-- The handler is done; later statements are planned our way again.
select cast(pg_current_xact_id_if_assigned() as text) as tx,
       set_config('enable_seqscan', 'off', true)

-- name: identity
-- The same text on two connections means the same database of the same running server.
select case when to_regclass('rota.run') is not null
            then current_database() || ' since ' || pg_postmaster_start_time() end as identity

-- name: wake
select pg_notify('rota', :key)

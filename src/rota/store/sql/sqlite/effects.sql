-- name: current_tx
select null as tx

-- name: identity
select case when exists (select 1 from sqlite_master where name = 'rota.run_history')
            then file end as identity
  from pragma_database_list
 where name = 'main'

-- name: durability
select name, setting as value
  from pg_catalog.pg_settings
 where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums')
 union all
select 'version', current_setting('server_version')

-- name: has_schema
select to_regclass('rota.migration') is not null as is_there,
       to_regclass('rota.schema_step') is not null as has_steps

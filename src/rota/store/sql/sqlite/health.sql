-- name: durability
select 'journal_mode' as name, journal_mode as value
  from pragma_journal_mode
 union all
select 'synchronous', case synchronous when 0 then 'off' when 1 then 'normal' when 2 then 'full' else 'extra' end
  from pragma_synchronous
 union all
select 'version', sqlite_version()

-- name: has_schema
select (select count(*) = 3
          from pragma_table_info('rota.migration')
         where name in ('number', 'name', 'digest')) as is_there,
       exists (select 1 from sqlite_master where name = 'rota.schema_step') as has_steps

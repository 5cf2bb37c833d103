-- name: durability
select 'journal_mode' as name, journal_mode as value
  from pragma_journal_mode
 union all
select 'synchronous', case synchronous when 0 then 'off' when 1 then 'normal' when 2 then 'full' else 'extra' end
  from pragma_synchronous
 union all
select 'version', sqlite_version()

-- name: has_schema
select exists (select 1 from sqlite_master where name = 'migration') as is_there

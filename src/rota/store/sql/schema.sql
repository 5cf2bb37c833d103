-- name: list_migrations
select number, name, digest
  from rota.migration
 order by number

-- name: has_schema
select {sql:has_schema} as is_there

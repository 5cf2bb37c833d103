-- name: list_migrations
select number, name, digest
  from rota.migration
 order by number

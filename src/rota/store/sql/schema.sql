-- name: list_migrations
-- Migrations that all code must know: of 0.1.0, and later ones that it cannot work with.
select number, name, digest, cast(null as {type:int}) as readable_from
  from rota.migration
 order by number

-- name: list_steps
-- Migrations since 0.1.0, with the oldest schema whose code can work with each.
select number, name, digest, readable_from
  from rota.schema_step
 order by number

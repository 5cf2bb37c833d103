-- name: room_role
-- The role that the policy of runs is for: whatever its name, servers take it on.
select r.rolname as role
  from pg_catalog.pg_policy as p
  join pg_catalog.pg_roles as r
    on r.oid = any (p.polroles)
 where p.polrelid = to_regclass('rota.run')
   and p.polname = 'room'

-- name: room_facts
-- Facts about the database, about our login, and about the role if there is one.
select current_database() as database,
       current_user as login,
       (select u.rolsuper or u.rolcreaterole
          from pg_catalog.pg_roles as u
         where u.rolname = current_user) as may_create,
       exists (select 1 from pg_catalog.pg_roles where rolname = :role) as is_there,
       exists (select 1 from pg_catalog.pg_roles
                where rolname = :role and (rolsuper or rolbypassrls)) as is_above,
       current_setting('server_version_num') as server

-- name: policy_tables
-- All tables that may need a policy, with facts about each and its policy of this name. Partitions
-- are reached through the whole table, except the one that a statement names.
select c.relname as name,
       c.relrowsecurity as is_on,
       c.relforcerowsecurity as is_forced,
       c.relispartition as is_partition,
       exists (select 1
                 from pg_catalog.pg_attribute as a
                where a.attrelid = c.oid
                  and a.attname = 'namespace'
                  and not a.attisdropped) as has_namespace,
       (select obj_description(p.oid, 'pg_policy')
          from pg_catalog.pg_policy as p
         where p.polrelid = c.oid
           and p.polname = :policy) as digest
  from pg_catalog.pg_class as c
 where c.relnamespace = to_regnamespace('rota')
   and c.relkind in ('r', 'p')
   and (not c.relispartition or c.relname = 'log_chunk_rest')
 order by c.relname

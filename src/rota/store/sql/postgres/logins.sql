-- name: whoami
select cast(session_user as text) as name,
       (select l.kind
          from rota.login as l
         where l.name = cast(session_user as text)) as kind

-- name: list_logins
select l.name, l.kind, l.role, l.namespaces,
       coalesce(pg_has_role(r.oid, g.oid, 'usage'), false) as is_member
  from rota.login as l
  left join pg_catalog.pg_roles as r
    on r.rolname = l.name
  left join pg_catalog.pg_roles as g
    on g.rolname = l.role
 order by l.name

-- name: login_facts
-- Facts about the role that is to log in; one that may create roles could grant itself anything.
select exists (select 1 from pg_catalog.pg_roles where rolname = :name) as is_there,
       coalesce(bool_or(r.rolcanlogin), false) as may_log_in,
       coalesce(bool_or(r.rolsuper or r.rolbypassrls or r.rolcreaterole), false) as is_above,
       coalesce(bool_or(pg_has_role(r.oid, c.relowner, 'member')), false) as is_owner
  from pg_catalog.pg_class as c
  left join pg_catalog.pg_roles as r
    on r.rolname = :name
 where c.oid = to_regclass('rota.run')

-- name: role_facts
select exists (select 1 from pg_catalog.pg_roles where rolname = :name) as is_there

-- name: login_roles
select g.rolname as role
  from pg_catalog.pg_auth_members as m
  join pg_catalog.pg_roles as g
    on g.oid = m.roleid
  join pg_catalog.pg_roles as r
    on r.oid = m.member
 where r.rolname = :name

-- name: drop_login
delete from rota.login
 where name = :name

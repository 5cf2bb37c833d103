-- readable from: 35
-- From when on which version of a job was the current one: runs of graphs carry out their nodes with
-- the versions that came along with theirs. What was before is told by when versions were made.
create table rota.version_change (
    namespace text not null,
    name      text not null,
    number    {type:int} not null,
    version   {type:int} not null,
    since     {type:bigint} not null,
    primary key (namespace, name, number)
);

insert into rota.version_change (namespace, name, number, version, since)
select v.namespace, v.name, v.version, v.version, v.created_at
  from rota.job_version as v;

insert into rota.version_change (namespace, name, number, version, since)
select j.namespace, j.name, max(v.version) + 1, j.version, max(v.created_at) + 1
  from rota.job as j
  join rota.job_version as v
    on v.namespace = j.namespace
   and v.name = j.name
 group by j.namespace, j.name, j.version
having max(v.version) <> j.version;

-- readable from: 35
-- Labels of runs, live or ended. Runs without labels have no rows here, and their own row does not
-- know of it. `value` is the text that conditions compare, `kind` what it is in JSON.
create table rota.run_label (
    run_id    {type:uuid} not null,
    name      text not null,
    namespace text not null,
    kind      text not null,
    value     text not null,
    primary key (run_id, name),
    check (kind in ('text', 'number', 'flag'))
);

-- Runs with a label and a value, or with a label, in the order of their ids. The second one has a
-- condition that only lists by name repeat: on a small table it would look as good for both.
create index run_label_value on rota.run_label (namespace, name, value, run_id);
create index run_label_name on rota.run_label (namespace, name, run_id) where kind <> '';

-- Named filters of the list of runs.
create table rota.saved_view (
    namespace  text not null,
    name       text not null,
    filter     text not null,
    note       text not null,
    changed_by text not null,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

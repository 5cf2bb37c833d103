-- readable from: 35
-- A person may settle an effect in doubt, and a run that is run again goes on with the ledger of the
-- run before: its key is made of `key_run`, and `taken_by` is the run that has taken it up. Nodes do so
-- if they have the same arguments. Code that is older takes what a person said was not done for in
-- doubt, and begins reruns with an empty ledger.
alter table rota.effect add column key_run {type:uuid};
alter table rota.effect add column taken_by {type:uuid};
alter table rota.effect add column args_digest text;
alter table rota.effect add column outcome text;
alter table rota.effect add column decided_by text;

create index effect_in_doubt on rota.effect (intended_at) where settled_at is null and taken_by is null;

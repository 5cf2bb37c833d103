-- Workers that speak to a server: the token they came with, and what their attempt tokens are made with.
alter table rota.worker add column token_id {type:uuid};
alter table rota.worker add column attempt_key text;

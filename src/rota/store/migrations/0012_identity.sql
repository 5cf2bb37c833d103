-- Who may do what: namespaces with their quotas, tokens, sessions, tickets; and requests by key.
-- Secrets are random and long; only their SHA-256 is kept, and it is what they are found by.

create table rota.namespace (
    name        text not null primary key,
    note        text not null default '',
    max_queued  {type:bigint},
    max_running {type:bigint},
    max_rate    {type:real},
    max_payload {type:bigint},
    created_at  {type:bigint} not null
);

-- `prefix` is the beginning of the secret, for people who look for one. A null in `queues` means all.
create table rota.token (
    id         {type:uuid} not null primary key,
    namespace  text not null,
    name       text not null,
    prefix     text not null,
    digest     text not null unique,
    roles      text not null,
    queues     text,
    created_at {type:bigint} not null,
    created_by text not null,
    expires_at {type:bigint},
    used_at    {type:bigint},
    revoked_at {type:bigint},
    revoked_by text
) {sql:narrow};

create index token_namespace on rota.token (namespace, id);

-- A session of a token ends with it; one without was made by an identity provider.
create table rota.session (
    digest     text not null primary key,
    namespace  text not null,
    token_id   {type:uuid},
    who        text not null,
    roles      text not null,
    queues     text,
    created_at {type:bigint} not null,
    seen_at    {type:bigint} not null,
    expires_at {type:bigint} not null
) {sql:narrow};

create index session_expiring on rota.session (expires_at);
create index session_token on rota.session (token_id) where token_id is not null;

-- Good for one use: a link that signs in, a stream that cannot send a header.
create table rota.ticket (
    digest     text not null primary key,
    purpose    text not null,
    token_id   {type:uuid} not null,
    expires_at {type:bigint} not null
);

-- What a request with an idempotency key was answered; the same again is answered the same.
create table rota.request (
    namespace  text not null,
    key        text not null,
    digest     text not null,
    answer     text not null,
    expires_at {type:bigint} not null,
    primary key (namespace, key)
) {sql:hot};

create index request_expiring on rota.request (expires_at);

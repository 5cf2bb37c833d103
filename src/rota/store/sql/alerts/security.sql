-- name: strong_tokens_lately
-- Tokens made since a moment that may administer, or run programs.
select id, name, roles, created_at
  from rota.token
 where namespace = :namespace
   and created_at > :since
   and (roles like '%"admin"%' or roles like '%"exec"%')
 order by created_at desc
 limit :limit

-- name: guesses_lately
-- Addresses that sent too many bad credentials since a moment.
select id, at, payload
  from rota.alert
 where namespace = :namespace
   and kind = 'security.sign_in'
   and at > :since
 order by at desc
 limit :limit

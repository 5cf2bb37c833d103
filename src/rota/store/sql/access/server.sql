-- name: move_base
-- Here and below: a server has no permission to delete audit entries; these functions know which
-- may go (ADR 31).
select rota.move_base(:namespace, :seq)

-- name: prune_acts
select rota.forget_acts(:namespace, :seq)

-- Jobs that no code defines: who brought a definition, and those that were taken away again.
-- Older processes do not name the columns, so what they define counts as code.

alter table rota.job add column origin text not null default 'code';
alter table rota.job add column removed_at {type:bigint};

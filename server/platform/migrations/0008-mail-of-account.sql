-- Whose mail it is: an account may have had other addresses before. Mails of before this can be found by nobody: they go.
delete from platform_mail;
alter table platform_mail add column account_id text not null;
create index platform_mail_account on platform_mail (account_id);

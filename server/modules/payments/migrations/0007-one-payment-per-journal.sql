create unique index payments_intent_journal_id on payments_intent (journal_id) where journal_id is not null;

-- Background: without it, rewriting texts in the feed takes longer.

CREATE INDEX feed_batch ON feed (batch);

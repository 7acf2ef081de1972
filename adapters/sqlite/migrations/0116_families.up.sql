-- Final: whoever relates problems expects each problem that its search for a cycle has seen (D7). An
-- older server expects the row of the family alone, so beside a newer one it could close a cycle.
DROP TABLE families;

SELECT upper(split_part(email, '.', 1)) AS who, count(DISTINCT path) AS paths FROM logs GROUP BY who ORDER BY who NULLS LAST

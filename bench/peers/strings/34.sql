SELECT CASE WHEN email IS NULL THEN 'none' WHEN email = '' THEN 'empty' ELSE split_part(email, '@', 2) END AS kind, level, count(*) AS n FROM logs GROUP BY ALL ORDER BY ALL

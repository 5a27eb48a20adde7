SELECT level, count(*) AS n FROM logs GROUP BY level ORDER BY n DESC, level

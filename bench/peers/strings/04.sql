SELECT path, count(*) AS n FROM logs GROUP BY path ORDER BY n DESC, path LIMIT 10

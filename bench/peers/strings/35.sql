SELECT concat_ws('|', level, service, status) AS key, count(*) AS n FROM logs GROUP BY key ORDER BY n DESC, key LIMIT 40

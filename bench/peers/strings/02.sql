SELECT service, count(*) AS n, max(line) AS last FROM logs GROUP BY service ORDER BY n DESC, service

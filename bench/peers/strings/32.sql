SELECT count(*) AS n FROM logs a JOIN (SELECT path, min(id) AS id FROM logs GROUP BY path HAVING count(*) > 1) b ON a.path = b.path WHERE a.id > b.id

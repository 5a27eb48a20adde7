SELECT reverse(path) AS r, id FROM logs ORDER BY r, id LIMIT 10

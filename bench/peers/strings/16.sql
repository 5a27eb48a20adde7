SELECT length(line) AS characters, strlen(line) AS size, count(*) AS n FROM logs GROUP BY characters, size ORDER BY n DESC, characters, size LIMIT 25

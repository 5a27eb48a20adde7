SELECT length(name) AS characters, strlen(name) AS size, count(*) AS n FROM products GROUP BY ALL ORDER BY ALL

SELECT left(name, 3) AS head, right(name, 2) AS tail, count(*) AS n FROM products GROUP BY ALL ORDER BY n DESC, head, tail LIMIT 30

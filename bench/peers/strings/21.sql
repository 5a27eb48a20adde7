SELECT category, count(*) AS n, min(name) AS first, max(name) AS last FROM products GROUP BY category ORDER BY category NULLS FIRST

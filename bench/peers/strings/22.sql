SELECT lower(name) AS folded, count(*) AS n FROM products GROUP BY folded ORDER BY n DESC, folded LIMIT 20

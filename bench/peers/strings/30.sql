SELECT p.name, count(*) AS n FROM logs l JOIN products p ON l.status + l.id % 1000 = p.product GROUP BY p.name ORDER BY n DESC, p.name LIMIT 15

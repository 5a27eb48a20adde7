SELECT count(*) AS n FROM products WHERE name LIKE '%茶%' OR name LIKE '%чай%' OR name LIKE '%τσάι%' OR name LIKE '_☕%'

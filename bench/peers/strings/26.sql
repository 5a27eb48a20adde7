SELECT regexp_extract(attributes, '"colour": "([^"]*)"', 1) AS colour, avg(price) AS price FROM products GROUP BY colour ORDER BY colour NULLS LAST

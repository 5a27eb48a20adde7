SELECT maker, string_agg(name, '; ' ORDER BY name, product) AS names FROM products WHERE price < 50 GROUP BY maker ORDER BY maker

SELECT name, price FROM products ORDER BY name, price DESC LIMIT 50

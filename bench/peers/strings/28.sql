SELECT replace(replace(attributes, '"', ''), 'size', 'größe') AS plain, product FROM products WHERE product % 977 = 5 ORDER BY plain NULLS LAST, product

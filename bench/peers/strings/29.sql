SELECT trim(name) = name AS is_trimmed, contains(name, '💡') AS has_light, starts_with(name, 'С') AS starts, count(*) AS n FROM products GROUP BY ALL ORDER BY ALL

SELECT regexp_extract(path, '\.([A-Za-z.]*)$', 1) AS suffix, count(*) AS n, sum(bytes) AS bytes FROM logs GROUP BY suffix ORDER BY suffix

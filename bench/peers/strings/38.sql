SELECT body = '' AS is_empty, count(*) AS n, max(length(body)) AS longest, count(DISTINCT body) AS bodies FROM documents GROUP BY is_empty ORDER BY is_empty NULLS LAST

SELECT substr(path, 2, 3) AS head, count(*) AS n FROM logs GROUP BY head ORDER BY head

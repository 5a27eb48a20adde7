SELECT regexp_replace(line, '[0-9]+', '#', 'g') AS form, count(*) AS n FROM logs GROUP BY form ORDER BY n DESC, form LIMIT 20

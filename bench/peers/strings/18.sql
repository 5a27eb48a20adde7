SELECT service, string_agg(DISTINCT level, ',' ORDER BY level) AS levels FROM logs GROUP BY service ORDER BY service

SELECT date_trunc('day', "at") AS day, count(DISTINCT email) AS emails FROM logs GROUP BY day ORDER BY day

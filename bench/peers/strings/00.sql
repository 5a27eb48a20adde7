SELECT count(*) AS rows, count(email) AS present, count(DISTINCT email) AS emails FROM logs

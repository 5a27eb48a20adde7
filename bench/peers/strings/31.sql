SELECT l.email, count(*) AS n FROM logs l WHERE l.email IN (SELECT email FROM logs WHERE level = 'ERROR' AND status = 500 AND bytes < 20000) GROUP BY l.email ORDER BY n DESC, l.email LIMIT 10

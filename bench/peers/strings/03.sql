SELECT email, count(*) AS n FROM logs GROUP BY email ORDER BY n DESC, email LIMIT 10

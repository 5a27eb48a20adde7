SELECT split_part(email, '@', 2) AS domain, count(*) AS n FROM logs GROUP BY domain ORDER BY n DESC, domain

SELECT count(*) AS n, sum(strlen(line || '-' || coalesce(email, 'nobody'))) AS size FROM logs

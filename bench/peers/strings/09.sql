SELECT count(DISTINCT line) AS lines FROM logs

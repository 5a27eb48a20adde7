SELECT count(*) AS n FROM logs WHERE line LIKE '%timed out%ms; request=1%'

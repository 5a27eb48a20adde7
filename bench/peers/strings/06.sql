SELECT count(*) AS n FROM logs WHERE line ILIKE '%ERROR%' AND path LIKE '%.tar.gz'

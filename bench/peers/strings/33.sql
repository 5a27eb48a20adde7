SELECT path, row_number() OVER (PARTITION BY service ORDER BY path, id) AS place, service FROM logs QUALIFY place <= 2 ORDER BY service, place

SELECT id, line FROM logs WHERE line LIKE '%retried%' ORDER BY line LIMIT 20

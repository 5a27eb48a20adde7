SELECT max(line) AS greatest, min(line) AS least FROM logs

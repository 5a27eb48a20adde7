SELECT substr(max(body), 1, 20) AS greatest, count(*) FILTER (WHERE body LIKE '%yz%abc%') AS n, sum(instr(body, 'z')) AS places FROM documents

SELECT document, length(body) AS characters, strlen(body) AS size, left(body, 5) AS head, right(body, 5) AS tail, md5(body) AS digest FROM documents WHERE document < 20 ORDER BY document

SELECT count(*) AS n FROM logs WHERE regexp_matches(email, '^[a-z]+\.[0-9]*7@(mail\.)?example')

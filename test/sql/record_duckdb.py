"""Writes recorded.hpp: for each statement the names and types of its result columns as DuckDB gives them, and the steps that
Penstock's plan should have. Run with DuckDB 2.0 (pip install duckdb): python3 test/sql/record_duckdb.py > test/sql/recorded.hpp
"""

import textwrap

import duckdb

COLUMNS = (
    "b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INTEGER, i64 BIGINT, u8 UTINYINT, u32 UINTEGER, u64 UBIGINT, f FLOAT, d DOUBLE, "
    'dt DATE, ts TIMESTAMP, m DECIMAL(15,2), s VARCHAR, "Mixed Case" INTEGER, Price FLOAT'
)

WINDOW = "source > map > window > map"
WINDOWS = "source > map > window > window > window > map"
MAP, FILTER, REDUCE, GROUP = (
    "source > map",
    "source > filter > map",
    "source > reduce",
    "source > group by",
)
EXPRESSIONS = """
i8 + 1; i8 + 100000; i8 + 1 + 1; i8 + (1 + 1); i8 * - 1; i16 * 2; u8 + 1; u8 + -1; i32 + 3000000000; i32 / 2; i32 // 2; i32 % 2
m * 2; m + 1; 1 - m; m * 0.05; m * (1 - m); m / 2; m * 1.5e0; m % 2; 0.05; .5; 5.; 00.5; 1e3; 9223372036854775807; -9223372036854775808
f * 2; f * 2.5; f + m; d + m; f + d; i64 + f; u64 + 1; u64 < i64; b = 1; 5 / 0; 2.5 % 2; i8 + null; null + 1
1 | 2 & 3; 1 << 2 + 1; 2 * 7 // 3; 1 + 7 // 3; 12 // 2 * 3; -2 ^ 2; 2 ^ 3 ^ 2; 2 ** 3; ~1 + 1; ~i8; i8 & 1; i8 << 1; xor(i32, 5)
-i8; +i8; - (i8 + 1); -(-1); 1 - - 1; i8 - -1; -i8 * 2; i8*-1; 1 == 1; i8 <> 1; i8 != 1; i8 = 1; not b = true; ((i8))
abs(i8); abs(m); sqrt(i32); sqrt(m); floor(i32); floor(m); FLOOR(m); ceil(m); ceiling(f); ceil(i8); round(m); round(m, 1)
round(d, 1); round(f)
asin(d); acos(m); atan(i8); atan2(d, f); cot(d); sinh(d); cbrt(i32); log2(u8); gamma(d); even(i32); signbit(d); pi(); degrees(i8)
radians(m); isnan(d); isinf(f); isfinite(d); isinf(dt); gcd(i32, i16); lcm(i8, 4); factorial(i32); bit_count(i8); bit_count(i32)
trunc(d, 1); log(2, d); fmod(d, 3); hex(u8); bin(i32); to_base(i32, 16); round(d, -1); nextafter(d, d); round(m, -1)
trunc(m, 1); round_even(m, 1); round(f, 1)
dt + interval 1 day; ts - interval 2 month; ts + to_hours(i8); last_day(dt); last_day(ts); make_date(i32, i8, 1); julian(dt)
make_timestamp(i32, 1, 1, 0, 0, 1.5); date_sub('month', dt, ts); time_bucket(interval 7 day, dt); time_bucket(interval 1 month, ts)
strptime(s, '%Y'); epoch_ns(ts); nanosecond(ts); levenshtein(s, 'a'); jaccard(s, 'a'); jaro_similarity(s, 'a'); md5(s); sha256(s)
url_encode(s); strip_accents(s); overlay(s, 'x', 2); format('{} {}', s, i8); printf('%d', i8); parse_filename(s); greatest(s, 'b')
round(i32); trunc(d); trunc(m); trunc(i32); ln(i32); log(d); log10(d); exp(f); power(i32, 2); pow(f, 2); sin(f); cos(d); tan(d); mod(i32, 2)
greatest(i8, i32); least(1, m); greatest(dt, '1999-01-01'); greatest(1, 2, 3); sign(m); sign(i8); sign(f); sign(d)
case when i8 > 1 then 1 else i8 end; case when i8 > 1 then 1 end; case i8 when 1 then 2 when 2 then 3 else 4 end
case when b then i8 else m end
case when b then 1 else 2.5 end; case when i8 then 1 end; if(b, 1, 2); coalesce(i8, 1); coalesce(i8, 300); coalesce(m, 1); ifnull(i8, 1)
nullif(i8, 1); nullif(i8, 1000); i8 in (1, 2, 3); i8 not in (1, 2); not (i8 in (1)); i8 between 1 and 2; i8 not between 1 and 2
i8 is null; i8 is not null; b is true; b is not true; b is false; b is not false; b is unknown; b is not unknown; i8 is distinct from 1
i8 is not distinct from null; b and i8 > 1 or not b; b and b and b; (b and b) and b; b and (b or b); not i8; i8 and true
cast(i8 as decimal(5,1)); i8::bigint; i8::int4; i8::decimal; i8::numeric(4); i8::double precision; i8::double; i8::float
i8::real; i8::float8
i8::uinteger; b::integer; 1::boolean; dt::timestamp; ts::date; cast(dt as DATE); cast(i8 as Uinteger); i8::smallint::integer
i8::bool; i8::int8
date '1998-12-01'; '1998-12-01'::date; timestamp '1998-12-01 12:34:56'; '12'::integer; '1.5'::decimal(5,2); dt + 5; dt - 5; 5 + dt
dt - date '1998-01-01'; date '1998-12-01' - 90; date '1998-12-01' - interval '90' day; date '1998-12-01' - interval 90 day
date '1998-12-01' + interval '3 months'; date '1998-12-01' - interval 2 hours; interval '1 day' + date '1998-12-01'; dt < '1998-10-01'
ts < '1998-10-01 12:00:00'; dt between '1998-01-01' and '1998-12-31'; dt in ('1998-09-02', '1998-01-01'); date '1998-12-01' < dt; dt = ts
case when b then 1 when i8 > 1 then i8 end; case when b then 1 else i8 end; case when b then i8 when i8 > 1 then 1 end
case when b then 0 when i8 > 1 then u32 end; case when b then u32 when i8 > 1 then 1 end; case when b then 0 when i8 > 1 then u32 else 5 end
case when b then 1 when i8 > 1 then null else i8 end; case when b then null when i8 > 1 then 1 end; case when b then 3000000000 end
case when b then 1 when i8 > 1 then 2 else i8 end; case when b then 300 when i8 > 1 then u8 else i8 end
case when b then 1 when i8 > 1 then m end; case when b then 1 when i8 > 1 then 2.5 else i8 end; case when b then i8 else null end
case when b then u32 when i8 > 1 then null end; case when b then u8 when i8 > 1 then i8 when i8 > 2 then 1 end
case when b then case when i8 > 1 then 1 end else i8 end; i8 + case when b then 1 end; i8 + case when b then 1 else 2 end
if(b, 1, null); if(b, null, 1); if(b, i8, null); coalesce(null, 1); coalesce(null, 1, i8); coalesce(1, null, i8); coalesce(1, i8)
coalesce(1, 2, i8); coalesce(i8, null, 1); coalesce(i8, 1, m); coalesce(1, m); greatest(null, 1, i8); least(i8, u8, 1);
case when b then 1 else b end
round(u8); round(u32, 1); trunc(u8)
extract(year from dt); extract('month' from dt); date_part('Year', dt); year(dt); "year"(dt); month(ts); dayofweek(dt); extract(dow from dt)
date_trunc('minute', ts); date_trunc('Month', dt); datetrunc('us', dt); epoch(ts); epoch(dt); epoch_ms(ts); epoch_us(dt)
extract(epoch from ts); millennium(dt); dayname(dt); monthname(ts); weekofyear(dt); microsecond(ts); millisecond(ts)
extract(weeks from dt); extract(millisecond from ts); extract(us from ts); week(dt); yearweek(dt); isoyear(dt); decade(ts)
century(dt); era(dt); date_diff('day', dt, ts); datediff('month', dt, dt)
extract(hour from ts); extract(second from ts); minute(ts); quarter(dt); s = 'hello'; s != 'it''s'; s in ('a', 'b'); s is null
trim(s); trim(trailing from s); ltrim(s); trim(both from s); left(s, 2); right(s, 2); substr(s, 2)
replace(s, 'a', 'b'); substring(s, 1, 2); substring(s from 1 for 2); position('a' in s); strpos(s, 'a'); lower(s); UCASE(s); len(s)
contains(s, 'a'); starts_with(s, 'a'); prefix(s, 'a'); suffix(s, 'a'); instr(s, 'a'); upper(left(s, 1)) = 'A'; char_length(trim(s))
s like 'a%'; s not like 'a%'; s ilike 'a'; s not ilike 'a'; s || 'x'; s between 'a' and 'b'; s < 'a'
regexp_matches(s, 'a'); regexp_matches(s, 'a', 'i'); regexp_full_match(s, 'a'); regexp_extract(s, 'a'); regexp_extract(s, '(a)', 1)
regexp_replace(s, 'a', 'b'); regexp_replace(s, 'a', 'b', 'g'); s ~ 'a'; s !~ 'a'; s ~* 'a'; s !~* 'a'; s similar to 'a'
s not similar to 'a'; split_part(s, ',', 1); lpad(s, 5, 'x'); rpad(s, 5, 'x'); repeat(s, 2); reverse(s); translate(s, 'a', 'b')
hex(s); ascii(s); unicode(s); ord(s); bit_length(s); chr(65); s ^@ 'a'; concat(s, 'a'); concat_ws(',', s, 'a')
trim(s, 'x'); trim(both 'x' from s); ltrim(s, 'x')
s::integer; try_cast(s as date); cast(s as decimal(5,2)); s::double + 1; s::boolean; s::timestamp
strlen(s); ends_with(s, 'a'); lcase(s); character_length(s)
price + PRICE; t.PRICE + 1; "Mixed Case" + 1; "mixed case"; PRICE; t.price
""".replace("\n", ";").split(";")

STATEMENTS = [(f"SELECT {e.strip()} FROM t", MAP) for e in EXPRESSIONS if e.strip()] + [
    ("SELECT * FROM t", "source"),
    ("SELECT t.* FROM t", "source"),
    ("SELECT *, i8 FROM t", MAP),
    ("SELECT i8, i8 FROM t", MAP),
    ("SELECT i8 AS Foo, m price FROM t", MAP),
    ('SELECT i8 AS "a b", i16 AS "select" FROM t', MAP),
    ("SELECT i8 AS a, a + 1 AS c FROM t", MAP),
    ('SELECT i8 AS "name", name + 1, i16 AS "Key", Key + 1 FROM t', MAP),
    (
        "SELECT s AS \"value\", length(value), value LIKE 'a%', value || 'x', s AS kind, length(kind) FROM t",
        MAP,
    ),
    ('SELECT i8 AS "left", "left" * 2, i8 AS "KEY", "KEY" + 1, i8 AS count, count + 1 FROM t', MAP),
    ("SELECT x.i8 y FROM t x", MAP),
    ("SELECT x.i8 FROM t AS x WHERE x.i8 = 1", FILTER),
    ("SELECT i8 AS a FROM t WHERE a = 1", FILTER),
    ("SELECT i8 FROM t WHERE i8", FILTER),
    ("SELECT i8 FROM t WHERE null", FILTER),
    ("SELECT * FROM t WHERE b", "source > filter"),
    ("SELECT i8 FROM t LIMIT 10", "source > map > limit"),
    ("SELECT i8 FROM t LIMIT 10 OFFSET 2", "source > map > limit"),
    ("SELECT i8 FROM t OFFSET 2", "source > map > limit"),
    ("SELECT i8 FROM t LIMIT 1 + 1", "source > map > limit"),
    ("SELECT i8 FROM t LIMIT NULL", MAP),
    ("SELECT i8 FROM t LIMIT ALL", MAP),
    ("SELECT i8 FROM t FETCH FIRST 3 ROWS ONLY", "source > map > limit"),
    ("SELECT i8 FROM t ORDER BY i8", "source > map > order by"),
    ("SELECT i8 FROM t ORDER BY 1 DESC NULLS FIRST", "source > map > order by"),
    ("SELECT i8 FROM t ORDER BY i16", "source > map > order by > map"),
    ("SELECT i8 FROM t ORDER BY i16, -i8 LIMIT 3", "source > map > order by > limit > map"),
    ("SELECT i8 + 1 FROM t ORDER BY I8 + 1", "source > map > order by"),
    ("SELECT i8 AS a FROM t ORDER BY a + 1", "source > map > order by > map"),
    ("SELECT -i8 AS i8 FROM t ORDER BY i8", "source > map > order by"),
    ("SELECT DISTINCT i8 FROM t", "source > map > group by"),
    ("SELECT DISTINCT i8, i16 FROM t ORDER BY i16", "source > map > group by > order by"),
    ("SELECT count(*) FROM t", REDUCE),
    ("SELECT COUNT() FROM t", REDUCE),
    ("SELECT count(i8), sum(i8), sum(u64), sum(f), sum(m), sum(b) FROM t", REDUCE),
    ("SELECT avg(m), mean(i8), min(dt), max(ts), min(i8), max(m), min(b) FROM t", REDUCE),
    ("SELECT sum(m * (1 - m) * (1 + m)) FROM t", REDUCE),
    ("SELECT sum(i8) AS a, sum(i8) AS c FROM t", "source > reduce > map"),
    ("SELECT sum(i8) / sum(i16) FROM t", "source > reduce > map"),
    (
        "SELECT sum(m) / sum(m), 100.0 * sum(m) / count(*), avg(m) + 1, count(*) * 2 FROM t",
        "source > reduce > map",
    ),
    ("SELECT sum(i8) FILTER (WHERE b), count(*) FILTER (WHERE i8 > 1) FROM t", REDUCE),
    ("SELECT sum(case when b then i8 end) FROM t", REDUCE),
    (
        "SELECT count(DISTINCT i8), sum(DISTINCT m), avg(distinct f), min(DISTINCT dt), count(DISTINCT s), sum(DISTINCT d) FROM t",
        REDUCE,
    ),
    ("SELECT count(distinct i8) FILTER (WHERE b) FROM t", REDUCE),
    ("SELECT min(s), max(s) FILTER (WHERE b) FROM t", REDUCE),
    ("SELECT i8, max(s), min(DISTINCT lower(s)) FROM t GROUP BY i8", GROUP),
    (
        "SELECT i8, count(DISTINCT i16) AS n, count(*) FROM t GROUP BY i8 HAVING sum(DISTINCT m) > 1",
        "source > group by > filter > map",
    ),
    ("SELECT count(*) FROM t HAVING count(*) > 0", "source > reduce > filter"),
    ("SELECT count(*) FROM t ORDER BY count(*)", "source > reduce > order by"),
    ("SELECT count(*) AS c FROM t ORDER BY c", "source > reduce > order by"),
    ("SELECT 1, count(*) FROM t", "source > reduce > map"),
    ("SELECT i8 AS k, sum(i16) FROM t GROUP BY k", GROUP),
    ("SELECT i8 AS k, sum(i16) FROM t GROUP BY 1", GROUP),
    ("SELECT sum(i16), i8 FROM t GROUP BY i8", "source > group by > map"),
    ("SELECT i8 FROM t GROUP BY i8", GROUP),
    ("SELECT i8 + 1 FROM t GROUP BY i8", "source > group by > map"),
    ("SELECT i8 + 1 + i16 FROM t GROUP BY i8 + 1, i16", "source > group by > map"),
    (
        "SELECT i8 + 1, sum(i16) AS sm FROM t GROUP BY I8+1 HAVING sm > 1 ORDER BY sm DESC",
        "source > group by > filter > order by",
    ),
    (
        "SELECT i8 AS k, sum(i8) AS i16 FROM t GROUP BY i8, i16 HAVING i16 > 5",
        "source > group by > filter > map",
    ),
    (
        "SELECT i8, count(*) FROM t GROUP BY i8 ORDER BY sum(m), i8 LIMIT 5",
        "source > group by > order by > limit > map",
    ),
    ("SELECT i8 + 1 AS i8 FROM t GROUP BY i8", "source > group by > map"),
    (
        "SELECT s, b, year(dt) AS y, avg(d) FROM t WHERE m > 1 GROUP BY s, b, y ORDER BY y DESC, s",
        "source > filter > group by > order by",
    ),
    ("SELECT DISTINCT sum(i8) FROM t GROUP BY i16", "source > group by > map > group by > map"),
    (
        "SELECT sum(i8) OVER (), sum(m) OVER (ORDER BY i8), sum(f) over (partition by b ORDER BY i8 DESC NULLS FIRST), avg(m) OVER () "
        "FROM t",
        WINDOWS,
    ),
    (
        "SELECT count(*) OVER (), count(s) OVER (PARTITION BY b, i8 + 1), min(s) OVER (), max(dt) OVER (ORDER BY ts asc nulls last) "
        "FROM t",
        WINDOWS,
    ),
    (
        "SELECT row_number() OVER (), rank() OVER (ORDER BY i8), dense_rank() OVER (ORDER BY i8), lag(i8) OVER (ORDER BY i16), lead(s, 2) "
        "OVER (ORDER BY i16), first_value(m) OVER (ORDER BY i16), last_value(u8) OVER (ORDER BY i16) FROM t",
        WINDOWS,
    ),
    ("SELECT sum(i8) OVER (ORDER BY i8 ROWS UNBOUNDED PRECEDING) FROM t", WINDOW),
    ("SELECT sum(i8) OVER (ORDER BY i8 RANGE UNBOUNDED PRECEDING) FROM t", WINDOW),
    (
        "SELECT sum(i8) OVER (ORDER BY i8 ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t",
        WINDOW,
    ),
    (
        "SELECT sum(i8) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t",
        WINDOW,
    ),
    ("SELECT count(*) FILTER (WHERE b) OVER (PARTITION BY s) FROM t", WINDOW),
    ("SELECT lag(i8, 1, 0) OVER (ORDER BY i16) FROM t", WINDOW),
    (
        "SELECT sum(i8) OVER w, sum(i16) OVER (w ORDER BY i8) FROM t WINDOW w AS (PARTITION BY b)",
        "source > map > window > window > map",
    ),
    (
        "SELECT i8, sum(sum(i16)) OVER (ORDER BY i8), rank() OVER (ORDER BY count(*) DESC) FROM t GROUP BY i8",
        "source > group by > window > window > map",
    ),
    (
        "SELECT i8 FROM t ORDER BY rank() OVER (ORDER BY i16) LIMIT 3",
        "source > map > window > map > order by > limit > map",
    ),
    ("SELECT rank() OVER (ORDER BY i16) AS r, r + 1 FROM t", WINDOW),
    # Nested SELECTs, sets of rows and of groups: the steps are those on the way down the first inputs.
    ("SELECT x.* FROM (SELECT i8, i8, s AS i8, m * 2 FROM t) x", "source > map > map"),
    (
        "SELECT * FROM (SELECT s, sum(i8) AS q FROM t GROUP BY s) WHERE q > 1",
        "source > group by > filter",
    ),
    ("SELECT A, x.c FROM (SELECT i8, i16 AS c FROM t) AS x(A)", "source > map > map"),
    ("SELECT k FROM t AS x(k, l) WHERE l = 1", "source > filter > map"),
    ("SELECT count(*) FROM (SELECT DISTINCT s, b FROM t)", "source > map > group by > reduce"),
    (
        "WITH w AS (SELECT i8 AS a FROM t), z(q) AS (SELECT a + 1 FROM w) SELECT q, q * 2 FROM z",
        "source > map > map > map",
    ),
    (
        "WITH w AS (SELECT s, avg(m) AS v FROM t GROUP BY s) SELECT max(v) FROM w",
        "source > group by > reduce",
    ),
    ("SELECT w.i8 FROM (WITH w AS (SELECT i8 FROM t) SELECT * FROM w) w", "source > map"),
    ("SELECT i8 AS a, s FROM t UNION ALL SELECT i32, 'x' FROM t", "source > map > map > append"),
    ("SELECT i8 FROM t UNION SELECT m FROM t", "source > map > map > append > group by"),
    ("SELECT m FROM t UNION ALL SELECT i64 FROM t", "source > map > map > append"),
    ("SELECT u64 FROM t UNION ALL SELECT i64 FROM t", "source > map > map > append"),
    ("SELECT sum(i8) FROM t UNION ALL SELECT 0", "source > reduce > append"),
    ("SELECT NULL AS n UNION ALL SELECT s FROM t", "source > map > map > append"),
    ("SELECT b FROM t UNION ALL SELECT i8 FROM t", "source > map > map > append"),
    (
        "SELECT dt FROM t UNION ALL SELECT ts FROM t UNION ALL SELECT s FROM t",
        "source > map > map > append",
    ),
    (
        "SELECT f FROM t UNION SELECT m FROM t ORDER BY f DESC LIMIT 3",
        "source > map > append > group by > order by > limit",
    ),
    (
        "SELECT i8, b FROM t INTERSECT SELECT i16, b FROM t",
        "source > map > map > group by > map > join > map",
    ),
    (
        "SELECT i8 FROM t EXCEPT ALL SELECT i8 FROM t ORDER BY 1",
        "source > map > window > map > join > map > map > order by",
    ),
    (
        "(SELECT i8 AS a FROM t LIMIT 1) UNION ALL (SELECT i16 FROM t ORDER BY i16 LIMIT 2) ORDER BY a",
        "source > map > limit > map > append > order by",
    ),
    (
        "SELECT s, b, count(*), grouping(s), GROUPING_ID(s, b) FROM t GROUP BY ROLLUP (s, b)",
        "source > group by > map > append > map",
    ),
    (
        "SELECT i8 + 1, sum(m), avg(i8) FROM t GROUP BY CUBE (i8 + 1, b) HAVING grouping(b) = 1",
        "source > group by > map > append > filter > map",
    ),
    (
        "SELECT s AS k, max(dt) FROM t GROUP BY GROUPING SETS ((k, b), b, ()) ORDER BY k",
        "source > group by > map > append > map > order by",
    ),
    ("SELECT b, s, count(DISTINCT i8) FROM t GROUP BY b, ROLLUP (s)", "source > group by > append"),
    ("SELECT count(*) FROM t GROUP BY ()", "source > reduce"),
    ("SELECT 1 FROM t GROUP BY ()", "source > reduce > map"),
    ("SELECT s, grouping(s) FROM t GROUP BY s", "source > group by > map > map"),
    (
        "SELECT rank() OVER (PARTITION BY grouping(s) ORDER BY sum(i8)) FROM t GROUP BY ROLLUP (s)",
        "source > group by > map > append > map > window > map",
    ),
    (
        "SELECT i8 FROM t WHERE i8 > (SELECT avg(i8) FROM t)",
        "source > map > map > join > map > filter > map",
    ),
    (
        "SELECT (SELECT max(i8) FROM t), i8 + (SELECT min(m) AS q FROM t AS y WHERE b AND i8 > 1) AS z FROM t",
        "source > map > map > join > map > map > join > map > map",
    ),
    (
        "SELECT s, sum(i8) * 100 / (SELECT sum(i8) FROM t) FROM t GROUP BY s",
        "source > map > group by > map > join > map > map",
    ),
    (
        "SELECT count(*) FROM t HAVING count(*) > (SELECT 3)",
        "source > map > reduce > map > join > map > filter > map",
    ),
    (
        "SELECT (SELECT count(*) FROM t), (SELECT s FROM t ORDER BY i8 DESC LIMIT 1) AS least",
        "source > map > map > join > map > map > join > map > map > map",
    ),
    (
        "SELECT CASE WHEN (SELECT count(*) FROM t) > 0 THEN 'some' END AS k",
        "source > map > map > join > map > map > map",
    ),
    (
        "SELECT (SELECT DISTINCT max(i8) FROM t GROUP BY s HAVING count(*) > 1 LIMIT 1) FROM t",
        "source > map > map > join > map > map",
    ),
    ("VALUES (1, 'a', NULL), (2.5, 'b', DATE '2020-01-01')", "source"),
    (
        "SELECT x + 1, y FROM (VALUES (1, 'a'), (300, NULL)) v(x, y) ORDER BY x",
        "source > map > order by > map",
    ),
    (
        "SELECT t.i8, v.y FROM t JOIN (VALUES (1, 'a')) v(x, y) ON t.i8 = v.x",
        "source > join > map > map",
    ),
    (
        "SELECT t.i8 * 100 / z.total FROM t, (SELECT sum(i8) AS total FROM t) z",
        "source > map > join > map > map",
    ),
    (
        "SELECT i8 FROM t WHERE i8 IN (SELECT i8 FROM t UNION SELECT 3)",
        "source > map > join > map > map",
    ),
]


def literal(text):
    """As C++ literals of a line's length, which the compiler joins."""
    pieces = textwrap.wrap(
        text, 110, drop_whitespace=False, break_long_words=False, break_on_hyphens=False
    )
    return "\n   ".join(f'R"sql({piece})sql"' for piece in pieces)


def main():
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t({COLUMNS})")
    print("// Written by record_duckdb.py with DuckDB", duckdb.__version__ + ".")
    print(
        "#pragma once\n\nstruct Recorded { const char *statement, *steps, *columns; };\n\ninline constexpr Recorded recorded[] = {"
    )
    for statement, steps in STATEMENTS:
        description = connection.execute(statement).description
        columns = "; ".join(f"{name} {kind}" for name, kind, *_ in description)
        separator = " " if len(statement) + len(steps) < 110 else "\n   "
        print(f'  {{{literal(statement)},{separator}"{steps}",\n   {literal(columns)}}},')
    print("};")


main()

"""TIME, TIMESTAMP WITH TIME ZONE and INTERVAL: literals, casts, parts, arithmetic and zones, against DuckDB.

temporal_test.py QUERY_DRIVER PENSTOCK [--device ID] [--zone NAME] [--planner own]

Both run in one zone, that of --zone: CTest runs it in UTC and in New York, around its changes of the clocks.
"""

import os
import sys
import tempfile
import time

ZONE = sys.argv[sys.argv.index("--zone") + 1] if "--zone" in sys.argv else "UTC"
os.environ["TZ"] = ZONE  # before DuckDB reads it
time.tzset()

from driver import Tally, check_answers, drivers, test_options  # noqa: E402
from oracle import Oracle  # noqa: E402

ROWS = """
SELECT i AS id, i % 11 AS k,
    CASE WHEN i % 7 > 0 THEN TIME '00:00:01.5' + to_microseconds(i % 40 * 1234567891) END AS tm,
    CASE WHEN i % 5 > 0 THEN TIMESTAMPTZ '2020-03-07 20:15:30.25+00' + to_minutes(i % 97 * 35)
        + to_hours(i // 97 * 2841) END AS tz,
    CASE WHEN i % 6 > 0 THEN TIMESTAMPTZ '2020-10-31 22:00:00+00' + to_minutes(i % 61 * 41) END AS tz2,
    CASE WHEN i % 9 > 0 THEN TIMESTAMP '2020-03-07 22:30:00' + to_minutes(i % 50 * 30)
        + to_days((i // 50 * 119)::INT) END AS ts,
    CASE WHEN i % 8 > 0 THEN TIMESTAMP '2020-10-30 12:00:00.125' + to_minutes(i % 71 * 53) END AS ts2,
    CASE WHEN i % 4 > 0 THEN DATE '2019-12-25' + (i * 13 % 900)::INT END AS d,
    CASE WHEN i % 3 > 0 THEN to_months((i % 20)::INT) + to_days((i % 35)::INT)
        + to_microseconds((i % 50) * 1001000123) END AS iv,
    CASE WHEN i % 5 > 1 THEN to_days((i % 9)::INT) + to_hours(i % 30) END AS iv2,
    (i % 13 - 4)::INT AS n, (i % 17 - 5) / 4.0::DOUBLE AS f,
    (TIMESTAMP '2020-01-01' + to_hours(i * 31))::VARCHAR || ['', '+02', '-05:30', 'Z', ' Europe/Berlin', ' UTC'][i % 6 + 1] AS s,
    ['1 day', '2 months 3 hours', '-04:05:06.7', '1.5 years ago', '3 weeks 2 mins', '7'][i % 6 + 1] AS si,
    lpad((i % 24)::VARCHAR, 2, '0') || ':' || (i % 60)::VARCHAR || ['', ':07', ':07.125', ':59+03'][i % 4 + 1] AS st
FROM range({rows}) AS t(i)
"""

CONSTANTS = """
INTERVAL '1' MILLENNIUM ; INTERVAL 5 CENTURIES ; INTERVAL 3 QUARTERS ; INTERVAL '2' DECADE
TRY_CAST(TIMESTAMP 'infinity' AS TIME) ; TIMESTAMP 'infinity'::TIME ; CAST(DATE '2020-01-01' AS TIME)
TIMESTAMPTZ 'infinity' - TIMESTAMPTZ '2020-01-01' ; INTERVAL '1 month' * 99999999999
TIME '01:00' - TIME '02:00' ; TIME '01:00' + TIME '02:00' ; CAST(1 AS TIME) ; year(TIME '01:00')
date_trunc('minute', TIMESTAMPTZ 'infinity') ; date_trunc('day', TIMESTAMPTZ '-infinity')
INTERVAL '1' DAY BETWEEN '1 hour' AND '2 days' ; DATE '2020-01-01' IN (TIMESTAMPTZ '2020-01-01')
TIME '12:34:56.789' ; '1:2:3'::TIME ; TIME '24:00:00' ; CAST('2020-01-01 12:34:56' AS TIME)
TRY_CAST('x' AS TIME) ; TIMESTAMPTZ '2020-01-01 00:00:00+02'
TIMESTAMP WITH TIME ZONE '2020-07-01 12:00:00 Europe/Berlin' ; TIMESTAMPTZ '2020-01-01Z'
'2020-01-01 00:00:00Z'::TIMESTAMPTZ ; TIMESTAMPTZ '2020-01-01 00:00:00+05:30'
TIMESTAMPTZ '2020-01-01 10:11:12 utc' ; TIMESTAMPTZ '2020-03-08 02:30:00'
TIMESTAMPTZ '2020-11-01 01:30:00' ; TIMESTAMPTZ '2020-11-01 01:30:00-04'
TIMESTAMPTZ '1850-01-01' ; TIMESTAMPTZ '2099-07-01 12:00' ; TIMESTAMPTZ 'infinity'
TIMESTAMPTZ '-infinity' ; TIMESTAMPTZ 'epoch' ; TIMESTAMPTZ '0044-03-15 (BC) 10:11:12+00'
TIMESTAMPTZ '2020-01-01 10:11:12 GMT+5' ; TRY_CAST('x' AS TIMESTAMPTZ) ; INTERVAL '1' MONTH
INTERVAL 3 DAY ; INTERVAL '1 year 2 days' ; INTERVAL 1.5 SECOND ; INTERVAL '2' WEEK
INTERVAL '-3' DAY ; '1.5 months'::INTERVAL ; '1 day 2 hours ago'::INTERVAL ; '@ 1 day'::INTERVAL
'1'::INTERVAL ; '-12:34:56.5'::INTERVAL ; '0.3 months'::INTERVAL ; '1.23456789 days'::INTERVAL
'0.05 years'::INTERVAL ; '0.04 decades'::INTERVAL ; '-1.46 years'::INTERVAL ; '0.5 quarters'::INTERVAL
'5 usecs 3 msec'::INTERVAL ; '2 centuries 1 decade 1 mil'::INTERVAL ; CAST('1 day' AS INTERVAL)
TRY_CAST('x' AS INTERVAL) ; -INTERVAL '1' DAY ; INTERVAL '1 month' * 3 ; 3 * INTERVAL '1 month'
INTERVAL '5 months' / 3 ; INTERVAL '1 month 1 day' * 2.5 ; INTERVAL '7 days' / 2
INTERVAL '1 month' + INTERVAL '1 day' ; INTERVAL '1 month' - INTERVAL '1 day'
INTERVAL '1 month' = INTERVAL '30 days' ; INTERVAL '1 day' = '24:00:00'
INTERVAL '1 month' < INTERVAL '31 days'
INTERVAL '29 days' IN (INTERVAL '1 month', INTERVAL '29 days') ; to_years(1) ; to_months(14)
to_weeks(2) ; to_days(3) ; to_hours(30) ; to_seconds(1.5) ; to_milliseconds(1.5)
to_microseconds(7) ; to_centuries(1) ; DATE '2020-01-01' + TIME '01:02:03'
TIME '01:00' + INTERVAL '23 hours 30 minutes' ; TIME '01:00' - INTERVAL '2 hours'
TIME '24:00' + INTERVAL '1 hour' ; TIMESTAMPTZ '2020-03-07 02:30' + INTERVAL '1 day'
TIMESTAMPTZ '2020-03-07 02:30' + INTERVAL '24 hours'
TIMESTAMPTZ '2020-10-31 01:30' + INTERVAL '1 day'
TIMESTAMPTZ '2020-11-01 01:30:00-04' + INTERVAL '1 month'
TIMESTAMPTZ '2021-01-30 12:00' + INTERVAL '1 month 1 day'
TIMESTAMPTZ '2021-03-31 12:00' - INTERVAL '1 month 1 day'
TIMESTAMPTZ '2020-05-31 01:00' - TIMESTAMPTZ '2020-02-29 12:00'
TIMESTAMP '2020-02-29 12:00' - TIMESTAMP '2020-05-31 01:00'
DATE '2020-01-02' - TIMESTAMP '2020-01-01 10:00' ; TIMESTAMPTZ 'infinity' + INTERVAL 1 DAY
TIMESTAMPTZ '2020-01-01' - DATE '2019-12-31'
TIMESTAMP '2020-07-01 12:00' AT TIME ZONE 'Europe/Berlin'
TIMESTAMPTZ '2020-07-01 12:00' AT TIME ZONE 'europe/berlin'
timezone('Asia/Tokyo', TIMESTAMP '2020-07-01 12:00')
DATE '2020-07-01' AT TIME ZONE 'Asia/Kolkata' ; TIMESTAMPTZ '2020-01-01'::DATE
TIMESTAMP '2020-01-01 10:00'::TIME ; DATE '2020-03-08'::TIMESTAMPTZ
TIMESTAMPTZ '2020-07-01 12:00'::TIMESTAMP ; TIMESTAMPTZ 'infinity'::DATE
TIMESTAMPTZ '2020-07-01 12:00'::VARCHAR ; hour(TIME '24:00:00')
extract(second FROM TIME '05:06:07.5') ; epoch(TIME '05:06:07.5')
extract(millisecond FROM TIME '05:06:07.5') ; epoch_us(TIME '05:06:07.5')
epoch_ms(TIME '05:06:07.5') ; nanosecond(TIME '05:06:07.5')
date_part('year', INTERVAL '15 months 40 days 30:12:13.5') ; quarter(INTERVAL '-15 months')
decade(INTERVAL '300 months') ; hour(INTERVAL '30 hours') ; minute(INTERVAL '-90 minutes')
millisecond(INTERVAL '-90.5 seconds') ; epoch(INTERVAL '15 months 40 days 30:12:13.5')
epoch_ms(INTERVAL '15 months 40 days 30:12:13.5')
date_part('timezone', TIMESTAMPTZ '2020-07-01')
date_part('timezone_hour', TIMESTAMPTZ '2020-07-01') ; timezone(TIMESTAMPTZ '2020-01-01')
dayname(TIMESTAMPTZ '2020-07-01') ; monthname(TIMESTAMPTZ '2020-07-01')
last_day(TIMESTAMPTZ '2020-06-30 23:00')
date_trunc('hour', TIMESTAMPTZ '2020-11-01 01:30:00-04')
date_trunc('month', TIMESTAMPTZ '2020-11-15 12:00')
date_trunc('week', INTERVAL '15 months 40 days 30:12:13.5')
date_trunc('second', INTERVAL '15 months -40 days -30:12:13.5')
date_trunc('decade', INTERVAL '315 months')
date_diff('hour', TIME '05:06:07.5', TIME '07:00:00')
date_sub('hour', TIME '05:06:07.5', TIME '07:00:00')
date_diff('day', TIMESTAMPTZ '2020-03-07 23:00', TIMESTAMPTZ '2020-03-09 01:00')
date_sub('month', TIMESTAMPTZ '2020-06-30 23:00', TIMESTAMPTZ '2020-03-31 23:00')
date_diff('week', TIMESTAMPTZ '2020-03-06', TIMESTAMPTZ '2020-03-10')
age(TIMESTAMP '2020-05-31', TIMESTAMP '2020-02-29')
age(TIMESTAMP '2020-02-29 01:00', TIMESTAMP '2020-05-31 12:00:00.5')
age(DATE '2021-02-28', DATE '2020-02-29')
age(TIMESTAMPTZ '2020-12-31 23:00', TIMESTAMPTZ '2020-03-01 01:00')
age(TIMESTAMP 'infinity', TIMESTAMP '2020-01-01') ; date_add(DATE '2020-01-31', INTERVAL 1 MONTH)
date_add(TIMESTAMPTZ '2020-03-07 02:30', INTERVAL 1 DAY)
date_add(TIME '05:06:07.5', INTERVAL 1 HOUR)
strftime(TIMESTAMPTZ '2020-07-08 12:00', '%Y-%m-%d %H:%M %z %Z')
strftime('%c', TIMESTAMPTZ '2020-03-08 12:00') ; strftime(TIMESTAMPTZ 'infinity', '%Y')
to_timestamp(0) ; to_timestamp(1.5::DOUBLE) ; to_timestamp(-1.5) ; to_timestamp(0.1234567)
make_time(5, 6, 7.5) ; make_time(24, 0, 0) ; make_timestamptz(2020, 1, 2, 3, 4, 5.5)
make_timestamptz(2020, 1, 2, 3, 4, 5.5, 'Europe/Berlin')
make_timestamptz(2020, 13, 2, 3, 4, 5.5) ; make_timestamptz(1000000)
greatest(TIME '01:00', TIME '02:00') ; least(TIMESTAMPTZ '2020-01-01', TIMESTAMPTZ '2020-01-02')
greatest(TIMESTAMPTZ '2020-01-01', DATE '2020-01-02') ; isfinite(TIMESTAMPTZ 'infinity')
isinf(TIMESTAMPTZ 'infinity') ; TIMESTAMPTZ '2020-01-01' > '2019-01-01'
TIMESTAMPTZ '2020-01-01' > TIMESTAMP '2019-01-01' ; TIMESTAMPTZ '2020-01-01' = DATE '2020-01-01'
TIMESTAMPTZ '2020-01-01' BETWEEN '2019-01-01' AND '2020-01-01'
TIME '01:00' IN ('01:00:00', '02:00') ; normalized_interval(INTERVAL '40 days 30:00:00')
normalized_interval(INTERVAL '1 month -31 days') ; 'a' || TIME '01:00'
concat(INTERVAL 1 DAY, 'x')
CASE WHEN true THEN TIMESTAMPTZ '2020-01-01' ELSE DATE '2020-01-01' END
coalesce(NULL, TIME '01:00') ; nullif(TIME '01:00', '01:00') ; INTERVAL '1' DAY * NULL
time_bucket(INTERVAL '1 day', TIMESTAMPTZ '2020-03-08 12:00')
time_bucket(INTERVAL '1 month', TIMESTAMPTZ '2020-03-08 12:00')
time_bucket(INTERVAL '1 day', TIMESTAMPTZ '2020-03-08 12:00', 'Europe/Berlin')
time_bucket(INTERVAL '1 month', DATE '2020-03-08', INTERVAL '3 days')
time_bucket(INTERVAL '90 minutes', TIME '05:00')
"""

CLOCK = "hour minute second millisecond microsecond".split()
TRUNCATED = "millennium century decade year isoyear quarter month week day".split() + CLOCK
PARTS = (
    TRUNCATED
    + "dow isodow doy yearweek epoch era julian timezone timezone_hour timezone_minute".split()
)
UNITS = "century decade year quarter month week day".split() + CLOCK

# Expressions of the rows' columns.
EXPRESSIONS = """
tz::TIMESTAMP ; ts::TIMESTAMPTZ ; tz::DATE ; d::TIMESTAMPTZ ; ts::TIME ; tz::VARCHAR ; tm::VARCHAR
iv::VARCHAR ; s::TIMESTAMPTZ ; si::INTERVAL ; st::TIME ; TRY_CAST(si AS TIMESTAMPTZ)
TRY_CAST(s AS TIME) ; TRY_CAST(st AS INTERVAL) ; s::TIMESTAMP ; s::DATE
tz AT TIME ZONE 'Europe/Berlin' ; ts AT TIME ZONE 'Asia/Kolkata' ; d AT TIME ZONE 'UTC'
timezone('UTC', tz) ; (ts AT TIME ZONE 'America/New_York') AT TIME ZONE 'UTC' ; timezone(tz)
tz + iv ; tz - iv ; ts + iv ; ts - iv ; d + iv ; iv + d ; tm + iv ; tm - iv ; iv + iv2 ; iv - iv2
iv * n ; n * iv ; iv * f ; iv / 3 ; iv / (f + 10) ; -iv ; tz + INTERVAL 1 DAY
tz2 + INTERVAL '1 month 1 day' ; tz - INTERVAL '25 hours' ; ts + INTERVAL '1 month 1 day 3 hours'
tm + INTERVAL 90 MINUTE ; d + tm ; tm + d ; INTERVAL 2 DAY + tz ; ts - ts2 ; ts2 - ts ; tz - tz2
tz2 - tz ; ts - d ; d - ts ; tz - d ; ts - tz ; tz + to_days(n) ; ts - to_months(n)
tz + to_hours(n) ; d + to_weeks(n) ; to_years(n) ; to_quarters(n) ; to_months(n) ; to_weeks(n)
to_days(n) ; to_hours(n) ; to_minutes(n) ; to_seconds(f) ; to_milliseconds(f) ; to_microseconds(n)
to_seconds(n) ; age(ts, ts2) ; age(ts2, ts) ; age(tz, tz2) ; age(tz2, tz) ; age(d, ts)
date_add(tz, iv) ; date_add(d, iv) ; date_add(ts, INTERVAL 1 MONTH) ; dayname(tz) ; monthname(tz2)
last_day(tz) ; strftime(tz, '%Y-%m-%d %H:%M:%S.%f %z %Z %a %j') ; strftime(tz2, '%x %X %p %I')
epoch_ms(tz) ; epoch_us(tz) ; epoch_ns(tz) ; epoch(tz) ; epoch(iv) ; epoch_ms(iv) ; epoch_us(iv)
epoch(tm) ; epoch_us(tm) ; epoch_ms(tm) ; nanosecond(tm) ; nanosecond(tz) ; to_timestamp(f * 1e8)
to_timestamp(n) ; make_time(abs(n), id % 60, abs(f))
make_timestamptz(2020, abs(n) + 1, 3, abs(n), id % 60, abs(f))
make_timestamptz(2020, 3, 8, abs(n), id % 60, abs(f), 'America/New_York')
make_timestamptz(id * 1000000000) ; time_bucket(INTERVAL '1 day', tz)
time_bucket(INTERVAL '3 hours', tz2) ; time_bucket(INTERVAL '1 month', tz)
time_bucket(INTERVAL '2 months', ts) ; time_bucket(INTERVAL '1 day', tz, 'Europe/Berlin')
time_bucket(INTERVAL '1 week', d, INTERVAL '2 days') ; time_bucket(INTERVAL '90 minutes', tm)
time_bucket(INTERVAL '1 day', tz, TIMESTAMPTZ '2020-01-01 05:00:00+00') ; greatest(tz, tz2)
least(tz, ts) ; greatest(tm, TIME '05:00') ; coalesce(tz, ts::TIMESTAMPTZ) ; coalesce(tz, ts)
CASE WHEN n > 0 THEN tz ELSE d END ; CASE WHEN n > 0 THEN iv ELSE INTERVAL 1 DAY END
nullif(iv, INTERVAL '1 month') ; normalized_interval(iv) ; tz IS NULL ; isfinite(tz) ; tz > ts
tz < d ; tz = tz2 ; iv < iv2 ; iv >= INTERVAL '1 month' ; iv = iv2 ; tm < TIME '03:00'
iv IS DISTINCT FROM iv2 ; 'x' || tm ; concat(tz, ' ', iv) ; tm || iv ; year(tz + INTERVAL 1 YEAR)
hour(tz AT TIME ZONE 'Asia/Tokyo') ; date_trunc('day', tz)::DATE ; date_part('hour', ts::TIME)
iv * 2 + iv2 ; (tz - tz2) + ts ; (tz - INTERVAL 1 DAY)::DATE
"""

CONDITIONS = """
tz > '2020-03-10' ; tz >= TIMESTAMPTZ '2020-03-08 12:00:00'
tz BETWEEN '2020-03-08' AND '2020-03-09 12:00'
tz IN ('2020-03-08 02:35:30.25+00', '2020-03-07 20:15:30.25+00') ; tz > TIMESTAMP '2020-03-09'
tz > DATE '2020-03-09' ; tz = '2020-03-08 02:35:30.25+00' ; tz < ts ; tz::DATE = DATE '2020-03-08'
tz <> '2020-03-08' ; '2020-03-09' < tz ; tm > '02:00' ; tm = TIME '00:20:36.067891'
tm BETWEEN '01:00' AND '05:30:00' ; tm IN ('00:20:36.067891', '00:00:01.5') ; tm < '00:10'::TIME
iv > INTERVAL 2 DAY ; iv = '1 month' ; iv BETWEEN INTERVAL '1 day' AND INTERVAL '40 days'
iv IN (INTERVAL '1 month', INTERVAL '30 days') ; iv < '1 month' ; iv IS NOT NULL AND iv > iv2
hour(tz) = 3 ; year(iv) = 1 ; minute(tm) > 30 ; date_trunc('day', tz) = '2020-03-08'
tz + INTERVAL 1 DAY > '2020-03-10' ; ts - ts2 > INTERVAL '1 day'
date_diff('hour', tz, tz2) > 5000
"""


def parts_of(text):
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" ; ")]


def statements():
    for text in parts_of(CONSTANTS):
        yield f"SELECT {text} AS x"
        yield f"SELECT {text} FROM 'few.parquet' LIMIT 1"
    for text in parts_of(EXPRESSIONS):
        yield f"SELECT id, {text} AS x FROM 'rows.parquet' ORDER BY id"
    for column in ("tz", "tm", "iv", "tz2"):
        for part in PARTS:
            yield f"SELECT id, date_part('{part}', {column}) AS x FROM 'rows.parquet' ORDER BY id"
        for part in TRUNCATED:
            yield f"SELECT id, date_trunc('{part}', {column}) AS x FROM 'rows.parquet' ORDER BY id"
    for unit in UNITS:
        for name in ("date_diff", "date_sub"):
            yield f"SELECT id, {name}('{unit}', tz, tz2) AS x FROM 'rows.parquet' ORDER BY id"
            yield f"SELECT id, {name}('{unit}', tz2, tz) AS x FROM 'rows.parquet' ORDER BY id"
            yield f"SELECT id, {name}('{unit}', tz, ts) AS x FROM 'rows.parquet' ORDER BY id"
            yield f"SELECT id, {name}('{unit}', tm, TIME '12:00') AS x FROM 'rows.parquet' ORDER BY id"
    for text in parts_of(CONDITIONS):
        yield f"SELECT id FROM 'rows.parquet' WHERE {text} ORDER BY id"
        yield f"SELECT count(*) AS c FROM 'rows.parquet' WHERE NOT ({text})"
    for text in (
        "date_trunc('month', tz)",
        "tz::DATE",
        "hour(tz)",
        "tm + INTERVAL 1 HOUR",
        "ts - ts2",
        "iv * 2",
        "hour(iv)",
        "date_trunc('hour', tz2)",
    ):
        yield f"SELECT {text} AS x, count(*) AS c, sum(id) AS n FROM 'rows.parquet' GROUP BY 1 ORDER BY c, n, x"
        yield f"SELECT k, min({text}) AS a, max({text}) AS b FROM 'rows.parquet' GROUP BY k ORDER BY k"
        yield f"SELECT id, {text} AS x FROM 'rows.parquet' ORDER BY x DESC NULLS LAST, id LIMIT 20"
    yield from clauses()
    yield "SELECT * FROM 'rows.csv'"
    yield "SELECT tm, count(*) AS c FROM 'rows.csv' WHERE tz > '2020-03-09' GROUP BY tm ORDER BY tm"
    for column in ("s", "tz", "tm"):
        yield f"SELECT {column} FROM 'texts.csv'"
    yield "SELECT s, tm FROM read_csv('texts.csv', types = {'s': 'TIMESTAMPTZ', 'tm': 'TIME'})"
    yield "SELECT tz FROM 'few.parquet' UNION ALL SELECT ts FROM 'few.parquet' ORDER BY 1"
    yield "SELECT d FROM 'few.parquet' UNION SELECT tz FROM 'few.parquet' ORDER BY 1"
    yield "SELECT count(*) AS c FROM 'rows.parquet' a JOIN 'few.parquet' b ON a.tz::DATE = b.d"


def clauses():
    """Groups, joins, windows and subqueries over such values."""
    few, rows = "'few.parquet'", "'rows.parquet'"
    yield f"SELECT k, min(tz) - max(ts) AS x, max(tz) + max(iv) AS y FROM {rows} GROUP BY k ORDER BY k"
    yield f"SELECT k, max(tm) + INTERVAL 1 HOUR AS x FROM {rows} GROUP BY k HAVING max(tz) > '2020-03-09' ORDER BY k"
    yield f"SELECT count(*) FILTER (WHERE iv > INTERVAL '1 month') AS a, sum(CASE WHEN tz > ts THEN 1 ELSE 0 END) AS b FROM {rows}"
    yield f"SELECT count(*) AS c FROM {few} a JOIN {few} b ON a.tz = b.ts"
    yield f"SELECT count(*) AS c FROM {rows} a JOIN {few} b ON a.tz::DATE = b.tz2::DATE - 238"
    yield f"SELECT a.id, b.id AS o FROM {few} a JOIN {few} b ON a.tm = b.tm AND a.id <> b.id ORDER BY a.id, o"
    yield f"SELECT count(*) AS c FROM {rows} a JOIN (SELECT normalized_interval(iv) AS n FROM {few}) b ON a.iv = b.n"
    yield f"SELECT count(*) AS c, sum(a.id) AS n FROM {few} a LEFT JOIN {few} b ON a.tz = b.d"
    yield f"SELECT id FROM {few} WHERE ts IN (SELECT tz FROM {rows}) ORDER BY id"
    yield f"SELECT id FROM {few} WHERE tz > (SELECT min(ts) FROM {rows}) ORDER BY id"
    yield f"SELECT id FROM {few} WHERE tz::DATE IN (SELECT ts::DATE FROM {few}) ORDER BY id"
    yield f"SELECT id, lag(tz) OVER (ORDER BY id) - tz AS x FROM {few} ORDER BY id"
    yield f"SELECT id, max(tz + INTERVAL 1 DAY) OVER (PARTITION BY k ORDER BY id) AS x FROM {rows} ORDER BY id"
    yield f"SELECT id, rank() OVER (ORDER BY hour(tz), id) AS x FROM {rows} ORDER BY id"
    yield f"SELECT DISTINCT date_trunc('day', tz) AS x FROM {rows} ORDER BY x"
    yield f"SELECT DISTINCT hour(iv) AS x, minute(tm) AS y FROM {rows} ORDER BY x, y"
    inner = f"SELECT hour(tz) AS h, iv * 2 AS i FROM {rows}"
    yield f"SELECT h, count(*) AS c FROM ({inner}) x WHERE i > INTERVAL 20 DAY GROUP BY h ORDER BY h"
    inner = f"SELECT tz + iv AS t FROM {rows}"
    yield f"WITH x AS ({inner}) SELECT year(t) AS y, month(t) AS m, count(*) AS c FROM x GROUP BY y, m ORDER BY y, m"
    yield f"SELECT id, tz FROM {rows} ORDER BY tz AT TIME ZONE 'Asia/Tokyo' DESC NULLS LAST, id LIMIT 7"
    yield f"SELECT id, iv FROM {rows} ORDER BY iv DESC NULLS LAST, id LIMIT 30"
    yield f"SELECT id, iv - iv2 AS x FROM {rows} ORDER BY x, id LIMIT 300"
    yield f"SELECT id FROM {rows} WHERE tz BETWEEN ts AND d ORDER BY id"
    yield f"SELECT id, CASE iv WHEN INTERVAL '1 day' THEN 'one' ELSE iv::VARCHAR END AS x FROM {few} ORDER BY id"
    yield f"SELECT k, count(DISTINCT tz::DATE) AS a, count(DISTINCT tm) AS b FROM {rows} GROUP BY k ORDER BY k"
    values = "(TIMESTAMPTZ '2020-01-01', INTERVAL 1 DAY, TIME '01:00'), (TIMESTAMPTZ '2020-02-01', NULL, NULL)"
    yield f"SELECT * FROM (VALUES {values}) t(a, b, c)"
    yield "SELECT x::DATE AS d FROM (SELECT TIMESTAMPTZ '2020-03-08 23:30' AS x UNION ALL SELECT TIMESTAMPTZ '2020-11-01 01:30')"


def make_tables(oracle, folder):
    for name, rows in (("rows", 1500), ("few", 40)):
        text = ROWS.replace("{rows}", str(rows))
        oracle.connection.execute(
            f"COPY ({text}) TO '{folder}/{name}.parquet' (ROW_GROUP_SIZE 2048)"
        )
    oracle.connection.execute(
        f"COPY (SELECT id, tm, tz, tz2, ts, d FROM '{folder}/rows.parquet') TO '{folder}/rows.csv'"
    )
    oracle.connection.execute(
        f"COPY (SELECT id, s, '2020-03-08 0' || id % 9 || ':30:00' || ['', '-04', 'Z'][id % 3 + 1] AS tz,"
        f" (id % 25) || ':' || (id % 60) || ':01' AS tm FROM '{folder}/rows.parquet') TO '{folder}/texts.csv'"
    )


def refused_by_both(driver, tally, text):
    """What DuckDB refuses is an error here, too."""
    ours = driver.answer(text)
    tally.check(f"{driver.device}: {text}", "" if ours.error else "an answer in place of an error")


def main():
    options, tally = test_options(zone="UTC", planner="auto", only=""), Tally()
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(folder)
        make_tables(oracle, folder)
        cases = [(text, oracle.answer(text)) for text in statements() if options.only in text]
        for driver in drivers(options, folder, tally):
            driver.set(planner=options.planner)
            known = [(text, theirs) for text, theirs in cases if not theirs.error]
            check_answers(driver, tally, known, lambda place: (0, 640)[place % 2])
            for text, theirs in cases:
                if theirs.error:
                    refused_by_both(driver, tally, text)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Lists, structs and maps in SQL, against DuckDB: functions, UNNEST, aggregates, casts and comparisons.

nested_types_test.py QUERY_DRIVER PENSTOCK [--device ID] [--only WORD]
"""

import os
import random
import sys
import tempfile

import pyarrow
import pyarrow.parquet
from driver import Tally, check_answers, drivers, test_options
from oracle import Oracle

os.environ["TZ"] = "UTC"

ROWS = """
SELECT i AS id, i % 7 AS k, (i * 13 % 50)::INTEGER AS n, i::DOUBLE / 4 AS d,
    'v' || i % 5 || ',' || i % 3 || ',' AS v,
    CASE WHEN i % 6 > 0 THEN chr((97 + i % 26)::INTEGER) END AS w,
    CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN [] ELSE [i % 9, NULL, -(i % 4), i] END AS l,
    CASE i % 4 WHEN 0 THEN [] ELSE ['a' || i % 3, NULL, 'b,' || i % 2, '', 'it''s'] END AS t,
    [i % 3 > 0, NULL, i % 2 = 0] AS b,
    CASE WHEN i % 8 > 0 THEN [i::DOUBLE / 3, 'nan'::DOUBLE, -0.5, 'inf'::DOUBLE] END AS f,
    [(i % 100)::DECIMAL(9, 2) / 8, 1.25]::DECIMAL(9, 2)[] AS c,
    CASE WHEN i % 8 > 0 THEN {'a': i % 12, 'b': 'text ' || i % 3, 'c': [(i % 7)::DOUBLE / 2]} END AS s,
    {'order': i, 'A b': -i, 'q"x': 'y', 'Name': [i]} AS o,
    CASE WHEN i % 9 > 0 THEN MAP {'k' || (i % 3): i % 14, 'z': NULL} END AS m,
    [{'x': i % 21, 'y': NULL::VARCHAR}, {'x': NULL, 'y': 'q, "r"'}, NULL] AS ls,
    CASE WHEN i % 3 > 0 THEN [['a', 'b' || i % 4], [NULL], [], NULL] END AS ll,
    [DATE '2020-01-01' + (i % 9)::INTEGER, NULL] AS dl
FROM range({rows}) AS t(i)
"""

EXPRESSIONS = """
[n, 1, NULL] | [d, n] | [w, v] | [l, [n]] | [s] | list_value(id, NULL) | [NULL, n]::BIGINT[] | [1, 2, NULL]
{'x': id, 'y': l} | {'a': w, 'b': NULL::INTEGER} | row(id, v) | (l, id) | struct_pack(q := n, r := w) | row(w)
MAP {v: id} | MAP {'a': n, 'b': NULL} | map([id, n + 100], [v, w]) | MAP {'a': 1, 'b': 2} | map_from_entries([{'k': id, 'v': w}])
{'a': 1, 'b': [1, 2], 'c': {'d': 'x''y'}} | ['\\xAAz'::BLOB, NULL] | [uuid '10000000-0000-0000-0000-0000000000ff'] | [1::HUGEINT, NULL]
[1.5::DECIMAL(20, 3)] | [DATE '2020-01-01', NULL] | [[1], [2, NULL], NULL] | '\\x00ab'::BLOB | uuid '00000000-0000-0000-0000-000000000001'
o | o."order" | o['A b'] | o['q"x'] | o.Name | s.a | s.b | s['c'] | struct_extract(s, 'a') | s.c[1] | ls[1].x | ls[2].y | row(id, w)[2]
struct_extract(row(id, w), 1) | {'x': s}.x.b
l[1] | l[-1] | l[2] | l[0] | l[9] | l[-9] | l[n] | list_extract(l, 3) | list_element(t, 1) | t[4] | f[2] | ll[1] | ll[1][2] | c[1]
b[1] | dl[1]
l[1:2] | l[:2] | l[2:] | l[-2:] | l[:-2] | l[3:1] | l[n:n + 2] | l[1:4:2] | l[4:1:-1] | l[:2:-1] | l[3::-1] | list_slice(t, 1, 3)
l[-9:2] | l[0:1]
len(l) | length(t) | array_length(l) | array_length(l, 1) | len(ll) | cardinality(m) | len(v) | len(f)
list_contains(l, n) | list_has(t, 'a1') | n IN l | list_contains(l, NULL) | contains(t, w) | list_contains(ll, [NULL])
list_contains(f, 'nan'::DOUBLE) | contains(v, '1') | array_has(l, 3)
list_position(l, n) | list_position(l, NULL) | list_indexof(t, 'it''s') | array_position(f, -0.5)
list_concat(l, [n]) | l || [n] | t || [w] | list_concat(l, NULL) | list_cat(t, t) | l || l || l | v || w
list_append(l, n) | list_prepend(n, l) | array_push_back(t, w) | array_push_front(l, n) | array_pop_back(l) | array_pop_front(l)
list_append(l, NULL)
list_sort(l) | list_sort(t, 'DESC') | list_sort(l, 'DESC', 'NULLS FIRST') | list_reverse_sort(l) | list_reverse_sort(l, 'NULLS FIRST')
list_sort(f) | list_sort(ll) | list_grade_up(l) | list_sort(ls)
list_sort(list_distinct(l)) | list_unique(l) | list_unique(t) | list_reverse(l) | list_reverse(t) | list_sort(list_distinct(t))
list_sum(l) | list_min(l) | list_max(l) | list_avg(l) | list_count(l) | list_first(l) | list_last(l) | list_any_value(l) | list_min(t)
list_max(t) | list_sum(c) | list_avg(c) | list_max(f) | list_min(dl)
list_aggregate(l, 'sum') | list_sum(b::INTEGER[]) | list_bool_and(b) | list_bool_or(b) | list_product([n, 2]) | list_median(l)
list_histogram(t) | list_mode([n, n, 1]) | list_string_agg(t) | list_bit_or(l) | list_sum(f[3:3]) | list_stddev_pop([n, 1])
list_var_samp([n, 1, 2])
array_to_string(t, '-') | array_to_string(l, ', ') | list_aggr(t, 'string_agg', '|') | array_to_string([]::VARCHAR[], ',')
string_split(v, ',') | string_split(v, ',')[1] | string_split(w, '') | str_split(v, 'v') | len(string_split(v, ','))
string_to_array(v, NULL) | split('a b c', ' ')
range(n) | range(1, n) | range(n, 0, -3) | generate_series(1, n, 5) | generate_series(3, 1)
range(DATE '2020-01-01', DATE '2020-01-05', INTERVAL 1 DAY)
generate_series(TIMESTAMP '2020-01-01', TIMESTAMP '2020-01-02', INTERVAL 7 HOUR)
flatten(ll) | flatten([l, [n]]) | list_zip(l, t) | list_zip(l, [n], true) | list_zip([n], NULL::INTEGER[])
struct_insert(s, e := n) | struct_concat(s, {'z': n}) | struct_keys({'a': n, 'b': w}) | struct_values({'a': n, 'b': w})
list_resize(l, 2) | list_resize(l, 6) | list_resize(l, 6, n) | list_where([n, 1, 2], [true, false, true]) | list_select(t, [1, 3, 9])
list_intersect([n, 1, 2, 1], [1, n]) | list_has_any(l, [n, 1]) | list_has_all([1, n, 2], [n]) | l && [1] | [1, n] @> [n] | [n] <@ [n, 2]
m['k1'] | m['z'] | m[w] | element_at(m, 'k0') | map_extract(m, 'k2') | map_extract(m, 'nothing') | map_keys(m) | map_values(m)
map_entries(m) | map_contains(m, 'k1') | map_concat(m, MAP {'z': 5::BIGINT, 'y': 6})
l = [n] | l < [5] | l >= [n, NULL] | [n] > l | t <> ['a1'] | l IS NULL | l IS NOT DISTINCT FROM [n]
s = {'a': 1, 'b': 'text 1', 'c': [0.5]} | m = MAP {'k1': 1, 'z': NULL} | [n, NULL] < [n, 1] | [0.0, d] = [-0.0, d]
f = f | ['nan'::DOUBLE] = ['nan'::DOUBLE] | ['nan'::DOUBLE, d] > ['inf'::DOUBLE, d] | greatest(l, [n]) | least(t, ['b'])
l BETWEEN [1] AND [5] | ll < [['a']] | ls = ls | l IN ([1], [n, NULL]) | {'a': n, 'b': NULL} = {'a': n, 'b': NULL}
{'a': n} < {'a': NULL::INTEGER}
coalesce(l, []) | CASE WHEN n > 20 THEN l ELSE [] END | nullif(l, []) | if(n > 5, t, ['x']) | CASE WHEN n > 20 THEN s END
ifnull(t, ['none'])
l::VARCHAR | t::VARCHAR | s::VARCHAR | m::VARCHAR | ls::VARCHAR | ll::VARCHAR | f::VARCHAR | c::VARCHAR | dl::VARCHAR | row(w)::VARCHAR
[v, w]::VARCHAR | MAP {'a b': 'c=d', 'x,y': w}::VARCHAR
l::VARCHAR[] | l::DOUBLE[] | l::INTEGER[] | c::INTEGER[] | c::DOUBLE[] | dl::VARCHAR[] | dl::TIMESTAMP[] | f::VARCHAR[] | b::INTEGER[]
TRY_CAST(t AS INTEGER[]) | TRY_CAST([n, 300] AS TINYINT[]) | TRY_CAST(v AS INTEGER[]) | [n::VARCHAR]::INTEGER[]
s::STRUCT(a VARCHAR, b VARCHAR, c DOUBLE[]) | s::STRUCT(b VARCHAR, a DOUBLE) | row(id, w)::STRUCT(p BIGINT, q VARCHAR)
m::MAP(VARCHAR, DOUBLE) | {'a': n}::STRUCT(a INTEGER, z INTEGER)
('[' || n || ', NULL, 7]')::INTEGER[] | '[a, "b c", ''d''''e'', NULL, "NULL", , ]'::VARCHAR[]
('{a: ' || n || ', b: x y}')::STRUCT(a INTEGER, b VARCHAR) | '{b: x, a: 1}'::STRUCT(a INTEGER, b VARCHAR)
'{k=1, "a b"=2}'::MAP(VARCHAR, INTEGER) | '[[1, 2], [], [NULL]]'::INTEGER[][] | '{}'::STRUCT(a INTEGER)
'(1, x)'::STRUCT(a INTEGER, b VARCHAR) | '[]'::INTEGER[] | TRY_CAST('[1, x]' AS INTEGER[])
['a', 'b,c', 'd''e', 'NULL', '', ' x', 'a"b', 'a\\b', 'a:b', '[', '{', '=', '(', 'é', 'null']::VARCHAR
['nan'::DOUBLE, 'inf'::DOUBLE, 1e300, 1.0, 1e-7]::VARCHAR | [true, NULL]::VARCHAR | {'a': NULL, 'b': [NULL::INTEGER]}::VARCHAR
"""

LAMBDAS = """
list_transform(l, lambda x: x + 1) | list_transform(l, lambda x: x + n) | list_transform(t, lambda x: upper(x))
list_transform(l, lambda x, i: x * i) | list_transform([n], lambda x: [x, n]) | list_apply(t, lambda x: len(x))
list_filter(l, lambda x: x > 1) | list_filter(l, lambda x: x IS NOT NULL) | list_filter(t, lambda x: x LIKE 'a%')
list_filter(l, lambda x, i: i > 1) | [x * 2 FOR x IN l IF x > 0] | list_filter(l, lambda x: x = n)
list_reduce([n, 2, 3], lambda x, y: x + y) | list_reduce([n, 2, 3], lambda x, y: x * y + id)
list_reduce([1, n], lambda x, y: x + y, 100) | list_transform(ll, lambda x: list_transform(x, lambda y: y || 'z'))
"""

STATEMENTS = """
SELECT id, unnest(l) AS x FROM 'few.parquet' ORDER BY id, x
SELECT unnest(l) AS x, id, unnest([n, 2]) AS y FROM 'few.parquet' ORDER BY id, x, y
SELECT unnest(l) AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x
SELECT id, x FROM 'few.parquet', UNNEST(l) AS u(x) ORDER BY id, x
SELECT a.id, u.x FROM 'few.parquet' a, UNNEST(a.t) AS u(x) WHERE u.x LIKE 'a%' ORDER BY a.id, u.x
SELECT a.id, u.x FROM 'few.parquet' a LEFT JOIN UNNEST(a.l) AS u(x) ON true ORDER BY a.id, u.x
SELECT a.id, (SELECT sum(x) FROM UNNEST(a.l) u(x)) AS y FROM 'few.parquet' a ORDER BY a.id
SELECT a.id, (SELECT count(*) FROM UNNEST(string_split(a.v, ',')) u(x) WHERE x <> '') AS y FROM 'few.parquet' a ORDER BY a.id
SELECT a.id, u.x, u.o FROM 'few.parquet' a, UNNEST(a.l) WITH ORDINALITY AS u(x, o) ORDER BY a.id, u.o
SELECT unnest(s) FROM 'few.parquet' ORDER BY id
SELECT id, unnest(ls).x AS x FROM 'few.parquet' ORDER BY id, x
SELECT id, unnest(ls, recursive := true) FROM 'few.parquet' ORDER BY ALL
SELECT id, unnest(map_keys(m)) AS k, unnest(map_values(m)) AS v FROM 'few.parquet' ORDER BY ALL
SELECT id, unnest(map_entries(m)) AS e FROM 'few.parquet' ORDER BY ALL
SELECT id, unnest(ll, recursive := true) AS e FROM 'few.parquet' ORDER BY ALL
SELECT unnest([1, 2, NULL]) AS x
SELECT x FROM UNNEST([3, 1, 2]) u(x) ORDER BY x
SELECT x FROM (SELECT unnest(range(5)) AS x) WHERE x > 2 ORDER BY x
SELECT id, unnest([]::INTEGER[]) AS x FROM 'few.parquet'
SELECT count(*) AS c FROM (SELECT unnest(l) AS x FROM 'rows.parquet') WHERE x IS NULL
SELECT sum(x) AS s FROM (SELECT unnest(l) AS x FROM 'rows.parquet')
SELECT a.id, count(*) AS c FROM 'rows.parquet' a, UNNEST(a.l) u(x) JOIN 'few.parquet' b ON b.id = u.x GROUP BY a.id ORDER BY a.id
SELECT k, list(n ORDER BY id) AS x FROM 'rows.parquet' GROUP BY k ORDER BY k
SELECT k, array_agg(w ORDER BY id DESC) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT list(w ORDER BY id) AS x FROM 'few.parquet'
SELECT list(l ORDER BY id) AS x, list(s ORDER BY id) AS y, list(d ORDER BY id) AS z FROM 'few.parquet'
SELECT k, list(n ORDER BY id) FILTER (WHERE n > 25) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT k, list_sort(list(DISTINCT n % 3)) AS x FROM 'rows.parquet' GROUP BY k ORDER BY k
SELECT k, list(DISTINCT n % 3 ORDER BY n % 3) AS x FROM 'rows.parquet' GROUP BY k ORDER BY k
SELECT list(n ORDER BY n DESC, id) AS x FROM 'few.parquet' WHERE id < 0
SELECT k, list_sort(list(n)) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT k, histogram(n % 4) AS x FROM 'rows.parquet' GROUP BY k ORDER BY k
SELECT histogram(w) AS x FROM 'rows.parquet'
SELECT k, histogram(w) FILTER (WHERE n > 30) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT k, map_from_entries(list((id, w) ORDER BY id)) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT k, len(list(n)) AS c, sum(n) AS s FROM 'rows.parquet' GROUP BY k ORDER BY k
SELECT id, list(n) OVER (PARTITION BY k ORDER BY id ROWS UNBOUNDED PRECEDING) AS x FROM 'few.parquet' ORDER BY id
SELECT id, l FROM 'rows.parquet' WHERE len(l) > 3 AND l[1] > 4 ORDER BY id
SELECT id FROM 'rows.parquet' WHERE list_contains(l, 3) ORDER BY id
SELECT id, s.a AS a FROM 'rows.parquet' WHERE s.b = 'text 1' ORDER BY s.a, id LIMIT 20
SELECT s.b AS b, sum(s.a) AS a, count(*) AS c FROM 'rows.parquet' GROUP BY s.b ORDER BY b
SELECT l[1] AS x, max(d) AS d FROM 'rows.parquet' GROUP BY l[1] ORDER BY x
SELECT a.id, b.id AS c FROM 'few.parquet' a JOIN 'few.parquet' b ON a.s.a = b.id ORDER BY a.id
SELECT id, x FROM (SELECT id, list_transform_free AS x FROM (SELECT id, l[2:3] AS list_transform_free FROM 'few.parquet')) ORDER BY id
SELECT count(DISTINCT [x, -x]) AS c FROM (SELECT unnest([0.0, -0.0, 1.0]::DOUBLE[]) AS x)
SELECT [n % 3] AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x DESC
SELECT {'a': n % 3, 'b': w} AS x, count(*) AS c FROM 'rows.parquet' GROUP BY x ORDER BY x
SELECT id FROM 'rows.parquet' ORDER BY l NULLS FIRST, id LIMIT 30
SELECT id FROM 'rows.parquet' ORDER BY s DESC, id LIMIT 30
SELECT string_agg(x::VARCHAR, ';' ORDER BY id, x) AS y FROM (SELECT id, unnest(l) AS x FROM 'few.parquet')
SELECT * FROM (VALUES ([1, 2], {'a': 1}), (NULL, {'a': 2})) v(x, y) ORDER BY ALL
SELECT min(l) AS a, max(t) AS b, arg_max(l, id) AS c FROM 'rows.parquet'
SELECT id, lag(l) OVER (ORDER BY id) AS x, len(l) AS y FROM 'few.parquet' ORDER BY id
SELECT e.* FROM (SELECT unnest(ls) AS e FROM 'few.parquet') ORDER BY ALL
SELECT unnest(NULL) AS x
SELECT unnest(NULL::INTEGER[]) AS x
SELECT id, unnest(l) AS x FROM 'few.parquet' ORDER BY id, x LIMIT 5
SELECT x FROM (SELECT id, unnest(l) AS x FROM 'few.parquet' LIMIT 3)
SELECT id, unnest(l) AS x, row_number() OVER (ORDER BY id) AS r FROM 'few.parquet' ORDER BY ALL
SELECT id, sum(x) OVER (PARTITION BY id) AS y FROM (SELECT id, unnest(l) AS x FROM 'few.parquet') ORDER BY ALL
SELECT DISTINCT unnest(t) AS x FROM 'few.parquet' ORDER BY x
SELECT unnest(t) AS x FROM 'few.parquet' EXCEPT SELECT 'a1' ORDER BY x
SELECT a.id FROM 'few.parquet' a WHERE EXISTS (SELECT 1 FROM UNNEST(a.l) u(x) WHERE x = 3) ORDER BY a.id
SELECT a.id FROM 'few.parquet' a WHERE 3 IN (SELECT unnest(a.l)) ORDER BY a.id
SELECT id, [x FOR x IN l IF x IS NOT NULL] AS y FROM 'few.parquet' ORDER BY id
SELECT k, list(DISTINCT w ORDER BY w) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT k, list(DISTINCT l ORDER BY l NULLS FIRST) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT k, n % 2 AS p, list(id ORDER BY id) AS x FROM 'few.parquet' GROUP BY ROLLUP (k, p) ORDER BY ALL
SELECT list(x ORDER BY x) AS y FROM (SELECT unnest([3, 1, NULL, 2]) AS x)
SELECT k, list({'a': id, 'b': w} ORDER BY id) AS x FROM 'few.parquet' GROUP BY k ORDER BY k
SELECT id, list(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS x FROM 'few.parquet' ORDER BY id
SELECT id, list(w) FILTER (WHERE n > 9) OVER (PARTITION BY k ORDER BY id) AS x FROM 'few.parquet' ORDER BY id
SELECT a.id, b.id AS c FROM 'few.parquet' a JOIN 'few.parquet' b ON list_contains(a.l, b.id) ORDER BY ALL
SELECT id, CASE WHEN l IS NULL THEN 'none' ELSE l[1]::VARCHAR END AS x FROM 'few.parquet' ORDER BY id
SELECT id FROM 'few.parquet' WHERE l = (SELECT max(l) FROM 'few.parquet') ORDER BY id
SELECT upper(t[1]) AS x, count(*) AS c FROM 'rows.parquet' GROUP BY ALL ORDER BY ALL
SELECT length(s.b) + s.a AS x FROM 'few.parquet' ORDER BY id
SELECT id, s FROM 'few.parquet' WHERE s.c[1] > 1 AND m['z'] IS NULL ORDER BY id
SELECT sum(list_sum(l)) AS x, avg(len(t)) AS y FROM 'rows.parquet'
SELECT id, list_transform(l, lambda x: CASE WHEN x > 3 THEN 'big' ELSE w END) AS y FROM 'few.parquet' ORDER BY id
SELECT id, list_transform(ls, lambda e: e.x) AS y FROM 'few.parquet' ORDER BY id
SELECT id, list_filter(map_entries(m), lambda e: e.value > 2) AS y FROM 'few.parquet' ORDER BY id
SELECT * FROM (SELECT id, l FROM 'few.parquet') PIVOT (count(*) FOR id IN (1, 2)) ORDER BY ALL
SELECT id, l FROM 'few.parquet' UNION ALL SELECT id, [n] FROM 'few.parquet' ORDER BY ALL
SELECT id, [n, 1.5] AS x, [n, id] AS y FROM 'few.parquet' ORDER BY id
SELECT list_sort(list(DISTINCT x)) AS y FROM 'few.parquet', UNNEST(t) u(x)
SELECT quantile_cont(n, 0.5) AS q, list_sort(list(k)) AS l FROM 'few.parquet'
SELECT id, x.a AS a FROM (SELECT id, unnest([s, s]) AS x FROM 'few.parquet') ORDER BY ALL
SELECT id, generate_subscripts(l, 1) AS i FROM 'few.parquet' ORDER BY ALL
SELECT l[1] AS a, l[2] AS b FROM (SELECT range(n) AS l FROM 'few.parquet' ORDER BY id)
SELECT count(*) AS c FROM range(10) r(i), UNNEST(range(i)) u(x)
SELECT i, x FROM range(4) r(i), UNNEST(range(i)) u(x) ORDER BY ALL
SELECT date_trunc('month', dl[1]) AS x FROM 'few.parquet' ORDER BY id
SELECT [dl[1], NULL] = dl AS x FROM 'few.parquet' ORDER BY id
SELECT array_slice(v, 1, 2) AS x, v[1] AS y FROM 'few.parquet' ORDER BY id
SELECT id FROM 'few.parquet' WHERE (k, n) IN (SELECT k, max(n) FROM 'few.parquet' GROUP BY k) ORDER BY id
SELECT id FROM 'few.parquet' WHERE (k, n) = (1, 13) ORDER BY id
SELECT (k, n) < (3, 5) AS x FROM 'few.parquet' ORDER BY id
"""

TREES = """
SELECT * FROM 'trees.parquet' ORDER BY id
SELECT id, large[1] AS a, fixed[2] AS b, len(deep) AS c FROM 'trees.parquet' ORDER BY id
SELECT id, unnest(deep) AS x FROM 'trees.parquet' ORDER BY id, x
SELECT id, unnest(deep).p AS p FROM 'trees.parquet' ORDER BY id, p
SELECT id, u.x.q[1] AS q FROM 'trees.parquet' t, UNNEST(t.deep) u(x) ORDER BY ALL
SELECT large, count(*) AS c FROM 'trees.parquet' GROUP BY large ORDER BY large
SELECT list_sum(fixed) AS s, list_max(large) AS m, id FROM 'trees.parquet' ORDER BY id
SELECT id, deep::VARCHAR AS x, fixed::DOUBLE[] AS y FROM 'trees.parquet' ORDER BY id
SELECT id FROM 'trees.parquet' ORDER BY lists, id
SELECT id FROM 'trees.parquet' ORDER BY deep DESC NULLS LAST, large, id
SELECT lists, count(*) AS c, min(id) AS i FROM 'trees.parquet' GROUP BY lists ORDER BY i
SELECT count(*) AS c FROM 'trees.parquet' a JOIN 'trees.parquet' b ON a.large = b.large
SELECT count(*) AS c FROM 'trees.parquet' a JOIN 'trees.parquet' b ON a.lists < b.lists AND a.fixed > b.fixed
SELECT a.id, count(*) AS c FROM 'trees.parquet' a, 'trees.parquet' b WHERE a.deep <= b.deep GROUP BY a.id ORDER BY a.id
SELECT id, list_sort(lists) AS x, list_sort(large, 'DESC', 'NULLS FIRST') AS y FROM 'trees.parquet' ORDER BY id
SELECT id, flatten(lists) AS x, list_max(lists) AS y, lists[1][2:3] AS z FROM 'trees.parquet' ORDER BY id
SELECT id, lists::VARCHAR::BIGINT[][][] = lists AS x, deep::VARCHAR AS y FROM 'trees.parquet' ORDER BY id
SELECT id, whole FROM 'legacy.parquet' ORDER BY id
SELECT id, unnest(whole) AS x FROM 'legacy.parquet' ORDER BY id, x
"""

# DuckDB refuses these rows, and so do we.
FAULTS = """
SELECT ('[' || w || ']')::INTEGER[] AS x FROM 'rows.parquet'
SELECT [n + 300]::TINYINT[] AS x FROM 'rows.parquet'
SELECT map([n, n], [1, 2]) AS x FROM 'few.parquet'
SELECT map([w], [1]) AS x FROM 'few.parquet'
SELECT map([n, 1], [n]) AS x FROM 'few.parquet'
SELECT list_where([n], [NULL]::BOOLEAN[]) AS x FROM 'few.parquet'
SELECT list_reduce([]::INTEGER[], lambda x, y: x + y) AS x FROM 'few.parquet'
SELECT list_transform([n], lambda x: (x + 2000000000) * 2) AS x FROM 'few.parquet'
SELECT '{a: 1, c: 2}'::STRUCT(a INTEGER) AS x
SELECT '[1'::INTEGER[] AS x
SELECT s.nothing AS x FROM 'few.parquet'
SELECT list_sum(t) AS x FROM 'few.parquet'
"""

# Each is refused by the name beside it.
REFUSED = {
    "SELECT struct_update(s, a := 1) AS x FROM 'few.parquet'": "struct_update",
    "SELECT list_cosine_similarity([n, 1.0], [1.0, 2.0]) AS x FROM 'few.parquet'": "list_cosine_similarity",
    "SELECT regexp_extract_all(w, 'a') AS x FROM 'few.parquet'": "regexp_extract_all",
    "SELECT list_entropy(l) AS x FROM 'few.parquet'": "list_aggr",
    "SELECT quantile_cont(n, [0.1, 0.5]) AS x FROM 'few.parquet'": "quantile_cont",
}


def random_list(choice, depth):
    if choice.random() < 0.15:
        return None
    if depth == 0:
        return choice.choice([0, 1, -1, 7, 2**40, -(2**62), None])
    return [random_list(choice, depth - 1) for _ in range(choice.choice([0, 1, 2, 5]))]


def make_trees(folder, choice):
    """Types that DuckDB does not write: large and fixed lists, lists of structs of lists."""
    deep = pyarrow.list_(
        pyarrow.struct([("p", pyarrow.int32()), ("q", pyarrow.list_(pyarrow.string()))])
    )
    structs = [
        None
        if choice.random() < 0.2
        else [
            None
            if choice.random() < 0.2
            else {"p": choice.choice([1, 2, None]), "q": choice.choice([None, [], ["x", None, ""]])}
            for _ in range(choice.randrange(4))
        ]
        for _ in range(200)
    ]
    columns = {
        "id": pyarrow.array(range(200)),
        "large": pyarrow.array(
            [random_list(choice, 1) for _ in range(200)], pyarrow.large_list(pyarrow.int64())
        ),
        "fixed": pyarrow.array(
            [[i, i + 1, None] for i in range(200)], pyarrow.list_(pyarrow.int32(), 3)
        ),
        "deep": pyarrow.array(structs, deep),
        "lists": pyarrow.array(
            [random_list(choice, 3) for _ in range(200)],
            pyarrow.list_(pyarrow.list_(pyarrow.list_(pyarrow.int64()))),
        ),
    }
    pyarrow.parquet.write_table(
        pyarrow.table(columns), f"{folder}/trees.parquet", row_group_size=64
    )
    legacy = pyarrow.table(
        {"id": columns["id"], "whole": columns["large"].cast(pyarrow.list_(pyarrow.int64()))}
    )
    pyarrow.parquet.write_table(legacy, f"{folder}/legacy.parquet", use_compliant_nested_type=False)


def make_tables(oracle, folder):
    for name, rows in (("rows", 3000), ("few", 45)):
        text = ROWS.replace("{rows}", str(rows))
        oracle.connection.execute(
            f"COPY ({text}) TO '{folder}/{name}.parquet' (ROW_GROUP_SIZE 2048)"
        )
    make_trees(folder, random.Random(7))


def statements():
    for line in (EXPRESSIONS + LAMBDAS).strip().split("\n"):
        for expression in line.split(" | "):
            if expression:
                yield f"SELECT id, {expression.strip()} AS x FROM 'few.parquet' ORDER BY id"
    for text in (STATEMENTS + TREES).strip().split("\n"):
        yield text


def check_refusals(driver, oracle, tally):
    for text in FAULTS.strip().split("\n"):
        assert oracle.answer(text).error, text
        ours = driver.answer(text)
        is_refused = ours.error and ours.error != "crash"
        tally.check(f"{driver.device}: {text}", None if is_refused else "no error")
    for text, name in REFUSED.items():
        ours = driver.answer(text)
        is_named = ours.error == "unsupported" and name in ours.message
        tally.check(
            f"{driver.device}: {text}", None if is_named else f"{ours.error} {ours.message}"
        )


def main():
    options, tally = test_options(only=""), Tally()
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(folder)
        make_tables(oracle, folder)
        cases = [
            (text, oracle.answer(text)) for text in statements() if text and options.only in text
        ]
        for driver in drivers(options, folder, tally):
            driver.set(planner="auto")
            check_answers(driver, tally, cases, lambda place: (0, 640)[place % 2])
            if not options.only:
                check_refusals(driver, oracle, tally)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())

"""A tree of files of every format for many_files_test.py, and the statements over them."""

import gzip
import json

import pyarrow
import pyarrow.parquet


def _table(first, rows, **more):
    numbers = list(range(first, first + rows))
    return {"n": numbers, "w": [f"word {n % 3}" for n in numbers], **more}


def _csv(path, columns, delimiter=","):
    rows = [list(columns), *zip(*columns.values())]
    path.write_text(
        "".join(delimiter.join("" if v is None else str(v) for v in row) + "\n" for row in rows)
    )


def _parquet(path, columns, **types):
    arrays = {name: pyarrow.array(values, types.get(name)) for name, values in columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), path)


def _lines(path, columns):
    rows = zip(*columns.values())
    path.write_text("".join(json.dumps(dict(zip(columns, row))) + "\n" for row in rows))


def make_tree(folder):
    for name in ["csv", "parquet", "json", "mixed", "empty", "deep/a/b", "deep/c", "packed", "odd"]:
        (folder / name).mkdir(parents=True)
    for part in range(3):
        _csv(folder / f"csv/p{part}.csv", _table(part * 10, 4))
        _parquet(folder / f"parquet/p{part}.parquet", _table(part * 10, 5))
        _lines(folder / f"json/p{part}.json", _table(part * 10, 3))
    _csv(folder / "csv/p10.csv", _table(100, 2))
    _csv(folder / "deep/a/b/x.csv", _table(1, 2))
    _csv(folder / "deep/a/y.csv", _table(3, 2))
    _csv(folder / "deep/c/z.csv", _table(5, 2))
    (folder / "deep/.hidden.csv").write_text("n,w\n99,never\n")
    _mixed(folder / "mixed")
    _odd(folder / "odd")
    _hive(folder)
    packed = (folder / "csv/p0.csv").read_bytes()
    (folder / "packed/p0.csv.gz").write_bytes(gzip.compress(packed))
    (folder / "packed/p1.csv.gz").write_bytes(gzip.compress((folder / "csv/p1.csv").read_bytes()))
    (folder / "packed/p0.json.gz").write_bytes(
        gzip.compress((folder / "json/p0.json").read_bytes())
    )


def _mixed(folder):
    """Files of one table with columns that differ by place, number, type and case."""
    _csv(folder / "swap0.csv", {"n": [1, 2], "w": ["a", "b"]})
    _csv(folder / "swap1.csv", {"w": ["c", "d"], "n": [3, 4]})
    _csv(folder / "more0.csv", {"n": [1, 2]})
    _csv(folder / "more1.csv", {"n": [3, 4], "extra": ["c", "d"]})
    _csv(folder / "less0.csv", {"n": [1, 2], "extra": ["a", "b"]})
    _csv(folder / "less1.csv", {"n": [3, 4]})
    _csv(folder / "wide0.csv", {"n": [1, 2]})
    _csv(folder / "wide1.csv", {"n": ["3", "four"]})
    _csv(folder / "real0.csv", {"n": [1, 2]})
    _csv(folder / "real1.csv", {"n": [3.5, 4.5]})
    _csv(folder / "real_first0.csv", {"n": [3.5, 4.5]})
    _csv(folder / "real_first1.csv", {"n": [1, 2]})
    _csv(folder / "case0.csv", {"n": [1], "W": ["a"]})
    _csv(folder / "case1.csv", {"N": [2], "w": ["b"]})
    _csv(folder / "dialect0.csv", {"n": [1], "w": ["a"]})
    _csv(folder / "dialect1.csv", {"n": [2], "w": ["b"]}, ";")
    (folder / "header0.csv").write_text("n,w\n1,a\n")
    (folder / "header1.csv").write_text("2,b\n3,c\n")
    (folder / "none0.csv").write_text("n,w\n")
    _csv(folder / "none1.csv", {"n": [2], "w": ["b"]})
    _parquet(folder / "type0.parquet", {"n": [1, 2]}, n=pyarrow.int32())
    _parquet(folder / "type1.parquet", {"n": [2**40, 4]}, n=pyarrow.int64())
    _parquet(folder / "back0.parquet", {"n": [2**40, 4]}, n=pyarrow.int64())
    _parquet(folder / "back1.parquet", {"n": [1, 2]}, n=pyarrow.int32())
    _parquet(folder / "text0.parquet", {"n": [1, 2]})
    _parquet(folder / "text1.parquet", {"n": ["3", "4"]})
    _parquet(folder / "swap0.parquet", {"n": [1], "w": ["a"]})
    _parquet(folder / "swap1.parquet", {"w": ["b"], "n": [2]})
    _parquet(folder / "less0.parquet", {"n": [1], "w": ["a"]})
    _parquet(folder / "less1.parquet", {"n": [2]})
    _parquet(folder / "more0.parquet", {"n": [1]})
    _parquet(folder / "more1.parquet", {"n": [2], "w": ["b"]})
    _lines(folder / "keys0.json", {"n": [1], "w": ["a"]})
    _lines(folder / "keys1.json", {"w": ["b"], "extra": [2.5]})


def _odd(folder):
    """Names with signs of patterns, blanks and other scripts."""
    for number, name in enumerate(
        ["a b.csv", "größe.csv", "q[1].csv", "s*r.csv", "it's.csv", "UP.CSV"]
    ):
        _csv(folder / name, {"n": [number], "w": [f"file {number}"]})


def _hive(folder):
    years = {"2023": ["1", "2"], "2024": ["1"]}
    for year, months in years.items():
        for month in months:
            leaf = folder / f"hive/year={year}/month={month}"
            leaf.mkdir(parents=True)
            _parquet(leaf / "data.parquet", _table(int(year) + int(month), 2))
            (folder / f"hive_csv/year={year}/month={month}").mkdir(parents=True)
            _csv(folder / f"hive_csv/year={year}/month={month}/data.csv", _table(int(month), 2))
    for key in [
        "day=2024-03-01",
        "day=2024-03-02",
        "word=%C3%A9t%20%2F",
        "zip=00501",
        "x=1",
        "x=__HIVE_DEFAULT_PARTITION__",
    ]:
        tree = {"day": "hive_days", "word": "hive_words", "zip": "hive_zips", "x": "hive_nulls"}
        leaf = folder / tree[key.partition("=")[0]] / key
        leaf.mkdir(parents=True)
        _parquet(leaf / "data.parquet", {"n": [len(key)]})
    (folder / "hive_within/n=7").mkdir(parents=True)
    _parquet(folder / "hive_within/n=7/data.parquet", {"n": [1, 2], "w": ["a", "b"]})


SOURCES = """
'csv/*.csv'
'csv/p?.csv'
'csv/p[01].csv'
'csv/p[!0]*.csv'
'csv/p[0-1]*.csv'
'csv/none*.csv'
'csv'
'csv/*'
'*/p0.csv'
'deep/*.csv'
'deep/*/*.csv'
'deep/**'
'deep/**/*.csv'
'**/x.csv'
'deep/a/**/x.csv'
'parquet/*.parquet'
'parquet/p[02].parquet'
'json/*.json'
'json/p[12].json'
'packed/p0.csv.gz'
'packed/*.csv.gz'
'packed/p0.json.gz'
'odd/a b.csv'
'odd/größe.csv'
'odd/it''s.csv'
'odd/q[[]1].csv'
'odd/UP.CSV'
'odd/s*r.csv'
read_csv('csv/*.csv')
read_csv(['csv/p0.csv', 'csv/p2.csv'])
read_csv(['csv/p2.csv', 'csv/p0.csv'])
read_csv(['csv/p*.csv', 'deep/c/*.csv'])
read_csv(['csv/p0.csv', 'csv/p0.csv'])
read_csv(['csv/p0.csv', 'csv/missing.csv'])
read_csv([])
read_csv('csv/p0.csv', filename = true)
read_csv('csv/p*.csv', filename = true)
read_csv('csv/p*.csv', filename = 'path')
read_csv('mixed/swap?.csv')
read_csv('mixed/swap?.csv', union_by_name = true)
read_csv('mixed/more?.csv')
read_csv('mixed/more?.csv', union_by_name = true)
read_csv('mixed/less?.csv')
read_csv('mixed/less?.csv', union_by_name = true)
read_csv('mixed/wide?.csv')
read_csv('mixed/wide?.csv', union_by_name = true)
read_csv('mixed/real?.csv')
read_csv('mixed/real?.csv', union_by_name = true)
read_csv('mixed/real_first?.csv')
read_csv('mixed/case?.csv')
read_csv('mixed/case?.csv', union_by_name = true)
read_csv('mixed/dialect?.csv')
read_csv('mixed/dialect?.csv', union_by_name = true)
read_csv('mixed/header?.csv')
read_csv('mixed/none?.csv')
read_csv('packed/*.csv.gz', filename = true)
read_parquet('parquet/*.parquet')
read_parquet(['parquet/p2.parquet', 'parquet/p0.parquet'])
read_parquet('parquet/*.parquet', filename = true)
read_parquet('parquet/*.parquet', file_row_number = true)
read_parquet('mixed/type?.parquet')
read_parquet('mixed/type?.parquet', union_by_name = true)
read_parquet('mixed/back?.parquet')
read_parquet('mixed/text?.parquet')
read_parquet('mixed/text?.parquet', union_by_name = true)
read_parquet('mixed/swap?.parquet')
read_parquet('mixed/less?.parquet')
read_parquet('mixed/less?.parquet', union_by_name = true)
read_parquet('mixed/more?.parquet')
read_parquet('mixed/more?.parquet', union_by_name = true)
read_json('json/*.json')
read_json(['json/p2.json', 'json/p0.json'])
read_json('json/*.json', filename = true)
read_json('mixed/keys?.json')
read_json('mixed/keys?.json', union_by_name = true)
'hive/*/*/*.parquet'
'hive/**/*.parquet'
'hive/year=2023/*/*.parquet'
'hive/year=2023/month=1/data.parquet'
'hive_csv/*/*/*.csv'
'hive_days/*/*.parquet'
'hive_words/*/*.parquet'
'hive_zips/*/*.parquet'
'hive_nulls/*/*.parquet'
'hive_within/*/*.parquet'
read_parquet('hive/*/*/*.parquet', hive_partitioning = true)
read_parquet('hive/*/*/*.parquet', hive_partitioning = false)
read_parquet('hive/*/*/*.parquet', hive_types_autocast = false)
read_parquet('hive/*/*/*.parquet', hive_types = {'year': 'VARCHAR'})
read_parquet('hive/*/*/*.parquet', filename = true)
read_csv('hive_csv/*/*/*.csv', hive_partitioning = true)
read_csv('hive_csv/*/*/*.csv', hive_partitioning = false)
""".strip().splitlines()

# Few, as each of them may have a kernel of its own.
STATEMENTS = """
SELECT count(*) FROM 'csv/*.csv'
SELECT count(*) FROM 'parquet/*.parquet'
SELECT count(*) FROM 'hive/*/*/*.parquet' WHERE year = 2023
SELECT n, year, month FROM 'hive/*/*/*.parquet' WHERE year = 2023 AND month = 2
SELECT year, count(*), sum(n) FROM 'hive/*/*/*.parquet' GROUP BY year ORDER BY year
SELECT month FROM 'hive/*/*/*.parquet'
SELECT min(n), max(n) FROM 'parquet/*.parquet'
SELECT w, sum(n) FROM 'csv/*.csv' GROUP BY w ORDER BY w
SELECT a.n, b.n FROM 'csv/p0.csv' a JOIN 'csv/*.csv' b ON a.n = b.n ORDER BY a.n
SELECT filename, count(*) FROM read_csv('csv/*.csv', filename = true) GROUP BY filename ORDER BY filename
""".strip().splitlines()

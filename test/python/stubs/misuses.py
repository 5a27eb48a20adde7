"""Calls that type checkers must find: each line with `# bad` has an error, and no other has."""

import numpy as np
import pyarrow

import penstock
import penstock.video


def queries(result: penstock.Result, sales: pyarrow.Table) -> None:
    penstock.sql(3)  # bad: a statement is a string
    penstock.sql("SELECT 1", 3)  # bad: parameters are a list or a dict
    penstock.sql("SELECT 1", planner="dukdb")  # bad: a planner's name
    penstock.query("SELECT 1", {"t": 3})  # bad: no table
    penstock.query("SELECT 1", {"t": [1, 2]})  # bad: a list is no column
    penstock.sql("SELECT 1").frame()  # bad: no method
    result.fetchone()[0]  # bad: None if there is no row
    result.explain().rows  # bad: explain() returns text
    result.source("cudda")  # bad: a target's name
    penstock.Session(cache=3)  # bad: no option
    penstock.Session(planner="best")  # bad: a planner's name
    penstock.Session().report.seconds  # bad: None before the first statement
    number: int = penstock.Session().explain("SELECT 1")  # bad: explain() returns text


def pipelines(rows: penstock.Pipeline) -> None:
    rows.filter("price > 3")  # bad: no lambda
    rows.filter(lambda r: r.price is None)  # bad: a Python bool
    rows.map(a="price")  # bad: no lambda
    rows.map(a=lambda r: r.price.squareroot())  # bad: no method
    rows.map(a=lambda r: r.day.dt.years())  # bad: no method of dates
    rows.map(a=lambda r: r.name.str.upper())  # bad: Polars' name is to_uppercase
    rows.map(a=lambda r: r.price())  # bad: a column is no method
    rows.map(a=lambda r: [r.price])  # bad: a list is no value
    rows.group_by("shop").agg(a=("price", "summ"))  # bad: no aggregate
    rows.group_by("shop").arrow()  # bad: groups wait for agg()
    rows.join(rows, on="a", how="outer")  # bad: no kind of join
    rows.head("10")  # bad: no number
    rows.count(devise="cpu")  # bad: no option


def streams() -> None:
    penstock.decompress("text")  # bad: no bytes
    penstock.decompress(b"", "bzip2")  # bad: no format
    penstock.compress(b"", "snappy")  # bad: snappy is not written
    penstock.open("a.gz", "rb", encoding="utf-8")  # bad: encodings are for text
    penstock.open("a.gz", "ab")  # bad: no mode
    penstock.open("a.gz", level=3)  # bad: levels are for writing
    penstock.open("a.gz", "rt").read() + b""  # bad: text is no bytes
    penstock.open(3)  # bad: no path or file


def videos(frames: list[np.ndarray]) -> None:
    penstock.video.score("a.y4m", frames, ["psnr"])  # bad: a path and frames
    penstock.video.score("a.y4m", "b.y4m")  # bad: no features
    penstock.video.score("a.y4m", "b.y4m", ["psnr"], raw=(16, 16, 8))  # bad: no chroma


def errors(error: penstock.PenstockError) -> None:
    if error.code == "corupt":  # bad: no code
        print(error)

"""Calls as users write them: type checkers find nothing in the good ones, and each of the bad."""

import datetime
import decimal
import io
import mmap
from pathlib import Path

import numpy as np
import pyarrow

import penstock
import penstock.video


def queries(sales: pyarrow.Table, numbers: np.ndarray) -> None:
    result = penstock.sql("SELECT shop FROM sales WHERE price > ?", [3], device="cpu")
    rows: list[tuple[object, ...]] = result.fetchall()
    one = result.fetchone()
    if one is not None:
        print(one[0], len(rows), len(result))
    for row in result:
        print(row[0])
    result.to_parquet(Path("out.parquet"), compression="zstd")
    text: str = penstock.sql("SELECT 1", {"name": datetime.date(2024, 1, 1)}).explain()
    penstock.query("SELECT * FROM t", {"t": sales}, "cuda:0", [decimal.Decimal(1)], "own")
    penstock.query("SELECT * FROM t", {"t": {"x": numbers}})
    penstock.query("SELECT * FROM t", {"t": numbers})
    with penstock.Session("cpu", cache_limit_bytes=0, planner="own") as session:
        session.register("sales", sales)
        session.sql("FROM sales").df()
        if session.report is not None:
            seconds: float = session.report.seconds
            print(seconds, session.report["notes"], text)
    worker = penstock.BatchWorker("SELECT x FROM batch", tables={"other": sales})
    table: pyarrow.Table = worker(sales)
    print(table)


class OnDevice:
    """As the frames of a library of GPUs are."""

    def __arrow_c_device_array__(
        self, requested_schema: object = None, **options: object
    ) -> tuple[object, object]:
        raise NotImplementedError


def devices(frame: OnDevice, tensor: np.ndarray) -> None:
    version: str = penstock.__version__
    result = penstock.sql("FROM t", [[1, 2], np.datetime64("2024-01-01")], tables={"t": frame})
    schema, array = result.__arrow_c_device_array__()
    print(version, schema, array, result.__arrow_c_device_stream__(requested_schema=None))
    print(penstock.from_arrow(frame).count(), penstock.from_arrow(tensor).sum(device="cpu"))


def pipelines(sales: pyarrow.Table) -> None:
    norm = penstock.function("norm", "double(double x)", lambda x: x * x)
    product = penstock.reduction(
        "product", "double(double a, double b)", "return a * b;", 1.0, associative=True
    )

    @penstock.function
    def twice(x: object) -> object:
        return x

    made = (
        penstock.from_arrow(sales)
        .filter(lambda r: (r.price * 2 > 3) & r.shop.str.contains("a") & ~r["x"].is_null())
        .with_columns(
            total=lambda r: 1 + r.price**2 - np.float64(3),
            year=lambda r: r.day.dt.year(),
            kind=lambda r: (
                penstock.when(r.price > 3).then("a").when(r.price > 2).otherwise(None)
                if False
                else penstock.select(r.price > 3, "a", "b")
            ),
            share=lambda r: r.price / r.price.sum().over("shop"),
            n=lambda r: norm(r.price, 2),
            zero=lambda r: 0,
        )
        .group_by("shop", month=lambda r: r.day.dt.truncate("month"))
        .agg(
            total=("price", "sum"),
            n=("*", "count"),
            p=("price", product),
            top=lambda g: g.price.max() - g.price.min(),
            length=lambda g: g.len(),
        )
        .sort("total", lambda r: r.n, descending=[True, False])
        .head(10)
    )
    total: int = made.count(device="cpu")
    print(total, made.columns, made.run(planner="own"), twice)
    made.join(sales, on="shop", how="left").select("shop", "n").pl(device="cpu")


def streams(file: io.BytesIO, mapped: mmap.mmap) -> None:
    data: bytes = penstock.decompress(mapped, "gzip", max_output_bytes=10)
    penstock.decompress(memoryview(penstock.compress(data, "lz4", level=1)))
    penstock.decompress(np.zeros(3, np.uint8))
    with penstock.open("a.gz") as binary:
        data = binary.read(3)
    with penstock.open(Path("a.zst"), "rt", encoding="utf-8") as lines:
        first: str = lines.readline()
    with penstock.open(file, threads=2) as of_object:
        print(of_object.seek(0), first)
    with penstock.open("b.gz", "wb", level=9) as written:
        written.write(data)


def videos(frames: list[np.ndarray]) -> None:
    scores = penstock.video.score("a.y4m", Path("b.y4m"), ["float_ssim"], raw=(16, 16, 8, "420"))
    values: list[float | None] = scores["float_ssim"]
    penstock.video.score(frames, iter(frames), "psnr", bits=10)
    penstock.video.score([frames], [frames], ["psnr"])
    print(values, scores.pooled("float_ssim")["mean"], penstock.devices()[0]["id"])


def errors() -> None:
    try:
        penstock.decompress(b"")
    except penstock.PenstockError as error:
        if error.code == "truncated":
            print(error.message)

"""The statements of `penstock bench tpch` as queries of Polars, which cuDF runs too.

Decimals are cast to floats: products of Polars' decimals are rounded to the digits of a factor.
"""

from datetime import date

try:
    import polars
    from polars import col
except ImportError:
    polars = None


def scan(folder, table):
    return polars.scan_parquet(folder / f"{table}.parquet")


def number(name):
    return col(name).cast(polars.Float64)


def revenue():
    return number("l_extendedprice") * (1 - number("l_discount"))


def q1(folder):
    price = revenue()
    return (
        scan(folder, "lineitem")
        .filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            number("l_quantity").sum().alias("quantity"),
            number("l_extendedprice").sum().alias("base"),
            price.sum().alias("price"),
            (price * (1 + number("l_tax"))).sum().alias("charge"),
            number("l_quantity").mean().alias("mean_quantity"),
            number("l_extendedprice").mean().alias("mean_price"),
            number("l_discount").mean().alias("mean_discount"),
            polars.len().alias("rows"),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def q3(folder):
    customers = scan(folder, "customer").filter(col("c_mktsegment") == "BUILDING")
    orders = scan(folder, "orders").filter(col("o_orderdate") < date(1995, 3, 15))
    lines = scan(folder, "lineitem").filter(col("l_shipdate") > date(1995, 3, 15))
    return (
        lines.join(orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(customers, left_on="o_custkey", right_on="c_custkey")
        .group_by("l_orderkey", "o_orderdate", "o_shippriority")
        .agg(revenue().sum().alias("revenue"))
        .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort("revenue", "o_orderdate", descending=[True, False])
        .head(10)
    )


def q4(folder):
    late = scan(folder, "lineitem").filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        scan(folder, "orders")
        .filter(col("o_orderdate") >= date(1993, 7, 1), col("o_orderdate") < date(1993, 10, 1))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .agg(polars.len())
        .sort("o_orderpriority")
    )


def q6(folder):
    discount = number("l_discount")
    return (
        scan(folder, "lineitem")
        .filter(
            col("l_shipdate") >= date(1994, 1, 1),
            col("l_shipdate") < date(1995, 1, 1),
            discount > 0.045,
            discount < 0.075,
            number("l_quantity") < 24,
        )
        .select((number("l_extendedprice") * discount).sum())
    )


def q12(folder):
    urgent = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    return (
        scan(folder, "lineitem")
        .filter(
            col("l_shipmode").is_in(["MAIL", "SHIP"]),
            col("l_commitdate") < col("l_receiptdate"),
            col("l_shipdate") < col("l_commitdate"),
            col("l_receiptdate") >= date(1994, 1, 1),
            col("l_receiptdate") < date(1995, 1, 1),
        )
        .join(scan(folder, "orders"), left_on="l_orderkey", right_on="o_orderkey")
        .group_by("l_shipmode")
        .agg(urgent.sum().alias("high"), (~urgent).sum().alias("low"))
        .sort("l_shipmode")
    )


def q14(folder):
    price = revenue()
    promotion = polars.when(col("p_type").str.starts_with("PROMO")).then(price).otherwise(0.0)
    return (
        scan(folder, "lineitem")
        .filter(col("l_shipdate") >= date(1995, 9, 1), col("l_shipdate") < date(1995, 10, 1))
        .join(scan(folder, "part"), left_on="l_partkey", right_on="p_partkey")
        .select(100.0 * promotion.sum() / price.sum())
    )


def group_by(folder):
    return (
        scan(folder, "lineitem")
        .group_by("l_suppkey")
        .agg(number("l_extendedprice").sum().alias("price"), polars.len().alias("rows"))
        .sort("price", "l_suppkey", descending=[True, False])
        .head(10)
    )


def like(folder):
    return (
        scan(folder, "lineitem")
        .filter(col("l_comment").str.contains("special.*requests"))
        .select(polars.len())
    )


QUERIES = {
    "Q1": q1,
    "Q3": q3,
    "Q4": q4,
    "Q6": q6,
    "Q12": q12,
    "Q14": q14,
    "group by": group_by,
    "LIKE": like,
}

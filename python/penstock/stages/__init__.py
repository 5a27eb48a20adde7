"""SQL over rows that several workers share, in stages: partial results, exchanges, final results.

statement.py    reads a statement as a tree with names found        (sqlglot)
aggregates.py   splits aggregates into states and their merger
relation.py     shared tables, and SELECTs over them that have not run
joins.py        FROM and WHERE; groups.py: GROUP BY; output.py: windows, ORDER BY; sets.py: UNION
planner.py      puts them together; runner.py runs each step
hashing.py      brings equal keys together
work.py         what a worker does; executor.py: how tasks get to workers
"""

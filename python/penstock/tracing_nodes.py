"""Expressions as immutable graphs.

A node is a template of SQL with a place for each operand. Names and values never enter a template:
columns and parameters are leaves, which are quoted and numbered when a statement is written.
"""

import functools
import re

# An expression is written as text of 1000 words and signs at most, by the engine's limit; choices
# and lists count by their longest part, which these sizes do not know.
SIZE_LIMIT = 20_000
DEPTH_LIMIT = 200  # of Python's recursion
# A step whose expressions over the table become larger reads a SELECT in FROM instead: columns of
# earlier steps are written out in each place that reads them.
COMPOSED_SIZE_LIMIT = 400
COLUMN_SIZE, PARAMETER_SIZE = 3, 7  # t0."x", CAST($1 AS DOUBLE)


@functools.lru_cache(maxsize=4096)
def _size_of_template(template):
    return len(re.findall(r"\w+|[^\s\w]", re.sub(r"\{\d*\}", "", template)))


class Node:
    """`kind`: "call", "aggregate", "exists", or of a leaf "input", "column", "parameter"."""

    __slots__ = ("kind", "type", "template", "operands", "payload", "size", "depth", "has")

    def __init__(self, kind, type_, template=None, operands=(), payload=None, has=()):
        """`has`: what the tree has of "columns", "aggregate", "window", "exists", "planner"."""
        self.kind, self.type, self.template = kind, type_, template
        self.operands, self.payload = tuple(operands), payload
        # Both are of the tree that is written: it repeats what graphs and templates share.
        own = PARAMETER_SIZE if kind == "parameter" else COLUMN_SIZE
        self.size = (own if template is None else _size_of_template(template)) + sum(
            operand.size * max(1, template.count(f"{{{index}}}"))
            for index, operand in enumerate(self.operands)
        )
        self.depth = 1 + max((operand.depth for operand in self.operands), default=0)
        self.has = frozenset(has).union(*(operand.has for operand in self.operands))

    def is_too_large(self):
        return self.size > SIZE_LIMIT or self.depth > DEPTH_LIMIT

    def has_grown_too_large(self, before):
        """Tells whether what a lambda's columns stand for made its expression too large."""
        return self.size > max(before.size, COMPOSED_SIZE_LIMIT)


def call(template, type_, *operands, has=(), payload=None):
    return Node("call", type_, template, operands, payload, has)


def aggregate(template, type_, *operands, has=()):
    return Node("aggregate", type_, template, operands, None, ("aggregate", *has))


def parameter(value, type_):
    return Node("parameter", type_, payload=value)


def input_of(trace, index, type_):
    """A column of the record that a lambda gets; a step replaces it by the column's expression."""
    return Node("input", type_, payload=(trace, index), has=("columns",))


def column(source, index, type_):
    """A column of a table or of a SELECT in FROM."""
    return Node("column", type_, payload=(source, index), has=("columns",))


def replace_leaves(node, leaf, done=None):
    """Returns the graph with `leaf(node)` in place of each leaf."""
    done = {} if done is None else done
    if id(node) not in done:
        if node.operands:
            operands = [replace_leaves(operand, leaf, done) for operand in node.operands]
            own = node.has.difference(*(operand.has for operand in node.operands))
            made = Node(node.kind, node.type, node.template, operands, node.payload, own)
        else:
            made = leaf(node)
        done[id(node)] = made
    return done[id(node)]


def nodes_of(node, seen=None):
    """Yields each node of a graph once."""
    seen = set() if seen is None else seen
    if id(node) not in seen:
        seen.add(id(node))
        yield node
        for operand in node.operands:
            yield from nodes_of(operand, seen)


def loose_columns(node, keys):
    """Yields the column leaves that stand outside of aggregates and of `keys`."""
    if node.kind == "aggregate" or any(node is key for key in keys):
        return
    if node.kind in ("input", "column"):
        yield node
    for operand in node.operands:
        yield from loose_columns(operand, keys)

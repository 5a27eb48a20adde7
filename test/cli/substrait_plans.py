"""Builds Substrait's plans as protobuf's JSON, out of rows of values."""

import base64
import datetime

TYPES = {
    "i64": {"i64": {}},
    "i32": {"i32": {}},
    "bool": {"bool": {}},
    "fp64": {"fp64": {}},
    "string": {"string": {}},
    "date": {"date": {}},
    "dec": {"decimal": {"precision": 9, "scale": 2}},
}


def decimal_type(precision, scale):
    return {"decimal": {"precision": precision, "scale": scale}}


def literal(value, kind="i64"):
    """A literal of a kind of TYPES; None is NULL, and a decimal is told in its last digit."""
    if value is None:
        return {"literal": {"null": TYPES[kind]}}
    if kind == "dec":
        units = base64.b64encode(value.to_bytes(16, "little", signed=True)).decode()
        return {"literal": {"decimal": {"value": units, "precision": 9, "scale": 2}}}
    if kind == "date":
        value = (datetime.date.fromisoformat(value) - datetime.date(1970, 1, 1)).days
    return {"literal": {"boolean" if kind == "bool" else kind: value}}


def values(rows, *kinds):
    """A table of rows, which has a column of each kind."""
    return {
        "read": {
            "baseSchema": {
                "names": [f"c{i}" for i in range(len(kinds))],
                "struct": {"types": [TYPES[kind] for kind in kinds]},
            },
            "virtualTable": {
                "expressions": [
                    {"fields": [literal(value, kind) for value, kind in zip(row, kinds)]}
                    for row in rows
                ]
            },
        }
    }


def named_table(names, **columns):
    return {
        "read": {
            "baseSchema": {
                "names": list(columns),
                "struct": {"types": [TYPES[kind] for kind in columns.values()]},
            },
            "namedTable": {"names": names},
        }
    }


def field(number):
    return {"selection": {"directReference": {"structField": {"field": number}}}}


class PlanBuilder:
    """Numbers the functions that a plan calls."""

    def __init__(self, producer=""):
        self.producer = producer
        self.functions = []

    def reference(self, name):
        if name not in self.functions:
            self.functions.append(name)
        return self.functions.index(name)

    def body(self, name, inputs, type_=None, **more):
        call = {
            "functionReference": self.reference(name),
            "arguments": [{"value": each} for each in inputs],
            **more,
        }
        return call if type_ is None else {**call, "outputType": type_}

    def call(self, name, *inputs, type_=None):
        return {"scalarFunction": self.body(name, inputs, type_)}

    def measure(self, name, *inputs, type_=None, where=None, **more):
        measure = {"measure": self.body(name, inputs, type_, **more)}
        return measure if where is None else {**measure, "filter": where}

    def window(self, name, *inputs, partitions=(), sorts=(), type_=None, **more):
        parts = {"partitions": list(partitions), "sorts": list(sorts), **more}
        return {"windowFunction": self.body(name, inputs, type_, **parts)}

    def plan(self, relation, width, shared=()):
        """Its columns are c0, c1... `shared`: relations to which references count."""
        return {
            "version": {"producer": self.producer},
            "extensions": [
                {"extensionFunction": {"functionAnchor": i, "name": name}}
                for i, name in enumerate(self.functions)
            ],
            "relations": [
                *({"rel": each} for each in shared),
                {"root": {"input": relation, "names": [f"c{i}" for i in range(width)]}},
            ],
        }


def project(relation, first, *expressions):
    """The expressions alone; `first`: how many columns the relation has."""
    mapping = [first + i for i in range(len(expressions))]
    return {
        "project": {
            "common": {"emit": {"outputMapping": mapping}},
            "input": relation,
            "expressions": list(expressions),
        }
    }


def sorted_by(relation, *fields, direction="SORT_DIRECTION_ASC_NULLS_LAST"):
    sorts = [{"expr": field(number), "direction": direction} for number in fields]
    return {"sort": {"input": relation, "sorts": sorts}}

"""A folder as a database: schema/table.parquet and schema/view.sql, each by its name."""

import os
import pathlib

TABLE, VIEW = "table", "view"
_ENDINGS = {TABLE: ".parquet", VIEW: ".sql"}


def in_quotes(text, quote='"'):
    """Writes a name of SQL, or a string."""
    return quote + str(text).replace(quote, quote * 2) + quote


class DatabaseFolder:
    """The schemas, tables and views in a folder. A name is a table or a view, not both."""

    def __init__(self, path):
        self.path = pathlib.Path(path).absolute()

    def file_of(self, schema, name, kind):
        """Returns the path of a table or view, which may not be there."""
        for part in (schema, name):
            if not part or part in (".", "..") or os.sep in part:
                raise ValueError(f"{part!r} is no name of a file")
        return self.path / schema / (name + _ENDINGS[kind])

    def schemas(self):
        """Lists the schemas: the folders within the folder."""
        if not self.path.is_dir():
            return []
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_dir())

    def relations(self, schema):
        """Lists (name, kind) of a schema in the order of the names."""
        folder = self.path / schema
        if not folder.is_dir():
            return []
        kinds = {ending: kind for kind, ending in _ENDINGS.items()}
        found = [entry for entry in folder.iterdir() if entry.suffix in kinds]
        return sorted((entry.stem, kinds[entry.suffix]) for entry in found)

    def create_schema(self, schema):
        """Makes a schema's folder."""
        (self.path / schema).mkdir(parents=True, exist_ok=True)

    def drop_schema(self, schema):
        """Removes a schema's tables and views, and its folder if that is all of it."""
        for name, _ in self.relations(schema):
            self.drop(schema, name)
        if schema in self.schemas() and not any((self.path / schema).iterdir()):
            (self.path / schema).rmdir()

    def keep_view(self, schema, name, query):
        """Writes a view's SELECT in the place of what has its name."""
        self.create_schema(schema)
        path = self.file_of(schema, name, VIEW)
        part = path.with_suffix(".sql.part")
        part.write_text(query, encoding="utf-8")
        part.replace(path)
        self.file_of(schema, name, TABLE).unlink(missing_ok=True)

    def keep_table(self, schema, name):
        """Leaves a table, which has been written, alone with its name."""
        self.file_of(schema, name, VIEW).unlink(missing_ok=True)

    def rename(self, schema, name, new_schema, new_name):
        """Gives a table or view another name."""
        self.create_schema(new_schema)
        for kind in (TABLE, VIEW):
            path = self.file_of(schema, name, kind)
            if path.exists():
                path.replace(self.file_of(new_schema, new_name, kind))

    def drop(self, schema, name):
        """Removes a table or view, if it is there."""
        for kind in (TABLE, VIEW):
            self.file_of(schema, name, kind).unlink(missing_ok=True)

    def definition(self, schema, name, kind):
        """Returns the statement that defines a name in a session."""
        path = self.file_of(schema, name, kind)
        is_table = kind == TABLE
        query = f"SELECT * FROM {in_quotes(path, chr(39))}" if is_table else path.read_text("utf-8")
        return f"CREATE OR REPLACE VIEW {in_quotes(name)} AS {query}"

    def definitions(self):
        """Returns the statements that define all names; one that two schemas have is an error."""
        seen, statements = {}, []
        for schema in self.schemas():
            for name, kind in self.relations(schema):
                if seen.setdefault(name.lower(), schema) != schema:
                    raise ValueError(
                        f"{name!r} is in the schemas {seen[name.lower()]} and {schema}; names are"
                        " of the whole database"
                    )
                statements.append(self.definition(schema, name, kind))
        return statements

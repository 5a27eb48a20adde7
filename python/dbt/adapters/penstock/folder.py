"""A folder as a database: schema/table.parquet and schema/view.sql, each by its name."""

import contextlib
import functools
import pathlib
import threading

TABLE, VIEW = "table", "view"
_ENDINGS = {TABLE: ".parquet", VIEW: ".sql"}


def in_quotes(text, quote='"'):
    """Writes a name of SQL, or a string."""
    return quote + str(text).replace(quote, quote * 2) + quote


def _checked(part):
    """Returns a part of a path, which leads to no other folder."""
    if not isinstance(part, str) or not part or part in (".", "..") or set(part) & set("/\\\0"):
        raise ValueError(f"{part!r} is no name of a file")
    return part


def _locked(method):
    @functools.wraps(method)
    def call(self, *arguments):
        with self.lock:
            return method(self, *arguments)

    return call


class DatabaseFolder:
    """The schemas, tables and views in a folder. A name is a table or a view, not both.

    Names are the same without regard to case, as they are in a session.
    """

    lock = threading.RLock()  # of a process's changes, and of what reads several files

    def __init__(self, path):
        self.path = pathlib.Path(path).absolute()

    def _folder_of(self, schema):
        """Returns the folder of a schema, which may not be there."""
        if _checked(schema).startswith("."):
            raise ValueError(f"{schema!r} is no name of a schema: hidden folders are none")
        same = [name for name in self.schemas() if name.lower() == schema.lower()]
        return self.path / (same[0] if same and schema not in same else schema)

    def file_of(self, schema, name, kind):
        """Returns the path of a table or view, which may not be there."""
        return self._folder_of(schema) / (_checked(name) + _ENDINGS[kind])

    def _files_of(self, schema, name):
        """Lists (path, kind) of what has a name."""
        _checked(name)
        return [
            (self.file_of(schema, known, kind), kind)
            for known, kind in self.relations(schema)
            if known.lower() == name.lower()
        ]

    def _remove_others(self, schema, name, kept):
        for path, _ in self._files_of(schema, name):
            if path != kept:
                path.unlink(missing_ok=True)

    def schemas(self):
        """Lists the schemas: the folders within the folder that are not hidden."""
        if not self.path.is_dir():
            return []
        folders = [entry.name for entry in self.path.iterdir() if entry.is_dir()]
        return sorted(name for name in folders if not name.startswith("."))

    def relations(self, schema):
        """Lists (name, kind) of a schema in the order of the names."""
        folder = self._folder_of(schema)
        if not folder.is_dir():
            return []
        kinds = {ending: kind for kind, ending in _ENDINGS.items()}
        found = [entry for entry in folder.iterdir() if entry.suffix in kinds]
        return sorted((entry.stem, kinds[entry.suffix]) for entry in found)

    @_locked
    def create_schema(self, schema):
        """Makes a schema's folder."""
        self._folder_of(schema).mkdir(parents=True, exist_ok=True)

    @_locked
    def drop_schema(self, schema):
        """Removes a schema's tables and views, and its folder if that is all of it."""
        folder = self._folder_of(schema)
        for name, _ in self.relations(schema):
            self.drop(schema, name)
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()

    @_locked
    def keep_view(self, schema, name, query):
        """Writes a view's SELECT in the place of what has its name."""
        path = self.file_of(schema, name, VIEW)
        self.create_schema(schema)
        part = path.with_suffix(".sql.part")
        part.write_text(query, encoding="utf-8")
        part.replace(path)
        self._remove_others(schema, name, path)

    @_locked
    def keep_table(self, schema, name):
        """Leaves a table, which has been written, alone with its name."""
        self._remove_others(schema, name, self.file_of(schema, name, TABLE))

    @_locked
    def rename(self, schema, name, new_schema, new_name):
        """Gives a table or view another name, in the place of what has that."""
        found = self._files_of(schema, name)
        for path, kind in found:
            new_path = self.file_of(new_schema, new_name, kind)
            self.create_schema(new_schema)
            path.replace(new_path)
            self._remove_others(new_schema, new_name, new_path)

    @_locked
    def drop(self, schema, name):
        """Removes a table or view, if it is there."""
        self._remove_others(schema, name, None)

    def definition(self, schema, name, kind):
        """Returns the statement that defines a name in a session."""
        path = self.file_of(schema, name, kind)
        is_table = kind == TABLE
        query = f"SELECT * FROM {in_quotes(path, chr(39))}" if is_table else path.read_text("utf-8")
        return f"CREATE OR REPLACE VIEW {in_quotes(name)} AS {query}"

    @_locked
    def definitions(self):
        """Returns the statements that define all names; one that two schemas have is an error."""
        seen, statements = {}, []
        for schema in self.schemas():
            for name, kind in self.relations(schema):
                with contextlib.suppress(FileNotFoundError):  # another process has removed it
                    statements.append(self.definition(schema, name, kind))
                    _check_name_is_new(seen, schema, name)
        return statements


def _check_name_is_new(seen, schema, name):
    """Adds a name to those seen: (schema, name) by name without case."""
    known, first = seen.setdefault(name.lower(), (schema, name))
    if known != schema:
        raise ValueError(
            f"{name!r} is in the schemas {known} and {schema}; names are of the whole database"
        )
    if first != name:
        raise ValueError(f"{first!r} and {name!r} of the schema {schema} are the same name")

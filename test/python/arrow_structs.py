"""Arrow's C structs by ctypes: arrays over addresses of any memory, as a library of a GPU makes them."""

import ctypes

import pyarrow


class ArrowArray(ctypes.Structure):
    pass


RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]


class ArrowDeviceArray(ctypes.Structure):
    _fields_ = [
        ("array", ArrowArray),
        ("device_id", ctypes.c_int64),
        ("device_type", ctypes.c_int32),
        ("sync_event", ctypes.c_void_p),
        ("reserved", ctypes.c_int64 * 3),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def struct_in(capsule):
    return ArrowDeviceArray.from_address(_get(capsule, b"arrow_device_array"))


@RELEASE
def _release_child(array):
    array.contents.release = RELEASE(0)


class Arrays:
    """A struct array of columns, each a list of addresses of buffers; None is no buffer.

    It is an object with the device protocol, which counts how often it is released.
    """

    def __init__(self, schema, columns, length, device_type, device_id=0, offset=0, event=None):
        self.schema, self.released, self.parts = schema, 0, []
        children = [
            self._array(length, offset, -1 if buffers[0] else 0, buffers) for buffers in columns
        ]
        for child in children:
            child.release = _release_child
        pointers = (ctypes.POINTER(ArrowArray) * len(children))(*map(ctypes.pointer, children))
        root = self._array(length, 0, 0, [None])
        root.n_children, root.children = len(children), pointers
        self.release = RELEASE(self._release)
        root.release = self.release
        self.parts += [children, pointers]
        self.made = ArrowDeviceArray(root, device_id, device_type)
        if event is not None:
            self.event = ctypes.c_void_p(event)
            self.made.sync_event = ctypes.addressof(self.event)

    def _array(self, length, offset, null_count, addresses):
        buffers = (ctypes.c_void_p * len(addresses))(*addresses)
        self.parts.append(buffers)
        return ArrowArray(length, null_count, offset, len(addresses), 0, buffers)

    def _release(self, array):
        self.released += 1
        array.contents.release = RELEASE(0)

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        self.given = ArrowDeviceArray.from_buffer_copy(self.made)  # whoever takes it empties it
        capsule = _new(ctypes.addressof(self.given), b"arrow_device_array", None)
        return pyarrow.schema(self.schema).__arrow_c_schema__(), capsule

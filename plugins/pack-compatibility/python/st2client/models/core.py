"""Records of the API as objects."""


class Resource:
    """A record; its members are attributes."""

    #: Path of its records below the API's address.
    path = ""
    #: Attribute that stands for a record in paths.
    key = "id"

    def __init__(self, *_positional, **members):
        self.__dict__.update(members)

    def to_dict(self, exclude_attributes=None):
        """The members, but for some."""
        return {name: value for name, value in self.__dict__.items() if name not in (exclude_attributes or [])}

    def serialize(self):
        """What is sent of it."""
        return {name: value for name, value in self.__dict__.items() if value is not None}

    @classmethod
    def deserialize(cls, members):
        return cls(**members)

    def __repr__(self):
        return "<{} {}>".format(type(self).__name__, self.__dict__.get("name") or self.__dict__.get("id"))

from st2client.models.core import Resource


class KeyValuePair(Resource):
    path = "/keys"
    key = "name"

    def serialize(self):
        # Packs set `id` to the name, by which paths find the record.
        members = super().serialize()
        members.pop("id", None)
        return members

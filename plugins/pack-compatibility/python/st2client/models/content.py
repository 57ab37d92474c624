from st2client.models.core import Resource


class ActionAlias(Resource):
    path = "/actionalias"


class Inquiry(Resource):
    path = "/inquiries"


class Pack(Resource):
    path = "/packs"


class Policy(Resource):
    path = "/policies"


class Trace(Resource):
    path = "/traces"

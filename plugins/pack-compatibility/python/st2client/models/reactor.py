from st2client.models.core import Resource


class Rule(Resource):
    path = "/rules"


class Sensor(Resource):
    path = "/sensortypes"


class Trigger(Resource):
    path = "/triggers"


class TriggerType(Resource):
    path = "/triggertypes"


class TriggerInstance(Resource):
    path = "/triggerinstances"

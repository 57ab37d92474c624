from st2client.models.core import Resource


class Action(Resource):
    path = "/actions"


class Execution(Resource):
    path = "/executions"


LiveAction = Execution


class RunnerType(Resource):
    path = "/runnertypes"

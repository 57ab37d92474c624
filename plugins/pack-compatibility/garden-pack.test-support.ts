/** A small pack of our own, written as packs of the platform are: files by their paths. */
export const garden: Readonly<Record<string, string>> = {
	"garden/pack.yaml": `---
name: garden
description: Waters plants.
keywords: [plants]
version: 0.1.0
author: tests
email: tests@example.org
stackstorm_version: ">=3.0.0"
python_versions: ["3"]
runner_type: "python-script"
`,
	"garden/config.schema.yaml": `---
bed:
  type: object
  required: yes
  properties:
    name: {type: string, default: roses}
    key: {type: string, secret: true, default: "{{ st2kv.system.garden_key }}"}
beds:
  type: object
  patternProperties:
    "^\\\\w+$": {$ref: "#/properties/bed"}
`,
	"garden/actions/water.yaml": `---
name: plants.water
pack: garden
runner_type: run-python
entry_point: water.py
description: Waters a plant.
enabled: yes
parameters:
  amount: {type: integer, position: 2, default: 3}
  plant: {position: 1, required: true, default: "{{ st2kv.system.plant }}"}
  urgent: {type: boolean, default: off, position: 4}
`,
	"garden/actions/water.py": `import os
import eventlet
from lib.cans import fill
from st2common.content.utils import get_pack_base_path
from st2common.runners.base_action import Action
from st2common.exceptions.action import InvalidActionParameterException
from st2common.util import isotime

class Water(Action):
    def __init__(self, config):
        super(Water, self).__init__(config)

    def run(self, plant, amount, urgent):
        if amount < 0:
            raise InvalidActionParameterException("amount must not be negative")
        self.action_service.set_value(name="last", value=plant)
        eventlet.sleep(0)
        return True, {
            "filled": fill(amount),
            "plant": plant,
            "urgent": urgent,
            "bed": self.config["bed"]["name"],
            "described": os.path.exists(os.path.join(get_pack_base_path("garden"), "pack.yaml")),
            "last": self.action_service.get_value("last"),
            "own": os.environ["ST2_ACTION_EXECUTION_ID"] == os.environ["SVC_ACTION_EXECUTION_ID"],
            "day": isotime.format(isotime.parse("2026-01-31T12:00:00+02:00"), usec=False),
        }
`,
	"garden/actions/lib/__init__.py": "",
	"garden/actions/lib/cans.py": "def fill(amount):\n    return ['can'] * amount\n",
	"garden/actions/look.yaml": "---\nname: look\nrunner_type: run-python\nentry_point: look.py\n",
	"garden/actions/look.py": `from st2client.client import Client
from st2client.models.keyvalue import KeyValuePair
from st2client.models.action import Execution
from st2common.runners.base_action import Action

class Look(Action):
    def run(self):
        client = Client()
        item = KeyValuePair(name="seen", value="a rose")
        item.id = "seen"
        client.keys.update(item)
        seen = client.keys.get_by_name("seen").value
        missing = client.keys.get_by_name("nothing")
        deleted = client.keys.delete(client.keys.get_by_name("seen")), client.keys.get_by_name("seen")
        rule = client.rules.get_by_name(name="on_rain", pack="garden")
        rule.enabled = False
        client.rules.update(rule)
        execution = client.executions.create(Execution(action="garden.note", parameters={"text": "x"}))
        try:
            client.actions.create(Execution(name=""))
        except Exception as error:
            refused = error.status
        return {
            "seen": seen, "missing": missing, "deleted": deleted, "rule": client.rules.get_by_id("garden.on_rain").enabled,
            "execution": client.liveactions.get_by_id(execution.id).to_dict(exclude_attributes=["context"])["id"] == execution.id,
            "actions": sorted(action.ref for action in client.actions.get_all(pack="garden")),
            "refused": refused,
        }
`,
	"garden/actions/note.yaml": `---
name: note
runner_type: run-local
parameters:
  text: {type: string, position: 1}
  cmd: {default: 'echo "{{ text }} {{ st2kv.system.plant }} $ST2_ACTION_PACK_NAME $ST2_API_URL"', immutable: true}
`,
	"garden/actions/tend.yaml": "---\nname: tend\nrunner_type: orquesta\nentry_point: workflows/tend.yaml\n",
	"garden/actions/workflows/tend.yaml": `version: 1.0
vars:
  - plant: <% st2kv('system.plant') %>
  - key: "{{ st2kv('system.none', default='no key') }}"
tasks:
  note:
    action: garden.note text=<% ctx().plant %>
    next:
      - when: <% succeeded() %>
        publish:
          - words: <% result().stdout %>
          - whole: <% ctx().keys().orderBy($) %>
output:
  - words: <% ctx(words) %>
  - key: <% ctx(key) %>
  - execution: <% ctx().st2.action_execution_id %>
  - same: "{{ ctx('st2').action_execution_id }}"
  - whole: <% ctx(whole) %>
`,
	"garden/actions/row.yaml": "---\nname: row\nrunner_type: action-chain\nentry_point: chains/row.yaml\n",
	"garden/actions/chains/row.yaml": `---
vars:
  plant: "{{ st2kv.system.plant }}"
chain:
  - name: first
    ref: garden.note
    params: {text: "{{ plant }}"}
    on-success: second
    publish: {words: "{{ first.stdout }} and {{ st2kv.system.plant }}"}
  - name: second
    ref: garden.note
    params: {text: "{{ words }}"}
`,
	"garden/sensors/gauge.yaml": `---
class_name: RainGauge
entry_point: gauge.py
description: Measures rain.
poll_interval: 4
trigger_types:
  - name: rained
    payload_info: [litres]
`,
	"garden/sensors/gauge.py": `import os
import eventlet
eventlet.monkey_patch(os=True, select=True, socket=True, thread=True, time=True)
from st2client.client import Client
from st2common.content import utils
from st2reactor.sensor.base import PollingSensor

class RainGauge(PollingSensor):
    def __init__(self, sensor_service, config=None, poll_interval=5):
        super(RainGauge, self).__init__(sensor_service=sensor_service, config=config, poll_interval=poll_interval)
        self._logger = self._sensor_service.get_logger(__name__)
        self._told = False

    def setup(self):
        self._client = Client()
        assert os.path.samefile(utils.get_pack_base_path("garden"), os.getcwd())

    def poll(self):
        if self._told:
            return
        self._told = True
        self._logger.info("token %s", os.environ["ST2_AUTH_TOKEN"])
        plant = self._client.keys.get_by_name("plant").value
        self._sensor_service.dispatch(trigger="garden.rained", payload={"plant": plant, "token": os.environ["ST2_AUTH_TOKEN"]})

    def cleanup(self):
        pass

    def add_trigger(self, trigger):
        pass

    def update_trigger(self, trigger):
        pass

    def remove_trigger(self, trigger):
        pass
`,
	"garden/rules/on_gauge.yaml": `---
name: on_gauge
pack: garden
enabled: true
trigger: {type: garden.rained}
action: {ref: core.local, parameters: {cmd: 'echo "{{ trigger.plant }} had water"'}}
`,
	"garden/rules/on_rain.yaml": `---
name: on_rain
pack: garden
enabled: on
trigger: {type: core.st2.webhook, parameters: {url: rain}}
criteria:
  trigger.body.plant: {type: equals, pattern: "{{ st2kv.system.plant }}"}
action: {ref: garden.note, parameters: {text: "{{ trigger.body.plant }}, rained upon, {{ st2kv.system.plant }}"}}
`,
};

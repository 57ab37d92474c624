import json
import os

from svc.sensors import PollingSensor


class InboxSensor(PollingSensor):
    def setup(self):
        self.directory = self.config["directory"]
        self.logger = self.sensor_service.get_logger(name=__name__)
        os.makedirs(self.directory, exist_ok=True)

    def poll(self):
        seen = json.loads(self.sensor_service.get_value("seen") or "[]")
        names = sorted(os.listdir(self.directory))
        for name in names:
            if name not in seen:
                size = os.path.getsize(os.path.join(self.directory, name))
                self.sensor_service.dispatch(trigger="inbox.file", payload={"name": name, "bytes": size})
                self.logger.info("reported %s", name)
        if names != seen:
            self.sensor_service.set_value("seen", json.dumps(names))

from svc.sensors import PollingSensor


class GuestBook(PollingSensor):
    """Reports each new line of the file."""

    def setup(self):
        self.logger = self.sensor_service.get_logger("guest_book")

    def poll(self):
        known = int(self.sensor_service.get_value("lines") or 0)
        lines = self.read_lines()
        for name in lines[known:]:
            self.sensor_service.dispatch("template_name.guest", {"name": name})
        self.sensor_service.set_value("lines", len(lines))

    def read_lines(self):
        try:
            with open(self.config["guest_book"], encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            self.logger.warning("the guest book does not exist yet")
            return []

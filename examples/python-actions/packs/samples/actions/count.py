from svc.actions import Action


class Count(Action):
    def run(self):
        count = int(self.action_service.get_value("count") or 0) + 1
        self.action_service.set_value("count", count)
        return count

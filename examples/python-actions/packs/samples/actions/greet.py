from svc.actions import Action


class Greet(Action):
    def run(self, name):
        self.logger.info("greeting %s", name)
        return "{}, {}!".format(self.config["greeting"], name)

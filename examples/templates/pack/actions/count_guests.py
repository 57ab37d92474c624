from svc.actions import Action


class CountGuests(Action):
    def run(self, names):
        guests = [name for name in names if name.strip()]
        if not guests:
            return False, {"guests": 0}
        self.logger.info("%d of %d have a name", len(guests), len(names))
        return {"guests": len(guests)}

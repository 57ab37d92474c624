import shutil

from svc.actions import Action


class CheckDisk(Action):
    def run(self, path, limit):
        if limit is None:
            limit = self.config["disk_limit"]
        usage = shutil.disk_usage(path)
        used = round(100 * usage.used / usage.total, 1)
        print("{} is {} % full".format(path, used))
        return (used <= limit, {"path": path, "used": used, "limit": limit})

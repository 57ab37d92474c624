import os
import tempfile

from guest_book import GuestBook
from svc.testing import SensorTestCase


class GuestBookTest(SensorTestCase):
    sensor_class = GuestBook

    def setUp(self):
        super().setUp()
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = os.path.join(directory.name, "guests.txt")

    def make_ready(self):
        sensor = self.make_sensor(config={"guest_book": self.file})
        sensor.setup()
        return sensor

    def write(self, text):
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(text)

    def test_reports_each_line_once(self):
        self.write("Ann\n")
        sensor = self.make_ready()
        sensor.poll()
        self.write("Bob\n")
        sensor.poll()
        self.assertEqual(self.dispatched("template_name.guest"), [{"name": "Ann"}, {"name": "Bob"}])

    def test_missing_guest_book_is_accepted(self):
        self.make_ready().poll()
        self.assertEqual(self.dispatched(), [])

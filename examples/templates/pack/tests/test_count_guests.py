from count_guests import CountGuests
from svc.testing import ActionTestCase


class CountGuestsTest(ActionTestCase):
    action_class = CountGuests

    def test_names_count(self):
        self.assertEqual(self.run_action(names=["Ann", "", "Bob"]), (True, {"guests": 2}))

    def test_fails_without_guests(self):
        self.assertEqual(self.run_action(names=[" "]), (False, {"guests": 0}))

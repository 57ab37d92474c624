import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as register } from "uvu";
import { requires } from "../../core/testing/index.ts";
import { packCompatibility } from "./index.ts";

const { test } = requires(register, { command: "python3" });
const own = fileURLToPath(new URL("../../plugins-runner/python-script/python", import.meta.url));
const path = `${own}:${packCompatibility().create().pythonPath}`;

/** What a program prints, as JSON. */
function run(program: string): unknown {
	const env = { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" };
	return JSON.parse(execFileSync("python3", ["-S", "-c", `import json\n${program}\nprint(json.dumps(result))`], { env, encoding: "utf8" }));
}

test("every module and name of the reference is there", () => {
	const page = readFileSync(join(fileURLToPath(new URL("../../docs/reference", import.meta.url)), "pack-compatibility.md"), "utf8");
	const rows = [...page.matchAll(/^\| `(st2[\w.]+)`(?:, `(st2\w+)`)? \| (.+) \|$/gm)];
	assert.ok(rows.length > 10);
	const wanted = rows.flatMap(([, module, , names = ""]) =>
		[...(names.split(";")[0]?.matchAll(/`([A-Za-z_]\w*)`/g) ?? [])].map(([, name]) => [module, name]),
	);
	const missing = run(`import importlib
wanted = json.loads(${JSON.stringify(JSON.stringify(wanted))})
result = [pair for pair in wanted if not hasattr(importlib.import_module(pair[0]), pair[1])]`);
	assert.deepEqual(missing, []);
});

test("times are read and written with their zones, and other texts refused", () => {
	const found = run(`from st2common.util import isotime
import datetime
east = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
result = [
    isotime.format(isotime.parse("2026-01-31T12:00:00.5Z")),
    isotime.format("2026-01-31 12:00:00-0230", usec=False),
    isotime.format(east, usec=False), isotime.format(0, offset=False),
    [isotime.validate(text, raise_exception=False) for text in ("2026-01-31T12:00:00Z", "2026-02-31T12:00:00Z", "yesterday", "")],
]`);
	assert.deepEqual(found, [
		"2026-01-31T12:00:00.500000+00:00",
		"2026-01-31T14:30:00+00:00",
		"2026-01-31T12:00:00+02:00",
		"1970-01-01T00:00:00.000000Z",
		[true, false, false, false],
	]);
});

test("the stand-in of eventlet does its work with threads", () => {
	const found = run(`import eventlet
from eventlet.green import time
from eventlet import patcher
eventlet.monkey_patch(os=True, thread=False)
pool = eventlet.GreenPool(2)
done = eventlet.Event()
eventlet.spawn_after(0, done.send, "sent")
canceled = eventlet.spawn_after(60, print)
canceled.cancel()
def fail(): raise ValueError("no")
try:
    eventlet.spawn(fail).wait()
except ValueError as error:
    failed = str(error)
with eventlet.Timeout(0, False):
    eventlet.sleep(0.01)
result = [list(pool.imap(lambda x: x * 2, [1, 2, 3])), done.wait(), failed, time.__name__, pool.free(), canceled.wait()]`);
	assert.deepEqual(found, [[2, 4, 6], "sent", "no", "time", 2, null]);
});

test("files of the running pack and of packs beside it are found, and paths that lead out of a pack refused", () => {
	const found = run(`from st2common.content import utils
from st2common.content.utils import get_pack_base_path, get_pack_file_abs_path, get_pack_resource_file_abs_path
from svc import pack
import os, tempfile
def refused(call, *given):
    try:
        return call(*given)
    except ValueError as error:
        return "ValueError"
with tempfile.TemporaryDirectory() as base:
    pack.ref, pack.directory = "garden", os.path.join(base, "garden-1.0")
    os.makedirs(os.path.join(base, "garden-1.0", "actions"))
    os.makedirs(os.path.join(base, "shed"))
    short = lambda path: path and path.replace(base, "BASE")
    result = [short(path) for path in [
        get_pack_base_path("garden"), get_pack_base_path(pack_name="shed", include_trailing_slash=True), get_pack_base_path(""),
        utils.get_packs_base_paths()[0], utils.get_pack_directory("shed"), utils.get_pack_directory("nothing"),
        get_pack_file_abs_path(pack_ref="garden", file_path="etc/a.j2"),
        get_pack_resource_file_abs_path("garden", "sensor", "rain.py"),
        utils.get_entry_point_abs_path("garden", "water.py"),
        utils.get_entry_point_abs_path("garden", pack.directory + "/actions/water.py"),
        utils.get_relative_path_to_pack_file("garden", pack.directory + "/actions/water.py"),
    ]] + [utils.check_pack_content_directory_exists("garden", kind) for kind in ("actions", "sensors")] + [
        refused(get_pack_file_abs_path, "garden", path) for path in ("../shed/x", "/etc/passwd", "a/../../x", "./x")
    ] + [
        refused(get_pack_resource_file_abs_path, "garden", "action", "../etc/x"),
        refused(get_pack_resource_file_abs_path, "garden", "pack", "x"),
        refused(utils.get_relative_path_to_pack_file, "garden", pack.directory + "-other/x"),
    ]`);
	assert.deepEqual(found, [
		"BASE/garden-1.0",
		"BASE/shed/",
		null,
		"BASE",
		"BASE/shed",
		null,
		"BASE/garden-1.0/etc/a.j2",
		"BASE/garden-1.0/sensors/rain.py",
		"BASE/garden-1.0/actions/water.py",
		"BASE/garden-1.0/actions/water.py",
		"actions/water.py",
		true,
		false,
		...Array(7).fill("ValueError"),
	]);
});

test("tests of packs have their classes, and bases of tests are skipped however they are run", () => {
	const found = run(`import unittest, types, sys
from st2common.runners.base_action import Action
from st2reactor.sensor.base import PollingSensor
from st2tests.base import BaseActionTestCase, BaseSensorTestCase
import mock

class Greet(Action):
    def run(self, name):
        self.action_service.set_value("name", name)
        return self.config.get("word", "hello") + " " + self.action_service.get_value("name")

class Look(PollingSensor):
    def setup(self): pass
    def poll(self):
        self.sensor_service.dispatch(trigger="garden.seen", payload={"poll": self._poll_interval})
    def cleanup(self): pass
    def add_trigger(self, trigger): pass
    def update_trigger(self, trigger): pass
    def remove_trigger(self, trigger): pass

class Base(BaseActionTestCase):
    __test__ = False
    def test_anything(self): self.fail("of a base")

class GreetTest(Base):
    __test__ = True
    action_cls = Greet
    def test_anything(self):
        self.assertEquals(self.get_action_instance({"word": "hi"}).run(name="Ada"), "hi Ada")
        self.assertEquals(self.get_action_instance().run(name="Ada"), "hello Ada")
    def test_assertions(self):
        with self.assertRaisesRegexp(ValueError, "a.c"): raise ValueError("abc")

class LookTest(BaseSensorTestCase):
    sensor_cls = Look
    def test_poll(self):
        sensor = self.get_sensor_instance(config={}, poll_interval=7)
        sensor.poll()
        self.assertTriggerDispatched(trigger="garden.seen", payload={"poll": 7})
        with self.assertRaises(AssertionError): self.assertTriggerDispatched(trigger="garden.other")
        self.sensor_service.dispatched_triggers = []
        self.assertEqual(self.get_dispatched_triggers(), [])

outcome = unittest.TestResult()
for case in (Base("test_anything"), GreetTest("test_anything"), GreetTest("test_assertions"), LookTest("test_poll")):
    case.run(outcome)
result = [outcome.testsRun, len(outcome.skipped), [text.splitlines()[-1] for _, text in outcome.errors + outcome.failures], mock.Mock.__module__]`);
	assert.deepEqual(found, [4, 1, [], "unittest.mock"]);
});

test("formats of action aliases give the parameters of a command", () => {
	const found = run(`from st2tests.formats import ParseException, extract_parameters
def extract(*given):
    try:
        return extract_parameters(*given)
    except ParseException:
        return None
result = [
    extract("ping {{ host }} {{ count=3 }}", "ping example.org"),
    extract("ping {{ host }} {{ count=3 }}", "ping example.org 5"),
    extract("note {{ text }}", 'note "two words" by=Ada'),
    extract("note {{ text }}", "forget it"),
    extract("list (rules|actions)", "list rules"),
]`);
	assert.deepEqual(found, [
		{ host: "example.org", count: "3" },
		{ host: "example.org", count: "5" },
		{ text: "two words", by: "Ada" },
		null,
		{},
	]);
});

register.run();

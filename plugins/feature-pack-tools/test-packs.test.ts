import * as assert from "node:assert/strict";
import { test as everyTest } from "uvu";
import type { PackTestResult } from "../../core/contract/index.ts";
import { withPackOnDisk } from "../../core/testing/packs/pack-on-disk.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { testPacks } from "./test-packs.ts";

const test = everyTest;
const { test: pythonTest } = requires(everyTest, { command: "python3" });
const count = "name: count\nrunner_type: local-shell-cmd\nparameters:\n  herd: { type: string }\n  pin: { type: string, secret: true }\n";
const feed = `name: feed
trigger: { type: core.svc.webhook, parameters: { url: feed } }
criteria:
  trigger.body.herd: { type: equals, pattern: "{{ svckv.system.herd }}" }
  trigger.body.size: { type: gt, pattern: 5 }
action:
  ref: yard.count
  parameters:
    herd: "{{ trigger.body.herd }}"
    pin: "1234"
`;

async function run(files: Readonly<Record<string, string>>, only?: string): Promise<readonly PackTestResult[]> {
	let results: readonly PackTestResult[] = [];
	await withPackOnDisk({ "actions/count.yaml": count, "rules/feed.yaml": feed, ...files }, async ({ directory }) => {
		const tests = await testPacks({ directories: [directory], only, signal: new AbortController().signal });
		results = tests.flatMap((one) => one.results);
	});
	return results;
}

const toLines = (results: readonly PackTestResult[]) =>
	results.map(({ kind, file, name, problems }) => `${problems.length > 0 ? "not ok" : "ok"} ${kind} ${file}: ${name}`);

test("cases of a rule say whether it matches, with which parameters, and what does not hold", async () => {
	const results = await run({
		"tests/rules/feed.yaml": `
- name: a large herd is counted
  payload: { body: { herd: sheep, size: 6 } }
  datastore: { herd: sheep }
  expect: { parameters: { herd: sheep, pin: "********" } }
- name: another one is not
  payload: { body: { herd: cows, size: 6 } }
  datastore: { herd: sheep }
  expect: { matches: false, criterion: trigger.body.herd }
- name: items of one case are not there in the next
  payload: { body: { herd: sheep, size: 6 } }
  expect: { matches: false }
- name: wrong parameters
  payload: { body: { herd: sheep, size: 6 } }
  datastore: { herd: sheep }
  expect: { parameters: { herd: cows } }
- name: wrong verdict
  payload: { body: { herd: sheep, size: 5 } }
  datastore: { herd: sheep }
- name: wrong criterion
  payload: { body: { herd: sheep, size: 5 } }
  datastore: { herd: sheep }
  expect: { matches: false, criterion: trigger.body.herd }
- name: another rule
  rule: starve
  payload: {}
`,
	});
	const file = "rule tests/rules/feed.yaml";
	assert.deepEqual(toLines(results), [
		`ok ${file}: a large herd is counted`,
		`ok ${file}: another one is not`,
		`ok ${file}: items of one case are not there in the next`,
		`not ok ${file}: wrong parameters`,
		`not ok ${file}: wrong verdict`,
		`not ok ${file}: wrong criterion`,
		`not ok ${file}: another rule`,
	]);
	assert.deepEqual(
		results.slice(3).flatMap(({ problems }) => problems),
		[
			'parameters: expected {"herd":"cows"}\n            got {"herd":"sheep","pin":"********"}',
			'the rule does not match: criterion "trigger.body.size" does not match',
			'expected criterion "trigger.body.herd" not to match, but: criterion "trigger.body.size" does not match',
			'rule "yard.starve" does not exist; hint: `svc pack check` shows why a rule of the pack is skipped',
		],
	);
});

test("cases of workflows run, and what cannot be read has failed", async () => {
	const results = await run({
		"actions/round.yaml": "name: round\nrunner_type: workflow\nentry_point: workflows/round.yaml\n",
		"actions/workflows/round.yaml": "version: 1.0\ntasks:\n  one:\n    action: yard.count\noutput:\n  - size: 5\n",
		"actions/workflows/round.test.yaml":
			"- name: counts\n  expect: { output: { size: 5 } }\n- name: miscounts\n  expect: { output: { size: 6 } }\n",
		"tests/rules/list.yaml": "name: no list\n",
		"tests/rules/shape.yaml": "- name: one\n  payload: {}\n- name: two\n  payloads: {}\n",
		"tests/rules/text.yaml": "- name: [\n",
	});
	assert.deepEqual(toLines(results), [
		"ok workflow actions/workflows/round.test.yaml: counts",
		"not ok workflow actions/workflows/round.test.yaml: miscounts",
		"not ok rule tests/rules/list.yaml: cases can be read",
		"not ok rule tests/rules/shape.yaml: cases can be read",
		"not ok rule tests/rules/text.yaml: cases can be read",
	]);
	assert.deepEqual(results[2]?.problems, ["must contain a list of cases"]);
	assert.deepEqual(results[3]?.problems, ['case 2: unknown attribute "payloads"; did you mean "payload"?']);
	assert.match(results[4]?.problems[0] ?? "", /^line \d+: /);
});

test("cases of aliases say what commands ask for", async () => {
	const results = await run({
		"aliases/feed.yaml": "name: feed\naction_ref: yard.count\nformats: ['feed {{ herd }}', 'feed {{ herd }} at {{ hour=noon }}']\n",
		"aliases/all.yaml": "name: all\naction_ref: yard.count\nformats: ['feed all{{ rest= }}']\n",
		"aliases/many.yaml":
			"name: many\naction_ref: yard.count\nformats: [{ display: count, representation: ['count {{ herd }};'], match_multiple: true }]\n",
		"tests/aliases/feed.yaml": `
- { command: feed sheep, expect: { action: yard.count, parameters: { herd: sheep } } }
- { name: stays, command: starve sheep, expect: { matches: false } }
- { command: starve cows }
- { command: feed cows, expect: { matches: false } }
- { command: feed goats, expect: { action: yard.milk, parameters: { herd: geese } } }
- { command: feed all, expect: { parameters: { herd: all } } }
- { alias: many, command: count sheep; count cows;, expect: { executions: [{ herd: sheep }, { herd: cows }] } }
- { alias: gone, command: feed }
`,
	});
	const file = "alias tests/aliases/feed.yaml";
	assert.deepEqual(toLines(results), [
		`ok ${file}: feed sheep`,
		`ok ${file}: stays`,
		`not ok ${file}: starve cows`,
		`not ok ${file}: feed cows`,
		`not ok ${file}: feed goats`,
		`not ok ${file}: feed all`,
		`ok ${file}: count sheep; count cows;`,
		`not ok ${file}: feed`,
	]);
	assert.deepEqual(results[4]?.problems, [
		"action: expected yard.milk, got yard.count",
		'parameters: expected {"herd":"geese"}\n            got {"herd":"goats"}',
	]);
	assert.deepEqual(results[5]?.problems, ['the command also matches "yard.all"']);
});

test("only those that are asked for run", async () => {
	const cases = "- { name: one, payload: {}, expect: { matches: false } }\n- { name: two, payload: {}, expect: { matches: false } }\n";
	assert.deepEqual(toLines(await run({ "tests/rules/feed.yaml": cases }, "two")), ["ok rule tests/rules/feed.yaml: two"]);
});

pythonTest("unit tests in Python run beside the cases", async () => {
	const results = await run({
		"actions/graze.py": "from svc.actions import Action\nclass Graze(Action):\n    def run(self, hours):\n        return hours * 2\n",
		"tests/test_graze.py":
			"from svc.testing import ActionTestCase\nfrom graze import Graze\nclass GrazeTest(ActionTestCase):\n    action_class = Graze\n    def test_hours(self):\n        self.assertEqual(self.run_action(hours=2), (True, 4))\n",
	});
	assert.deepEqual(toLines(results), ["ok python tests/test_graze.py: GrazeTest.test_hours"]);
});

test.run();

import * as assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import type { PackFinding } from "../../core/contract/index.ts";
import { type PackOnDisk, withPackOnDisk } from "../../core/testing/packs/pack-on-disk.test-support.ts";
import { checkPacks } from "./check-packs.ts";

const count = "name: count\nrunner_type: local-shell-cmd\nparameters:\n  cmd:\n    default: ls\n";

async function check(...directories: readonly string[]): Promise<readonly PackFinding[]> {
	const checks = await checkPacks({ directories, signal: new AbortController().signal });
	return checks.flatMap(({ findings }) => findings);
}

function toPlaces(findings: readonly PackFinding[]): readonly string[] {
	return findings.map(({ type, file, line, path }) => `${type} ${file}:${line ?? ""} ${path ?? ""}`);
}

function checked(
	name: string,
	files: Readonly<Record<string, string>>,
	expected: readonly string[],
	prepare?: (pack: PackOnDisk) => Promise<void>,
) {
	test(name, () =>
		withPackOnDisk(files, async (pack) => {
			await prepare?.(pack);
			const findings = await check(pack.directory);
			assert.deepEqual(toPlaces(findings), expected, JSON.stringify(findings, undefined, 1));
		}),
	);
}

checked("nothing is found in a pack without faults", { "actions/count.yaml": count }, []);

checked(
	"every fault of an action is told at once, each with its line",
	{
		"actions/count.yaml": `name: count
runner_type: local-shell-cmdd
entry_point: ../../count.sh
enabled: 5
parameters:
  herd:
    type: txt
    postion: 0
  yard:
    type: string
    immutable: true
notify:
  on-complete:
    message: 5
colour: red
`,
	},
	[
		"error actions/count.yaml:2 runner_type",
		"error actions/count.yaml:3 entry_point",
		"error actions/count.yaml:4 enabled",
		"error actions/count.yaml:7 parameters.herd.type",
		"error actions/count.yaml:8 parameters.herd.postion",
		"error actions/count.yaml:11 parameters.yard.immutable",
		"error actions/count.yaml:14 notify.on-complete.message",
		"error actions/count.yaml:15 colour",
	],
);

checked(
	"a parameter of the runner cannot be made another one, and a script must be there",
	{
		"actions/count.yaml": count.replace("default: ls", "type: integer"),
		"actions/script.yaml": "name: script\nrunner_type: local-shell-script\n",
		"actions/gone.yaml": "name: gone\nrunner_type: local-shell-script\nentry_point: gone.sh\n",
	},
	["error actions/count.yaml:5 parameters.cmd.type", "error actions/gone.yaml:3 entry_point", "error actions/script.yaml: entry_point"],
);

checked(
	"every fault of a rule is told at once: criteria, templates, the ref of the action",
	{
		"rules/feed.yaml": `name: feed
trigger:
  type: core.svc.webhook
criteria:
  trigger.body.name:
    type: equalz
    pattern: 1
  trigger.body.size:
    type: eq
    pattern: "{{ size"
  trigger.body.tag:
    type: matchregex
    pattern: (web
action:
  ref: nodot
  parameters:
    herd: "{{ trigger.body | }}"
`,
	},
	[
		"error rules/feed.yaml:5 criteria.trigger.body.name",
		"error rules/feed.yaml:10 criteria.trigger.body.size.pattern",
		"error rules/feed.yaml:11 criteria.trigger.body.tag",
		"error rules/feed.yaml:15 action.ref",
		"error rules/feed.yaml:17 action.parameters.herd",
	],
);

checked(
	"a rule needs a trigger that is there: of the service, or of the pack",
	{
		"actions/count.yaml": count,
		"triggers/moved.yaml": "name: moved\npayload_schema: { type: object }\n",
		"rules/one.yaml": "name: one\ntrigger: { type: yard.moved }\naction: { ref: yard.count }\n",
		"rules/two.yaml": "name: two\ntrigger:\n  type: yard.gone\naction: { ref: yard.count }\n",
	},
	["error rules/two.yaml:3 trigger.type"],
);

checked(
	"rules and aliases are held against their actions, and templates of rules against what there is",
	{
		"actions/count.yaml": `${count}  herd: { type: string, required: true }\n`,
		"actions/far.yaml": "name: far\nrunner_type: elsewhere\n",
		"rules/one.yaml": `name: one
trigger: { type: core.svc.webhook, parameters: { url: one } }
action:
  ref: yard.count
  parameters:
    hurd: "{{ trigger.body.name | uper }}"
`,
		"rules/two.yaml": "name: two\ntrigger: { type: core.svc.webhook, parameters: { url: two } }\naction: { ref: yard.cuont }\n",
		"rules/three.yaml": "name: three\ntrigger: { type: core.svc.webhook, parameters: { url: two } }\naction: { ref: field.mow }\n",
		"rules/four.yaml": "name: four\ntrigger: { type: core.svc.webhook, parameters: { url: two } }\naction: { ref: yard.far }\n",
		"aliases/count.yaml": "name: count\naction_ref: yard.cuont\nformats: [count]\n",
		"README.md": "# yard\n",
	},
	[
		"error actions/far.yaml:2 runner_type",
		"error aliases/count.yaml:2 action_ref",
		"note rules/one.yaml:5 action.parameters",
		"error rules/one.yaml:6 action.parameters.hurd",
		"error rules/one.yaml:6 action.parameters.hurd",
		"note rules/three.yaml:3 action.ref",
		"error rules/two.yaml:3 action.ref",
	],
);

checked(
	"faults of policies, trigger types and the configuration are told with their place",
	{
		"policies/few.yaml": "name: few\nresource_ref: yard.count\npolicy_type: action.concurrencyy\n",
		"triggers/moved.yaml": "name: moved\npayload_schema:\n  properties:\n    herd: { type: txt }\n",
		"config.schema.yaml": "token:\n  type: string\n  secret: 5\n",
	},
	[
		"error config.schema.yaml:3 token.secret",
		"error policies/few.yaml:3 policy_type",
		"error triggers/moved.yaml:4 payload_schema.properties.herd.type",
	],
);

checked(
	"every fault of a sensor is told, and one that no runner takes",
	{
		"sensors/gate.yaml": `class_name: Gate
entry_point: gate.py
poll_interval: 2
trigger_types:
  - name: opened
  - name: closed
    payload: {}
`,
		"sensors/gate.py": "class Gate: pass\n",
		"sensors/fence.yaml": "class_name: Fence\nentry_point: fence.rb\n",
		"sensors/fence.rb": "",
		"sensors/lost.yaml": "class_name: Lost\nentry_point: ../lost.py\n",
		"sensors/twice.yaml": "class_name: Lost\nentry_point: gate.py\n",
	},
	[
		"error sensors/fence.yaml:2 entry_point",
		"error sensors/gate.yaml:3 poll_interval",
		"error sensors/gate.yaml:7 trigger_types[1].payload",
		"error sensors/lost.yaml:2 entry_point",
		"error sensors/twice.yaml:1 class_name",
	],
);

checked(
	"defaults are held against the type of their parameter, in actions and in the schema of the configuration",
	{
		"actions/count.yaml": `${count}  herd:
    type: string
    default: 1.10
    immutable: true
  size:
    type: integer
    default: "5"
  gate:
    type: object
    properties:
      open:
        type: boolean
        default: perhaps
`,
		"config.schema.yaml": "size:\n  type: integer\n  default: many\n",
	},
	[
		"error actions/count.yaml:8 parameters.herd.default",
		"error actions/count.yaml:18 parameters.gate.properties.open.default",
		"error config.schema.yaml:3 size.default",
	],
);

checked(
	"the example of a configuration is held against its schema",
	{ "config.schema.yaml": "size:\n  type: integer\n", "yard.yaml.example": "# How many.\nsize: many\n" },
	["error yard.yaml.example:2 size"],
);

checked(
	"a definition is looked at with the actions that are there, and those of packs elsewhere are left open",
	{
		"actions/count.yaml": count,
		"actions/broken.yaml": "name: broken\nrunner_type: [\n",
		"actions/round.yaml": "name: round\nrunner_type: workflow\nentry_point: workflows/round.yaml\n",
		"actions/workflows/round.yaml": `version: 1.0
tasks:
  one:
    action: yard.gone
  two:
    action: field.mow
  three:
    action: yard.count cmdd=5
`,
	},
	[
		"error actions/broken.yaml:3 ",
		"error actions/workflows/round.yaml:4 tasks.one.action",
		"note actions/workflows/round.yaml:6 tasks.two.action",
		"error actions/workflows/round.yaml:7 tasks.three.input.cmdd",
	],
);

checked(
	"what nothing reads is named, and so is what two files describe",
	{
		"actions/count.yaml": count,
		"actions/again.yaml": count,
		"actions/deep/other.yaml": count,
		"rules/deep/feed.yaml": "name: feed\n",
		"rules/feed.json": "{}",
		"herds/one.yaml": "name: one\n",
		"herd.csv": "1,2\n",
		"icon.png": "no image",
		"requirements.txt": "requests>=2 # for http\n-r other.txt\n???\n",
		"actions/config.yaml": "a: 1\n",
	},
	[
		"note actions/config.yaml: ",
		"error actions/count.yaml:1 name",
		"note actions/deep/other.yaml: ",
		"note herd.csv: ",
		"note herds/: ",
		"error icon.png: ",
		"error requirements.txt:3 ",
		"note rules/deep/feed.yaml: ",
		"note rules/feed.json: ",
	],
);

checked("a link out of the pack is refused", {}, ["error etc/passwords: "], async ({ directory }) => {
	await mkdir(join(directory, "etc"));
	await symlink("/etc/passwd", join(directory, "etc/passwords"));
});

checked("a link to the folder of the pack does not lead out of it", {}, [], async ({ directory }) => {
	await symlink(".", join(directory, "yard"));
});

checked(
	"faults of the manifest hide nothing of what is described beside it",
	{ "pack.yaml": "name: yard\nversion: one\nautor: Ann\n", "actions/count.yaml": `${count}colour: red\n` },
	[
		"error actions/count.yaml:6 colour",
		"error pack.yaml: description",
		"error pack.yaml: author",
		"error pack.yaml:2 version",
		"note pack.yaml:3 autor",
	],
);

test("hostile texts are findings, and end nothing", () =>
	withPackOnDisk(
		{
			"rules/bomb.yaml": `a: &a [1, 1]\n${[..."bcdefghijk"].map((name, index) => `${name}: &${name} [${`*${"abcdefghij"[index]}, `.repeat(20)}]`).join("\n")}\n`,
			"config.schema.yaml": `---${"\n".repeat(100_000)}x`,
			"rules/deep.yaml": `name: ${"[".repeat(5_000)}`,
			"rules/proto.yaml": "__proto__: { name: x }\nconstructor: 5\n",
			"actions/huge.yaml": `name: huge\nrunner_type: local-shell-cmd\ndescription: ${"x".repeat(600_000)}\n`,
			"actions/names.yaml": `name: names\nrunner_type: local-shell-cmd\nparameters:\n${Array.from({ length: 500 }, (_, index) => `  "p ${index}": {}\n`).join("")}`,
		},
		async ({ directory }) => {
			const findings = await check(directory);
			for (const file of [
				"config.schema.yaml",
				"rules/bomb.yaml",
				"rules/deep.yaml",
				"rules/proto.yaml",
				"actions/huge.yaml",
				"actions/names.yaml",
			])
				assert.ok(
					findings.some((finding) => finding.file === file && finding.type === "error"),
					`${file}: ${JSON.stringify(findings)}`,
				);
			assert.ok(findings.every(({ message }) => message.length < 1_000));
		},
	));

test("packs that are checked together know each other, and a directory of packs stands for all of them", () =>
	withPackOnDisk(
		{
			"actions/round.yaml": "name: round\nrunner_type: workflow\nentry_point: workflows/round.yaml\n",
			"actions/workflows/round.yaml": "version: 1.0\ntasks:\n  one:\n    action: field.mow cmd=5\n",
			"../field/pack.yaml": "ref: field\nname: field\ndescription: Grass.\nversion: 1.0.0\nauthor: Ann\n",
			"../field/actions/mow.yaml": "name: mow\nrunner_type: local-shell-cmd\nparameters: { cmd: { immutable: true, default: mow } }\n",
			"../field/README.md": "# field\n",
		},
		async ({ directory }) => {
			const findings = await check(join(directory, ".."));
			assert.deepEqual(toPlaces(findings), ["error actions/workflows/round.yaml:3 tasks.one.input.cmd"]);
			assert.match(findings[0]?.message ?? "", /Input "cmd" of action .* is immutable and cannot be set/);
		},
	));

test("what is no pack is refused by name", async () => {
	await assert.rejects(check("/nonexistent/yard"), /"\/nonexistent\/yard" is not a directory/);
	await assert.rejects(check("core/language/yaql"), /is not a pack and contains no packs/);
});

test.run();

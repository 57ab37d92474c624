import * as assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "uvu";
import { isSvcError } from "../../../contract/index.ts";
import { exceptOn, postgresBackends } from "../../../testing/backends/backend-names.test-support.ts";
import { principal, startEngine, type TestEngine } from "../../../testing/engine/engine.test-support.ts";
import { type Files, install, keepVersion, packsOf } from "./pack-activation.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const action = (name: string, more = "") => `name: ${name}\nrunner_type: scripted\n${more}`;
const rule = (name: string, trigger: string, more = "") =>
	`name: ${name}\nenabled: true\ntrigger: ${trigger}\naction: {ref: disk.look}\n${more}`;
const hook = (url: string) => `{type: core.svc.webhook, parameters: {url: ${url}}}`;

const first: Files = {
	"actions/look.yaml": action("look"),
	"actions/old.yaml": action("old"),
	"triggers/full.yaml": "name: full\n",
	"triggers/gone.yaml": "name: gone\n",
	"rules/on_full.yaml": rule("on_full", "{type: disk.full}"),
	"rules/on_gone.yaml": rule("on_gone", "{type: disk.gone}"),
	"rules/on_hook.yaml": rule("on_hook", hook("disk")),
	"policies/one.yaml": "name: one\nresource_ref: disk.look\npolicy_type: action.concurrency\nparameters: {threshold: 1}\n",
	"aliases/look.yaml": "name: look\naction_ref: disk.look\nformats: [look]\n",
};

const second: Files = {
	"actions/look.yaml": action("look", "description: better\n"),
	"actions/new.yaml": action("new"),
	"triggers/full.yaml": "name: full\ndescription: d\n",
	"rules/on_full.yaml": rule("on_full", "{type: disk.full}", "description: better\n"),
	"rules/on_hook.yaml": rule("on_hook", hook("disk/two")),
};

const kinds = ["pack", "action", "trigger_type", "trigger", "rule", "policy", "action_alias"] as const;

/** Everything that packs change, without what the service itself has. */
async function look({ storage }: TestEngine) {
	const found: Record<string, readonly object[]> = {};
	for (const kind of kinds) {
		const all = (await storage.find(kind, {})) as readonly { readonly ref: string }[];
		found[kind] = all.filter(({ ref }) => !/^(core|default|packs|chatops)(\.|$)/.test(ref) || kind === "trigger");
	}
	return found;
}

async function refs(node: TestEngine) {
	const found = await look(node);
	const toRefs = (entities: readonly object[] = []) => entities.map((entity) => (entity as { readonly ref: string }).ref).sort();
	const hooks = ((await node.storage.find("trigger", { where: { type: "core.svc.webhook" } })) ?? []).map(
		({ parameters }) => parameters["url"],
	);
	const named = Object.fromEntries(kinds.filter((kind) => kind !== "trigger").map((kind) => [kind, toRefs(found[kind])]));
	return { ...named, hooks } as { readonly [name: string]: readonly unknown[]; readonly hooks: readonly unknown[] };
}

async function withEngine(use: (node: TestEngine) => Promise<void>): Promise<void> {
	const node = await startEngine();
	try {
		await use(node);
	} finally {
		await node.stop();
	}
}

exceptOnPostgres("a new version brings what is new, changes what is there, and what it no longer has goes", () =>
	withEngine(async (node) => {
		const { report } = await install(node.engine, "disk", first);
		assert.equal(report.countOf("action"), 2);
		assert.deepEqual(await refs(node), {
			pack: ["disk"],
			action: ["disk.look", "disk.old"],
			trigger_type: ["disk.full", "disk.gone"],
			rule: ["disk.on_full", "disk.on_gone", "disk.on_hook"],
			policy: ["disk.one"],
			action_alias: ["disk.look"],
			hooks: ["disk"],
		});
		const before = await look(node);
		await install(node.engine, "disk", second);
		assert.deepEqual(await refs(node), {
			pack: ["disk"],
			action: ["disk.look", "disk.new"],
			trigger_type: ["disk.full"],
			rule: ["disk.on_full", "disk.on_hook"],
			policy: [],
			action_alias: [],
			hooks: ["disk/two"],
		});
		const [kept] = await node.storage.find("action", { where: { ref: "disk.look" } });
		const [pack] = await node.storage.find("pack", { where: { ref: "disk" } });
		assert.ok(before["action"]?.some((one) => (one as { readonly id: string }).id === kept?.id));
		assert.equal(kept?.description, "better");
		assert.equal(kept?.content, pack?.content);
		assert.equal(pack?.path, null);
	}),
);

exceptOnPostgres("what operators have switched off stays off, and what was made over the API stays", () =>
	withEngine(async ({ engine, storage }) => {
		await install(engine, "disk", first);
		const { rule: found } = await engine.rules.get("disk.on_full");
		await storage.update("rule", found.id, { enabled: false });
		await engine.rules.create({ name: "mine", pack: "disk", trigger: { type: "disk.full" }, action: { ref: "core.noop" } }, principal);
		await install(engine, "disk", second);
		assert.equal((await engine.rules.get("disk.on_full")).rule.enabled, false);
		assert.equal((await engine.rules.get("disk.on_full")).rule.description, "better");
		assert.equal((await engine.rules.get("disk.mine")).rule.enabled, false);
	}),
);

test("with one file that cannot be used nothing changes, and every problem is told", () =>
	withEngine(async (node) => {
		await install(node.engine, "disk", first);
		const before = await look(node);
		const broken: Files = {
			...second,
			"actions/bad.yaml": "name: bad\nrunner_type: nope\n",
			"actions/worse.yaml": "name: [\n",
			"rules/on_full.yaml": rule("on_full", "{type: disk.no_such}"),
			"rules/twice.yaml": rule("on_hook", hook("other")),
			"policies/bad.yaml": "name: bad\nresource_ref: disk.look\npolicy_type: nope\n",
			"config.schema.yaml": "size: {type: nope}\n",
		};
		await assert.rejects(install(node.engine, "disk", broken, { isStrict: true }), (error: unknown) => {
			assert.ok(isSvcError(error, "SVC_INVALID"));
			const problems = error.facts["problems"] as readonly { pack: string; file: string; message: string }[];
			assert.deepEqual(
				problems.map(({ pack, file }) => `${pack}: ${file}`).sort(),
				["actions/bad.yaml", "actions/worse.yaml", "config.schema.yaml", "policies/bad.yaml", "rules/on_full.yaml", "rules/twice.yaml"].map(
					(file) => `disk: ${file}`,
				),
			);
			assert.match(error.message, /pack "disk": actions\/bad\.yaml:2: attribute "runner_type" must be one of scripted \(runner_type\)/);
			assert.ok(!error.message.includes(node.engine.nodeId) && !error.message.includes(tmpdir()), error.message);
			return true;
		});
		assert.deepEqual(await look(node), before);
		const { problems } = await install(node.engine, "disk", broken, { failOnFailure: false });
		assert.equal(problems.length, 5);
		assert.equal((await node.engine.rules.get("disk.on_full")).rule.description, "");
		assert.equal(await node.storage.count("action", { ref: "disk.new" }), 1);
	}));

exceptOnPostgres("what this service is not made for is left out and told: runner types, and what has to be configured", () =>
	withEngine(async ({ engine, storage }) => {
		const files = {
			"actions/look.yaml": action("look"),
			"actions/far.yaml": "name: far\nrunner_type: nope\n",
			"config.schema.yaml": "size: {type: integer, required: true}\n",
		};
		const { notes } = await install(engine, "disk", files);
		assert.deepEqual(
			notes.map(({ pack, file, message }) => `${pack}: ${file}: ${message}`),
			[
				'disk: actions/far.yaml: attribute "runner_type": runner type "nope" is not configured',
				'disk: config.schema.yaml: configuration of pack "disk": "size" is required',
			],
		);
		assert.equal(await storage.count("action", { pack: "disk" }), 1);
	}),
);

exceptOnPostgres("defaults of another type than their parameter's are told with line and parameter, and the pack is installed", () =>
	withEngine(async ({ engine, storage }) => {
		const files = {
			"actions/look.yaml": `${action("look")}parameters:\n  version:\n    type: string\n    default: 1.10\n  port: {type: integer, default: "80"}\n`,
			"config.schema.yaml": "size:\n  type: integer\n  default: many\n",
		};
		const { notes } = await install(engine, "disk", files);
		assert.deepEqual(
			notes.map(({ file, line, path, message }) => `${file}:${line} ${path}: ${message}`),
			[
				'actions/look.yaml:6 parameters.version.default: default of parameter "version" must be a string, got a number; put it in quotes',
				'config.schema.yaml:3 size.default: default of parameter "size" must be an integer, got a string that cannot be converted',
			],
		);
		assert.equal(await storage.count("action", { pack: "disk" }), 1);
	}),
);

test("a pack that goes takes everything with it, and leaves what is others'", () =>
	withEngine(async (node) => {
		const before = await look(node);
		await install(node.engine, "disk", first);
		await node.engine.rules.create(
			{ name: "other", pack: "default", trigger: { type: "core.svc.webhook", parameters: { url: "disk" } }, action: { ref: "core.noop" } },
			principal,
		);
		await node.engine.rules.create(
			{ name: "mine", pack: "disk", trigger: { type: "core.svc.webhook", parameters: { url: "mine" } }, action: { ref: "core.noop" } },
			principal,
		);
		await packsOf(node.engine).switch.remove(["disk"]);
		const { hooks, ...left } = await refs(node);
		assert.deepEqual(left, { pack: [], action: [], trigger_type: [], rule: [], policy: [], action_alias: [] });
		assert.deepEqual(hooks, ["disk"]);
		await node.engine.rules.remove("default.other");
		assert.deepEqual(await look(node), before);
	}));

exceptOnPostgres("packs of the service itself, and names of other packs, are refused", () =>
	withEngine(async (node) => {
		for (const ref of ["core", "default"]) {
			await assert.rejects(install(node.engine, ref, {}), /is built in/);
			await assert.rejects(packsOf(node.engine).switch.remove([ref]), /is built in/);
		}
		const version = await keepVersion(node.engine, "disk", first);
		await assert.rejects(
			packsOf(node.engine).switch.apply([{ ...version, pack: "other" }]),
			/pack\.yaml:1: attribute "ref" must be "other"/,
		);
		const foreign = { "actions/a.yaml": action("a", "pack: core\n"), "rules/r.yaml": rule("r", "{type: disk.full}", "pack: default\n") };
		await assert.rejects(install(node.engine, "disk", foreign), (error) => {
			assert.match((error as Error).message, /actions\/a\.yaml:3: attribute "pack" must be "disk"/);
			assert.match((error as Error).message, /rules\/r\.yaml:5: attribute "pack" must be "disk"/);
			return true;
		});
		assert.deepEqual((await refs(node))["pack"], []);
	}),
);

test("several packs are switched together or not at all", () =>
	withEngine(async (node) => {
		const { engine } = node;
		const base = await keepVersion(engine, "base", { "triggers/full.yaml": "name: full\n", "actions/look.yaml": action("look") });
		const top = await keepVersion(engine, "top", { "rules/on.yaml": "name: on\ntrigger: {type: base.full}\naction: {ref: base.look}\n" });
		await assert.rejects(packsOf(engine).switch.apply([top]), /trigger type "base\.full" does not exist/);
		assert.deepEqual((await refs(node))["pack"], []);
		await packsOf(engine).switch.apply([base, top]);
		assert.deepEqual((await refs(node))["pack"], ["base", "top"]);
	}));

test("a pack that has become another one than the caller saw is left alone", () =>
	withEngine(async ({ engine, storage }) => {
		await install(engine, "disk", first);
		const version = await keepVersion(engine, "disk", second);
		await assert.rejects(packsOf(engine).switch.apply([{ ...version, expected: null }]), (error) => isSvcError(error, "SVC_CONFLICT"));
		const [pack] = await storage.find("pack", { where: { ref: "disk" } });
		await packsOf(engine).switch.apply([{ ...version, expected: pack?.content ?? null }]);
		assert.equal((await engine.rules.get("disk.on_full")).rule.description, "better");
	}));

test.run();

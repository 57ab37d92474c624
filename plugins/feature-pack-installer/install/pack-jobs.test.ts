// test-suite: full
import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "uvu";
import { defineAuthBackend, defineRunner, type ExecutionEntity, type JsonObject } from "../../../core/contract/index.ts";
import { principal, startEngine, type TestEngine, type TestEngineOptions } from "../../../core/testing/engine/engine.test-support.ts";
import { FailingStorage } from "../../../core/testing/http/failing-storage.test-support.ts";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { workflow } from "../../../plugins-runner/workflow/index.ts";
import { memoryStorage } from "../../storage-memory/index.ts";
import { SourceBench } from "../sources/pack-fetcher.test-support.ts";

const action = (text: string) => ({
	"actions/sweep.yaml": "name: sweep\nrunner_type: local-shell-script\nentry_point: sweep.sh\n",
	"actions/sweep.sh": `#!/bin/sh\n${text}\n`,
});

/** Takes the place of the runner of scripts: its result is the words after `echo`. No process is needed to show which file was run. */
const script = defineRunner("local-shell-script", () => ({
	description: "Prints words.",
	capabilities: {},
	entryPoint: "required",
	parameters: { cwd: { type: "string" } },
	async run({ entryPoint }) {
		return { succeeded: true, result: { stdout: /echo (.*)/.exec(await readFile(entryPoint, "utf8"))?.[1] ?? "" } };
	},
}));

interface Setup extends TestEngine {
	readonly bench: SourceBench;
	/** Commit a pack with these files; what is written to ask for it. */
	commit(ref: string, version: string, files?: Readonly<Record<string, string>>): string;
	/** Run an action to its end. */
	run(ref: string, parameters?: JsonObject): Promise<ExecutionEntity>;
}

async function withEngine(
	use: (setup: Setup) => Promise<void>,
	options: TestEngineOptions["options"] = {},
	runners: TestEngineOptions["runners"] = [],
	storage?: TestEngineOptions["storage"],
	scripts = script(),
): Promise<void> {
	const bench = new SourceBench();
	const test = await startEngine({ runners: [scripts, ...runners], options, ...(storage !== undefined && { storage }) });
	try {
		await use({
			...test,
			bench,
			commit(ref, version, files = action(`echo ${version}`)) {
				bench.write(`${ref}/pack.yaml`, `ref: ${ref}\nname: ${ref}\ndescription: d\nversion: ${version}\nauthor: a\n`);
				for (const [path, text] of Object.entries(files)) bench.write(`${ref}/${path}`, text, path.endsWith(".sh") ? 0o755 : 0o644);
				bench.commit(ref);
				return `file://${bench.root}/${ref}/.git`.replaceAll(" ", "%20");
			},
			async run(ref, parameters = {}) {
				const { id } = await test.submit(parameters, { action: ref });
				return test.settled(id);
			},
		});
	} finally {
		await test.stop();
		bench.remove();
	}
}

test("an execution with name or password in an address is refused before it is stored, and the answer does not repeat them", () =>
	withEngine(async ({ submit, storage }) => {
		for (const address of ["https://me:hunter2@git.invalid/x", "https://hunter2@git.invalid/x", " HTTP:\\\\me:hunter2@git.invalid/x=v1"]) {
			const refusal = await submit({ packs: [address] }, { action: "packs.install" }).catch((error: unknown) => error);
			assert.ok(refusal instanceof Error, address);
			assert.match(refusal.message, /^parameter "packs\.0" must not be a URL with a user name or password, .*credentials_file/);
			assert.doesNotMatch(refusal.message, /hunter2/);
		}
		assert.equal(await storage.count("execution", {}), 0);
	}));

test("every fault of a pack is told with file and line before anything is made ready for it, and the version before goes on", () => {
	const prepared: string[] = [];
	const careful = defineRunner("careful", () => ({
		description: "Takes its time to make ready.",
		capabilities: {},
		parameters: {},
		prepare: async ({ pack }) => void prepared.push(pack),
		run: async () => ({ succeeded: true, result: {} }),
	}));
	return withEngine(
		async ({ commit, run, storage }) => {
			await run("packs.install", { packs: [commit("disk", "1.0.0")] });
			const hook = "trigger:\n  type: core.svc.webhook\n  parameters: {url: disk}\n";
			const criteria = "criteria:\n  trigger.body.a:\n    type: matchregex\n    pattern: (web\n  trigger.body.b:\n    type: like\n";
			const address = commit("disk", "2.0.0", {
				...action("echo two"),
				"rules/watch.yaml": `name: watch\n${hook}${criteria}action: {ref: disk.sweep}\n`,
				"rules/lost.yaml": "name: lost\ntrigger:\n  type: disk.gone\naction: {ref: disk.sweep}\n",
			});
			const { status, result } = await run("packs.install", { packs: [address] });
			const { error, tasks } = result as unknown as { error: string; tasks: readonly { name: string; state: string }[] };
			assert.equal(status, "failed");
			assert.match(error, /^pack "disk": rules\/lost\.yaml:3: trigger type "disk\.gone" does not exist/);
			assert.match(
				error,
				/rules\/watch\.yaml:6: criteria "trigger\.body\.a" has a pattern that matchregex cannot use: .*rules\/watch\.yaml:9: criteria "trigger\.body\.b"/,
			);
			assert.deepEqual([tasks.at(-1)?.name, tasks.at(-1)?.state], ["check the files of disk 2.0.0", "failed"]);
			assert.deepEqual([prepared, (await storage.find("pack", { where: { ref: "disk" } }))[0]?.version], [["disk"], "1.0.0"]);
		},
		{},
		[careful()],
	);
});

const resultOf = ({ result }: ExecutionEntity) => result as JsonObject & { output: JsonObject; stdout: string; error: string };

test("an installed pack runs at once, its next version too, and nothing of it is left when it is removed", () =>
	withEngine(async ({ commit, run, storage, engine }) => {
		const address = commit("disk", "1.0.0");
		const installed = await run("packs.install", { packs: [address] });
		assert.equal(installed.status, "succeeded", JSON.stringify(installed.result));
		assert.deepEqual(resultOf(installed).output["packs_list"], ["disk"]);
		assert.equal(resultOf(await run("disk.sweep")).stdout, "1.0.0");
		commit("disk", "2.0.0", { ...action("echo two"), "actions/extra.yaml": "name: extra\n" });
		const refused = await run("packs.upgrade", { packs: ["disk"] });
		assert.equal(refused.status, "failed");
		assert.match(resultOf(refused).error, /actions\/extra\.yaml: attribute "runner_type" is missing/);
		assert.equal(resultOf(await run("disk.sweep")).stdout, "1.0.0");
		commit("disk", "2.0.1", { ...action("echo two"), "actions/extra.yaml": "name: extra\nrunner_type: scripted\n" });
		assert.equal((await run("packs.upgrade", { packs: ["disk"] })).status, "succeeded");
		assert.equal(resultOf(await run("disk.sweep")).stdout, "two");
		assert.equal((await run("packs.rollback", { pack: "disk" })).status, "succeeded");
		assert.equal(resultOf(await run("disk.sweep")).stdout, "1.0.0");
		assert.equal(await storage.count("action", { pack: "disk" }), 1);
		assert.deepEqual(
			(await engine.packInstalls.lock()).map(({ ref, version }) => [ref, version]),
			[["disk", "1.0.0"]],
		);
		assert.equal((await run("packs.uninstall", { packs: ["disk"] })).status, "succeeded");
		assert.deepEqual([await storage.count("action", { pack: "disk" }), await storage.count("pack", { ref: "disk" })], [0, 0]);
		const { items } = await engine.audit.entries({ filter: { record_kind: "pack" }, direction: "asc" });
		const told = items.map(({ request, verb, ref, detail }) => `${request} ${verb} ${ref}: ${detail?.replace(/[0-9a-f]{60}/g, "…")}`);
		const changes = [
			/^action packs\.install create disk: version 1\.0\.0, content …[0-9a-f]{4}$/,
			/^action packs\.upgrade update disk: version 2\.0\.1, content …[0-9a-f]{4}; was version 1\.0\.0, content …[0-9a-f]{4}$/,
			/^action packs\.rollback update disk: version 1\.0\.0, content …[0-9a-f]{4}; was version 2\.0\.1, content …[0-9a-f]{4}$/,
			/^action packs\.uninstall delete disk: was version 1\.0\.0, content …[0-9a-f]{4}$/,
		];
		assert.equal(told.length, changes.length, told.join("\n"));
		for (const [index, change] of changes.entries()) assert.match(told[index] ?? "", change);
		assert.deepEqual(
			[items[0]?.user, items[0]?.credential, items[0]?.record_kind],
			[principal.username, `execution:${installed.id}`, "pack"],
		);
	}));

test("where the audit record cannot be written a pack stays what it was", async () => {
	const failing = new FailingStorage();
	await withEngine(
		async ({ commit, run, engine }) => {
			const address = commit("disk", "1.0.0");
			assert.equal((await run("packs.install", { packs: [address] })).status, "succeeded");
			commit("disk", "2.0.0");
			failing.failure = (member, values) =>
				member === "write" && JSON.stringify(values).includes('"insert":"audit_entry"') ? new Error("no room") : undefined;
			for (const [action, parameters] of [
				["packs.upgrade", { packs: ["disk"] }],
				["packs.uninstall", { packs: ["disk"] }],
			] as const) {
				const refused = await run(action, parameters);
				assert.equal(refused.status, "failed");
				assert.match(resultOf(refused).error, /the audit entry of the change cannot be stored; nothing was changed/);
			}
			failing.failure = undefined;
			assert.deepEqual(
				(await engine.packInstalls.lock()).map(({ ref, version }) => [ref, version]),
				[["disk", "1.0.0"]],
			);
			assert.equal((await engine.audit.entries({ filter: { record_kind: "pack" } })).total, 1);
		},
		{},
		[],
		failing.wrap(memoryStorage()),
	);
});

test("an execution ends with the files that it began with, though its pack is another one or gone", () =>
	withEngine(
		async ({ commit, run, bench, submit, settled, engine }) => {
			const gate = bench.write("gate");
			const wait = `echo begun; while [ -e '${gate}' ]; do sleep 0.05; done; cat "$(dirname "$0")/word.txt"`;
			const address = commit("disk", "1.0.0", { ...action(wait), "actions/word.txt": "first" });
			await run("packs.install", { packs: [address] });
			const { id } = await submit({}, { action: "disk.sweep" });
			for await (const { data } of engine.output.follow(id, { signal: new AbortController().signal })) if (data.includes("begun")) break;
			commit("disk", "2.0.0", { ...action("cat actions/word.txt"), "actions/word.txt": "second" });
			assert.equal((await run("packs.install", { packs: [address] })).status, "succeeded");
			assert.equal((await run("packs.uninstall", { packs: ["disk"] })).status, "succeeded");
			bench.run("rm", [gate]);
			assert.match(resultOf(await settled(id)).stdout, /first$/);
		},
		{},
		[],
		undefined,
		localScript(),
	));

test("a pack that is for other versions of the service and of Python is installed by force, and stays what it is", () =>
	withEngine(async ({ commit, run, bench, storage }) => {
		const address = commit("disk", "1.0.0");
		const manifest = (version: string) => `ref: disk\nname: disk\ndescription: d\nversion: ${version}\nauthor: a\n`;
		bench.write("disk/pack.yaml", `${manifest("2.0.0")}svc_version: ">=99"\npython_versions: ["2"]\n`);
		bench.commit("disk");
		const refused = await run("packs.install", { packs: [address] });
		assert.match(
			resultOf(refused).error,
			/nothing was changed: pack "disk": attribute "svc_version" requires >=99; this is \S+; pack "disk" runs with/,
		);
		const forced = await run("packs.install", { packs: [address], force: true });
		assert.equal(forced.status, "succeeded", JSON.stringify(forced.result));
		assert.equal((resultOf(forced).output["conflict_list"] as readonly string[]).length, 2);
		// What is registered again, or gone back to, has been wanted once.
		assert.equal((await run("packs.load", { packs: ["disk"] })).status, "succeeded");
		bench.write("disk/pack.yaml", manifest("3.0.0"));
		bench.commit("disk");
		assert.equal((await run("packs.upgrade", { packs: ["disk"] })).status, "succeeded");
		const back = await run("packs.rollback", { pack: "disk" });
		assert.equal(back.status, "succeeded", JSON.stringify(back.result));
		assert.equal((await storage.find("pack", { where: { ref: "disk" } }))[0]?.version, "2.0.0");
	}));

test("a pack that is unloaded does nothing any more, and is there again when it is loaded or installed", () =>
	withEngine(async ({ commit, run, storage, engine }) => {
		const rule = "name: on_hook\nenabled: true\ntrigger: {type: core.svc.webhook, parameters: {url: disk}}\naction: {ref: disk.sweep}\n";
		const address = commit("disk", "1.0.0", { ...action("echo one"), "rules/on_hook.yaml": rule, "triggers/full.yaml": "name: full\n" });
		await run("packs.install", { packs: [address] });
		await engine.actions.create({ name: "mine", pack: "disk", runner_type: "scripted" });
		const count = async () => {
			const kinds = ["action", "rule", "trigger_type", "pack"] as const;
			return Promise.all(kinds.map((kind) => storage.count(kind, (kind === "pack" ? { ref: "disk" } : { pack: "disk" }) as object)));
		};
		assert.deepEqual(await count(), [2, 1, 1, 1]);
		const { status, result } = await run("packs.unload", { packs: ["disk"] });
		assert.equal(status, "succeeded", JSON.stringify(result));
		assert.deepEqual(await count(), [0, 0, 0, 1]);
		assert.deepEqual(await storage.find("trigger", { where: { type: "core.svc.webhook" } }), []);
		assert.equal((await run("packs.load", { packs: ["disk"] })).status, "succeeded");
		assert.deepEqual(await count(), [1, 1, 1, 1]);
		assert.equal(resultOf(await run("disk.sweep")).stdout, "one");
		await run("packs.unload", { packs: ["disk"] });
		assert.equal((await run("packs.install", { packs: [address] })).status, "succeeded");
		assert.deepEqual(await count(), [1, 1, 1, 1]);
		for (const [ref, problem] of [
			["core", /"core" is built in/],
			["tape", /"tape" is not installed/],
		] as const)
			assert.match(resultOf(await run("packs.unload", { packs: [ref] })).error, problem);
	}));

test("a workflow whose definition does not compile is not installed, and one whose actions may come later is", () =>
	withEngine(
		async ({ commit, run, storage }) => {
			const files = (task: string) => ({
				"actions/round.yaml": "name: round\nrunner_type: workflow\nentry_point: workflows/round.yaml\n",
				"actions/workflows/round.yaml": `version: 1.0\ntasks:\n  one:\n    action: field.mow\n${task}`,
			});
			const refused = await run("packs.install", { packs: [commit("disk", "1.0.0", files("    next:\n      - do: gone\n"))] });
			assert.match(resultOf(refused).error, /^pack "disk": actions\/workflows\/round\.yaml:\d+: semantic: .*gone/);
			assert.equal(await storage.count("pack", { ref: "disk" }), 0);
			const installed = await run("packs.install", { packs: [commit("disk", "1.0.1", files(""))] });
			assert.equal(installed.status, "succeeded", JSON.stringify(installed.result));
		},
		{},
		[workflow()],
	));

test("an action of another pack cannot have the runner of the pack packs", () =>
	withEngine(async ({ commit, run, engine }) => {
		const files = { "actions/install.yaml": "name: install\nrunner_type: pack-job\n" };
		const refused = await run("packs.install", { packs: [commit("disk", "1.0.0", files)] });
		assert.match(resultOf(refused).error, /actions\/install\.yaml:2: attribute "runner_type" must be one of (?:(?!pack-job).)*$/);
		await assert.rejects(engine.actions.create({ name: "install", pack: "default", runner_type: "pack-job" }), /pack-job/);
		await assert.rejects(engine.actions.create({ name: "mine", pack: "packs", runner_type: "scripted" }), /system pack "packs"/);
	}));

test("what is installed is told by the pack packs", () =>
	withEngine(async ({ commit, run }) => {
		await run("packs.install", { packs: [commit("disk", "1.0.0")] });
		const { output } = resultOf(await run("packs.get", { pack: "disk" }));
		assert.deepEqual([(output["pack"] as JsonObject)["version"], output["packs_list"]], ["1.0.0", ["disk"]]);
		assert.equal((await run("packs.setup_virtualenv", { packs: ["disk"] })).status, "succeeded");
		assert.match(resultOf(await run("packs.get", { pack: "tape" })).error, /pack "tape" is not installed/);
	}));

const execute = { resource_uid: "action:packs:install", permission_types: ["action_execute"] };
const nobody = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));
const rbac = {
	enable: true,
	roles: [
		{ name: "runner", permission_grants: [execute] },
		{ name: "installer", permission_grants: [execute, { permission_types: ["pack_install"] }] },
	],
	assignments: [
		{ username: "bob", roles: ["runner"] },
		{ username: "ann", roles: ["installer"] },
	],
};

test("who may run the action may not for that install: it takes the permission, and a key the scope", () =>
	withEngine(
		async ({ commit, engine, settled }) => {
			const packs = [commit("disk", "1.0.0")];
			const ask = async (username: string, role: string, scopes?: readonly string[]) => {
				const principal = {
					username,
					isAdmin: false,
					roles: [role],
					authentication: { method: "none" },
					...(scopes && { scopes }),
				} as const;
				const { entity } = await engine.executions.submit({ action: "packs.install", parameters: { packs } }, principal);
				return settled(entity.id);
			};
			assert.match(resultOf(await ask("bob", "runner")).error, /user "bob" does not have the permission "pack_install"/);
			assert.match(resultOf(await ask("ann", "installer", ["action_execute"])).error, /"pack_install"/);
			assert.equal((await ask("ann", "installer")).status, "succeeded");
		},
		{ auth: { enable: true, backend: nobody() }, rbac } as TestEngineOptions["options"],
	));

/** The action `sweep`, a workflow and a rule of it. */
function roundFiles(tasks: string, rule = "action: { ref: disk.sweep }\n"): Readonly<Record<string, string>> {
	return {
		...action("true"),
		"actions/round.yaml": "name: round\nrunner_type: workflow\nentry_point: workflows/round.yaml\n",
		"actions/workflows/round.yaml": `version: 1.0\ntasks:\n${tasks}`,
		"rules/on.yaml": `name: on\ntrigger: { type: core.svc.webhook, parameters: { url: on } }\n${rule}`,
	};
}

test("wrong names of functions and of a pack's own actions and parameters keep the pack from being installed, with file and line", () =>
	withEngine(
		async ({ commit, run, storage }) => {
			const files = roundFiles(
				"  one:\n    action: disk.swep\n    next:\n      - when: <% suceeded() %>\n  two:\n    action: disk.sweep colour=5\n",
				"action:\n  ref: disk.sweep\n  parameters:\n    size: 5\n    cwd: '{{ trigger.body.dir | uper }}'\n",
			);
			const { error } = resultOf(await run("packs.install", { packs: [commit("disk", "1.0.0", files)] }));
			for (const part of [
				/actions\/workflows\/round\.yaml:4: content: The action "disk\.swep" is not registered/,
				/actions\/workflows\/round\.yaml:6: expression: unknown function "suceeded"; did you mean "succeeded"\?/,
				/actions\/workflows\/round\.yaml:\d: content: Action "disk\.sweep" has unexpected input "colour"/,
				/rules\/on\.yaml:6: action "disk\.sweep" has no parameter "size" \(action\.parameters\.size\)/,
				/rules\/on\.yaml:7: unknown filter "uper"; did you mean "upper"\?/,
			])
				assert.match(error, part);
			assert.equal(await storage.count("pack", { ref: "disk" }), 0);
		},
		{},
		[workflow()],
	));

test("what a pack uses of other packs is told as a warning, and a default of another type", () =>
	withEngine(
		async ({ commit, run, storage }) => {
			const files = {
				...roundFiles("  one:\n    action: field.mow\n  two:\n    action: core.noop colour=5\n", "action: { ref: field.mow }\n"),
				"actions/sweep.yaml": `${action("true")["actions/sweep.yaml"]}parameters:\n  version: { type: string, default: 1.10 }\n`,
				"aliases/mow.yaml": "name: mow\naction_ref: field.mow\nformats: [mow]\n",
				// A runner that this service does not have: its action is not registered, and not told to be missing.
				"actions/far.yaml": "name: far\nrunner_type: elsewhere\n",
				"actions/workflows/far.yaml": "version: 1.0\ntasks:\n  one:\n    action: disk.far\n",
				"actions/farther.yaml": "name: farther\nrunner_type: workflow\nentry_point: workflows/far.yaml\n",
			};
			const installed = await run("packs.install", { packs: [commit("disk", "1.0.0", files)] });
			assert.equal(installed.status, "succeeded", JSON.stringify(installed.result));
			const { warning_list: warnings } = (installed.result as unknown as { output: { warning_list: readonly string[] } }).output;
			for (const part of [
				/^pack "disk": actions\/workflows\/round\.yaml:4: content: The action "field\.mow" is not registered/,
				/round\.yaml:\d: content: Action "core\.noop" has unexpected input "colour"/,
				/rules\/on\.yaml:3: action "field\.mow" does not exist \(action\.ref\)/,
				/aliases\/mow\.yaml:2: action "field\.mow" does not exist/,
				/actions\/sweep\.yaml:5: default of parameter "version" must be a string, got a number; put it in quotes/,
				/actions\/far\.yaml:2: attribute "runner_type": runner type "elsewhere" is not configured/,
			])
				assert.ok(
					warnings.some((warning) => part.test(warning)),
					`${part}: ${warnings.join("\n")}`,
				);
			assert.equal(warnings.length, 6, warnings.join("\n"));
			assert.equal(await storage.count("rule", { ref: "disk.on" }), 1);
		},
		{},
		[workflow(), noop()],
	));

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { localScript } from "../../../../plugins-runner/local-script/index.ts";
import { defineAuthBackend, type ExecutionEntity, type JsonObject } from "../../../contract/index.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../../../testing/engine/engine.test-support.ts";
import { SourceBench } from "../sources/sources.test-support.ts";

const action = (text: string) => ({
	"actions/sweep.yaml": "name: sweep\nrunner_type: local-shell-script\nentry_point: sweep.sh\n",
	"actions/sweep.sh": `#!/bin/sh\n${text}\n`,
});

interface Setup extends TestEngine {
	readonly bench: SourceBench;
	/** Commit a pack with these files; what is written to ask for it. */
	commit(ref: string, version: string, files?: Readonly<Record<string, string>>): string;
	/** Run an action to its end. */
	run(ref: string, parameters?: JsonObject): Promise<ExecutionEntity>;
}

async function withEngine(use: (setup: Setup) => Promise<void>, options: TestEngineOptions["options"] = {}): Promise<void> {
	const bench = new SourceBench();
	const test = await startEngine({ runners: [localScript()], options });
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
	}));

test("an execution ends with the files that it began with, though its pack is another one or gone", () =>
	withEngine(async ({ commit, run, bench, submit, settled, engine }) => {
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
	}));

test("an action of another pack cannot have the runner of the pack packs", () =>
	withEngine(async ({ commit, run, engine }) => {
		const files = { "actions/install.yaml": "name: install\nrunner_type: pack-job\n" };
		const refused = await run("packs.install", { packs: [commit("disk", "1.0.0", files)] });
		assert.match(resultOf(refused).error, /actions\/install\.yaml: .*"pack-job"/);
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

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { FollowedPackEntity } from "../../../contract/index.ts";
import { toEngineClock } from "../../../kernel/basics/clock.ts";
import { startEngine, type TestEngine } from "../../../testing/engine/engine.test-support.ts";
import { SourceBench } from "../sources/sources.test-support.ts";
import { type FollowParts, followOnce } from "./follow-packs.ts";

interface Setup extends TestEngine {
	readonly bench: SourceBench;
	/** Commit the pack `disk`; the commit. */
	commit(version: string, manifest?: string): string;
	/** Look once; what is known afterwards. */
	follow(): Promise<FollowedPackEntity>;
	pass(minutes: number): void;
	version(): Promise<string | undefined>;
}

async function withFollowed(use: (setup: Setup) => Promise<void>): Promise<void> {
	const bench = new SourceBench();
	const test = await startEngine();
	let passed = 0;
	const clock = toEngineClock({ now: () => (Date.now() + passed * 60_000) * 1_000 });
	const address = `file://${bench.root}/disk/.git`.replaceAll(" ", "%20");
	const { storage, engine } = test;
	const logger = { debug() {}, info() {}, warn() {}, error() {} };
	const parts = {
		storage,
		clock,
		logger,
		sources: bench.sources,
		executions: engine.executions,
		systemUser: "svc",
	} as unknown as FollowParts;
	try {
		await use({
			...test,
			bench,
			commit(version, manifest = "") {
				bench.write("disk/pack.yaml", `ref: disk\nname: disk\ndescription: d\nversion: ${version}\nauthor: a\n${manifest}`);
				return bench.commit("disk", version);
			},
			async follow() {
				await followOnce(parts, `${address}=main`, new AbortController().signal);
				const [known, ...others] = await storage.find("followed_pack", {});
				assert.deepEqual(others, []);
				return known as FollowedPackEntity;
			},
			pass(minutes) {
				passed += minutes;
			},
			version: async () => (await storage.find("pack", { where: { ref: "disk" } }))[0]?.version,
		});
	} finally {
		await test.stop();
		bench.remove();
	}
}

test("what is new on the branch is installed, once", () =>
	withFollowed(async ({ commit, follow, version, storage }) => {
		const first = commit("1.0.0");
		const { state, pack, commit: tried } = await follow();
		assert.deepEqual([state, pack, tried, await version()], ["installed", "disk", first, "1.0.0"]);
		await follow();
		assert.equal(await storage.count("execution", { action_ref: "packs.install" }), 1);
		commit("1.1.0");
		assert.deepEqual([(await follow()).state, await version()], ["installed", "1.1.0"]);
	}));

test("what cannot be used leaves the old version, says why, and is tried again after a while or when it changes", () =>
	withFollowed(async ({ commit, follow, version, storage, pass }) => {
		commit("1.0.0");
		await follow();
		const broken = commit("2.0.0", 'svc_version: ">=99"\n');
		const failed = await follow();
		assert.deepEqual([failed.state, failed.commit, await version()], ["failed", broken, "1.0.0"]);
		assert.match(failed.reason ?? "", /"svc_version" asks for >=99/);
		await follow();
		assert.equal(await storage.count("execution", { action_ref: "packs.install" }), 2);
		pass(16);
		await follow();
		assert.equal(await storage.count("execution", { action_ref: "packs.install" }), 3);
		commit("2.0.1");
		assert.deepEqual([(await follow()).state, await version()], ["installed", "2.0.1"]);
	}));

test("a repository that is away is told, and changes nothing; a pack that was removed comes back", () =>
	withFollowed(async ({ commit, follow, version, bench, submit, settled }) => {
		commit("1.0.0");
		await follow();
		bench.run("mv", ["disk", "away"]);
		const away = await follow();
		assert.deepEqual([away.state, await version()], ["unreachable", "1.0.0"]);
		assert.ok((away.reason ?? "").length > 10);
		bench.run("mv", ["away", "disk"]);
		const back = await follow();
		assert.deepEqual([back.state, back.reason], ["installed", null]);
		const { id } = await submit({ packs: ["disk"] }, { action: "packs.uninstall" });
		assert.equal((await settled(id)).status, "succeeded");
		assert.equal(await version(), undefined);
		await follow();
		assert.equal(await version(), "1.0.0");
	}));

test("packs of the configuration are followed by the service itself, and listed", async () => {
	const bench = new SourceBench();
	bench.write("disk/pack.yaml", "ref: disk\nname: disk\ndescription: d\nversion: 1.0.0\nauthor: a\n");
	bench.commit("disk");
	const git = `file://${bench.root}/disk/.git`.replaceAll(" ", "%20");
	const { engine, storage, stop } = await startEngine({ options: { packs: [{ git, interval: 5 }] } });
	try {
		while ((await engine.packInstalls.followed())[0]?.state !== "installed") await new Promise((resolve) => setTimeout(resolve, 20));
		assert.equal(await storage.count("pack", { ref: "disk" }), 1);
	} finally {
		await stop();
		bench.remove();
	}
});

test.run();

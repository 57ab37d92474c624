// test-suite: full

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toEngineClock } from "../../../core/kernel/basics/clock.ts";
import { startEngine, type TestEngine } from "../../../core/testing/engine/engine.test-support.ts";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { workflow } from "../../../plugins-runner/workflow/index.ts";
import type { FollowedPackEntity } from "../entities.ts";
import { SourceBench } from "../sources/pack-fetcher.test-support.ts";
import { type FollowPackDependencies, followPack } from "./follow-pack.ts";
import { FollowedPacks } from "./followed-packs.ts";

interface Setup extends TestEngine {
	readonly bench: SourceBench;
	/** Commit the pack `disk`; the commit. */
	commit(version: string, manifest?: string, files?: Readonly<Record<string, string>>): string;
	/** Look once, for as long as the signal lets it; what is known afterwards. */
	follow(signal?: AbortSignal): Promise<FollowedPackEntity>;
	pass(minutes: number): void;
	version(): Promise<string | undefined>;
}

async function withFollowed(use: (setup: Setup) => Promise<void>): Promise<void> {
	const bench = new SourceBench();
	const git = `file://${bench.root}/disk/.git`.replaceAll(" ", "%20");
	const packs = [{ git, revision: "main", interval: 86_400 }];
	const test = await startEngine({ runners: [workflow()], options: { packs } });
	// It finds nobody there, and leaves the rest to the test.
	await until("the service has looked by itself", 30, async () =>
		(await test.storage.find("duty", {})).find(({ name, done_at }) => name.startsWith("follow") && done_at !== null),
	);
	let passed = 0;
	const clock = toEngineClock({ now: () => (Date.now() + passed * 60_000) * 1_000 });
	const { storage, engine } = test;
	const logger = { debug() {}, info() {}, warn() {}, error() {} };
	const parse = (text: string) => bench.sources.parse(text);
	const followedPacks = new FollowedPacks({ storage, clock, packs, parse });
	const parts = {
		storage,
		followedPacks,
		clock,
		logger,
		sources: bench.sources,
		executions: engine.executions,
		systemUser: "svc",
	} as unknown as FollowPackDependencies;
	try {
		await use({
			...test,
			bench,
			commit(version, manifest = "", files = {}) {
				for (const [path, text] of Object.entries(files)) bench.write(`disk/${path}`, text);
				bench.write("disk/pack.yaml", `ref: disk\nname: disk\ndescription: d\nversion: ${version}\nauthor: a\n${manifest}`);
				return bench.commit("disk", version);
			},
			async follow(signal = new AbortController().signal) {
				await followPack(parts, followedPacks.source(`${git}=main`), signal);
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
		assert.equal(await storage.count("execution", { action_ref: "packs.follow" }), 1);
		commit("1.1.0");
		assert.deepEqual([(await follow()).state, await version()], ["installed", "1.1.0"]);
	}));

const broken = {
	"actions/clean.yaml": "name: clean\nrunner_type: workflow\nentry_point: workflows/clean.yaml\n",
	"actions/workflows/clean.yaml": "version: 1.0\ntasks:\n  one:\n    action: core.noop\n    next:\n      - do: gone\n",
};

test("a head that does not compile leaves the old version, says why, and is tried again with the next one only", () =>
	withFollowed(async ({ commit, follow, version, storage, pass, engine }) => {
		commit("1.0.0");
		await follow();
		const before = await storage.find("action", { where: { pack: "disk" } });
		const head = commit("2.0.0", "", broken);
		const failed = await follow();
		assert.deepEqual([failed.state, failed.commit, failed.retry_at, await version()], ["failed", head, null, "1.0.0"]);
		assert.match(failed.reason ?? "", /actions\/workflows\/clean\.yaml.*"gone"/s);
		assert.deepEqual(await storage.find("action", { where: { pack: "disk" } }), before);
		assert.deepEqual(
			(await engine.packInstalls.followed()).map(({ state, reason }) => [state, reason]),
			[["failed", failed.reason]],
		);
		await follow();
		pass(24 * 60);
		assert.deepEqual([(await follow()).reason, await version()], [failed.reason, "1.0.0"]);
		assert.equal(await storage.count("execution", { action_ref: "packs.follow" }), 2);
		commit("2.0.1", "", { "actions/workflows/clean.yaml": broken["actions/workflows/clean.yaml"].replace("gone", "noop") });
		const mended = await follow();
		assert.deepEqual([mended.reason, mended.state, await version()], [null, "installed", "2.0.1"]);
	}));

/** Look until an installation goes on, and no longer: as a node does that has lost the duty. */
async function begin({ follow, storage }: Setup, count: number): Promise<FollowedPackEntity> {
	const lost = new AbortController();
	const looking = follow(lost.signal);
	await until("it has begun", 30, async () => (await storage.count("followed_pack", { state: "installing" })) > 0 || undefined);
	lost.abort();
	const known = await looking;
	assert.equal(await storage.count("execution", { action_ref: "packs.follow" }), count);
	return known;
}

test("an installation that nobody waited for to its end is told of by the next look, however it has ended", () =>
	withFollowed(async (setup) => {
		const { commit, follow, version, storage } = setup;
		commit("1.0.0");
		assert.equal((await begin(setup, 1)).state, "installing");
		assert.deepEqual([(await follow()).state, await version()], ["installed", "1.0.0"]);
		commit("2.0.0", "", broken);
		assert.equal((await begin(setup, 2)).state, "installing");
		const failed = await follow();
		assert.deepEqual([failed.state, failed.retry_at, await version()], ["failed", null, "1.0.0"]);
		assert.match(failed.reason ?? "", /"gone"/);
		assert.equal(await storage.count("execution", { action_ref: "packs.follow" }), 2, "nothing was begun for it");
	}));

test("what a commit may not be to blame for is tried again after a while", () =>
	withFollowed(async ({ commit, follow, version, storage, pass, bench }) => {
		commit("1.0.0");
		await follow();
		const head = commit(
			"2.0.0",
			`dependencies: ["file://${bench.root}/tape/.git"]\n`.replace(bench.root, bench.root.replaceAll(" ", "%20")),
		);
		const failed = await follow();
		assert.deepEqual([failed.state, failed.commit, await version()], ["failed", head, "1.0.0"]);
		assert.ok(failed.retry_at !== null);
		await follow();
		assert.equal(await storage.count("execution", { action_ref: "packs.follow" }), 2);
		bench.write("tape/pack.yaml", "ref: tape\nname: tape\ndescription: d\nversion: 1.0.0\nauthor: a\n");
		bench.commit("tape");
		pass(16);
		const { state, retry_at, pack } = await follow();
		assert.deepEqual([state, retry_at, pack, await version()], ["installed", null, "disk", "2.0.0"]);
	}));

test("a repository that was away is told to have failed as it had before", () =>
	withFollowed(async ({ commit, follow, bench }) => {
		commit("1.0.0");
		await follow();
		commit("2.0.0", 'svc_version: ">=99"\n');
		const failed = await follow();
		bench.run("mv", ["disk", "away"]);
		assert.equal((await follow()).state, "unreachable");
		bench.run("mv", ["away", "disk"]);
		const { checked_at: _, ...back } = await follow();
		const { checked_at: __, ...told } = failed;
		assert.deepEqual(back, told);
	}));

test("a repository does not take the name of a pack that has come from elsewhere", () =>
	withFollowed(async ({ commit, follow, bench, submit, settled, storage }) => {
		bench.write("tape/pack.yaml", "ref: tape\nname: tape\ndescription: d\nversion: 1.0.0\nauthor: a\n");
		bench.commit("tape");
		const { id } = await submit({ packs: [`file://${bench.root}/tape/.git`.replaceAll(" ", "%20")] }, { action: "packs.install" });
		assert.equal((await settled(id)).status, "succeeded");
		commit("1.0.0");
		await follow();
		bench.write("disk/pack.yaml", "ref: tape\nname: tape\ndescription: d\nversion: 9.0.0\nauthor: a\n");
		bench.commit("disk", "taken");
		const { state, reason, pack } = await follow();
		assert.deepEqual([state, pack], ["failed", "disk"]);
		assert.match(reason ?? "", /pack "tape" has another source/);
		assert.equal((await storage.find("pack", { where: { ref: "tape" } }))[0]?.version, "1.0.0");
	}));

test("a repository that is away is told, and changes nothing; a pack that is gone comes back", () =>
	withFollowed(async ({ commit, follow, version, bench, storage }) => {
		commit("1.0.0");
		await follow();
		bench.run("mv", ["disk", "away"]);
		const away = await follow();
		assert.deepEqual([away.state, await version()], ["unreachable", "1.0.0"]);
		assert.ok((away.reason ?? "").length > 10);
		bench.run("mv", ["away", "disk"]);
		const back = await follow();
		assert.deepEqual([back.state, back.reason], ["installed", null]);
		await storage.remove("pack", { where: { ref: "disk" } });
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

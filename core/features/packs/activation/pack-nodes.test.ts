import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { test } from "uvu";
import { defineRunner, type ExecutionEntity, isSvcError, type NodeRole, SvcError } from "../../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../../testing/engine/engine.test-support.ts";
import { createSharedStorage, type Door, type OnCall } from "../../../testing/engine/shared-storage.test-support.ts";
import { rounds } from "../../../testing/extent.test-support.ts";
import { type Files, install, keepVersion, packsOf } from "./pack-activation.test-support.ts";

/** How often two nodes switch at once. */
const switches = rounds({ short: 2, full: 3 }, "SWITCH_ROUNDS");
/** The storage fails at one of this many calls, other ones each day; 1 lets it fail at each. */
const step = rounds({ short: 3, full: 2 }, "SWITCH_STEP");
const firstCall = Math.floor(Date.now() / 86_400_000) % step;

/** Reads a file of its pack once `open` says so. */
function reader(open: () => Promise<void>) {
	return defineRunner("reader", () => ({
		description: "Tells what a file of its pack holds.",
		capabilities: {},
		parameters: {},
		async run({ packDirectory = "", actionParameters }) {
			await open();
			return {
				succeeded: true,
				result: { file: await readFile(join(packDirectory, "etc/text"), "utf8"), said: actionParameters["said"] ?? null },
			};
		},
	}))();
}

/** Everything in it says which version it is of. */
function version(name: string): Files {
	return {
		"etc/text": name,
		"actions/tell.yaml": `name: tell\nrunner_type: reader\nparameters: {said: {type: string, default: ${name}}}\n`,
		[`actions/only_${name}.yaml`]: `name: only_${name}\nrunner_type: reader\n`,
		"triggers/happened.yaml": "name: happened\n",
		"rules/on.yaml": `name: on\nenabled: true\ntrigger: {type: disk.happened}\naction: {ref: disk.tell, parameters: {said: by ${name}}}\n`,
		[`rules/${name}.yaml`]: `name: rule_${name}\nenabled: true\ntrigger: {type: core.svc.webhook, parameters: {url: ${name}}}\naction: {ref: disk.tell}\n`,
	};
}

interface Nodes {
	readonly first: TestEngine;
	readonly second: TestEngine;
	readonly storage: TestEngine["storage"];
}

interface NodeOptions {
	readonly open?: () => Promise<void>;
	/** What may happen to calls of the first node. */
	readonly onCall?: OnCall;
}

async function withNodes(use: (nodes: Nodes) => Promise<void>, { open = async () => {}, onCall }: NodeOptions = {}): Promise<void> {
	const { storage, createDoor, release } = createSharedStorage();
	const start = ({ plugin, eventBus }: Door, only?: readonly NodeRole[]) =>
		startEngine({ storage: plugin, eventBus, runners: [reader(open)], ...(only !== undefined && { only }) });
	const first = await start(createDoor(onCall), onCall && ["api"]);
	const second = await start(createDoor());
	try {
		await use({ first, second, storage });
	} finally {
		await first.stop();
		await second.stop();
		await release();
	}
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
	for (const deadline = performance.now() + 20_000; performance.now() < deadline; ) {
		const found = await look();
		if (found !== undefined) return found;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	throw new Error("not within 20 s");
}

/** The version that a pack is of, where all of it is of one. */
async function versionOf(storage: TestEngine["storage"]): Promise<string | undefined> {
	const [pack] = await storage.find("pack", { where: { ref: "disk" } });
	if (pack === undefined) return undefined;
	const actions = await storage.find("action", { where: { pack: "disk" } });
	const rules = await storage.find("rule", { where: { pack: "disk" } });
	const name = String(actions.find(({ name }) => name === "tell")?.parameters["said"]?.default);
	assert.deepEqual(actions.map((action) => action.name).sort(), [`only_${name}`, "tell"]);
	assert.deepEqual(rules.map((rule) => rule.name).sort(), ["on", `rule_${name}`]);
	for (const action of actions) assert.equal(action.content, pack.content);
	assert.deepEqual(rules.find((rule) => rule.name === "on")?.action_parameters, { said: `by ${name}` });
	const hooks = await storage.find("trigger", { where: { type: "core.svc.webhook" } });
	assert.deepEqual(
		hooks.map(({ parameters }) => parameters["url"]),
		[name],
	);
	return name;
}

test("rules and actions of a new version hold on the nodes that did not make it", () =>
	withNodes(async ({ first, second }) => {
		await install(first.engine, "disk", version("one"));
		const dispatch = async () => {
			const { instance } = await second.engine.dispatcher.dispatch({ trigger: "disk.happened", payload: {} });
			const { id } = await until(async (): Promise<ExecutionEntity | undefined> => {
				const { items } = await second.engine.executions.list({ filter: { trigger_instance_id: [instance.id] } });
				return items[0]?.entity;
			});
			return (await second.settled(id)).result;
		};
		await until(async () => ((await second.engine.triggers.types.get("disk.happened").catch(() => undefined)) ? true : undefined));
		assert.deepEqual(await dispatch(), { file: "one", said: "by one" });
		await install(first.engine, "disk", version("two"));
		// A node that hears nothing of the other one looks again within a second, at rules and at actions.
		const changed = { file: "two", said: "by two" };
		await until(async () => (isDeepStrictEqual(await dispatch(), changed) ? true : undefined));
		await packsOf(second.engine).switch.remove(["disk"]);
		await until(async () => {
			const answer = await first.engine.executions.submit({ action: "disk.tell" }, principal).catch((error: unknown) => error);
			return isSvcError(answer) ? true : undefined;
		});
	}));

test("executions that run or wait through the switch keep the files and parameters that they began with", async () => {
	let open = () => {};
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	await withNodes(
		async ({ first, second }) => {
			await install(first.engine, "disk", version("one"));
			const submit = async (delay?: number) => {
				const { entity } = await first.engine.executions.submit({ action: "disk.tell", ...(delay !== undefined && { delay }) }, principal);
				return entity.id;
			};
			const [running, waiting] = [await submit(), await submit(1_500)];
			await first.settled(running, "running");
			await install(second.engine, "disk", version("two"));
			await install(second.engine, "disk", version("three"));
			open();
			for (const id of [running, waiting]) assert.deepEqual((await first.settled(id)).result, { file: "one", said: "one" });
			const fresh = await until(async () => {
				const { result } = await first.settled(await submit());
				return result?.["said"] === "three" ? result : undefined;
			});
			assert.equal(fresh?.["file"], "three");
		},
		{ open: () => opened },
	);
});

test("two switches at once on two nodes leave one version whole", () =>
	withNodes(async ({ first, second, storage }) => {
		await install(first.engine, "disk", version("zero"));
		for (let round = 0; round < switches; round += 1) {
			const names = [`a${round}`, `b${round}`, `c${round}`, `d${round}`];
			const versions = await Promise.all(
				names.map((name, index) => keepVersion((index % 2 ? first : second).engine, "disk", version(name))),
			);
			await Promise.all(versions.map((one, index) => packsOf((index % 2 ? first : second).engine).switch.apply([one])));
			assert.ok(names.includes((await versionOf(storage)) ?? ""));
			const both = await Promise.allSettled(
				versions
					.slice(0, 2)
					.map((one, index) =>
						packsOf((index % 2 ? first : second).engine).switch.apply([{ ...one, expected: versions[3]?.content ?? "" }]),
					),
			);
			for (const one of both) if (one.status === "rejected") assert.ok(isSvcError(one.reason, "SVC_CONFLICT"));
			await versionOf(storage);
		}
	}));

test("two switches at once do not mix where they have nothing else in common than the pack", () =>
	withNodes(async ({ first, second, storage }) => {
		for (let round = 0; round < switches; round += 1) {
			const names = [`a${round}`, `b${round}`];
			const toFiles = (name: string): Files => ({ [`actions/${name}.yaml`]: `name: ${name}\nrunner_type: reader\n` });
			const versions = await Promise.all(
				names.map((name, index) => keepVersion((index === 0 ? first : second).engine, "plain", toFiles(name))),
			);
			await Promise.all(versions.map((one, index) => packsOf((index === 0 ? first : second).engine).switch.apply([one])));
			const found = await storage.find("action", { where: { pack: "plain" } });
			const [pack] = await storage.find("pack", { where: { ref: "plain" } });
			assert.deepEqual(
				found.map(({ content }) => content),
				[pack?.content],
			);
		}
	}));

test("a storage that fails at any call of a switch leaves the old version whole, or the new one; and the next try succeeds", async () => {
	/** Calls until one fails; counts only while it is not negative. */
	let left = -1;
	let isLost = false;
	const onCall: OnCall = (method) => {
		if (left < 0 || method === "now") return;
		left -= 1;
		if (left >= 0) return;
		if (isLost) return "lost";
		throw new SvcError("SVC_UNAVAILABLE", "the database is away");
	};
	await withNodes(
		async ({ first, second, storage }) => {
			await install(second.engine, "disk", version("one"));
			const next = {
				one: await keepVersion(second.engine, "disk", version("one")),
				two: await keepVersion(second.engine, "disk", version("two")),
			};
			const { switch: packSwitch } = packsOf(first.engine);
			let failures = 0;
			for (const lost of [false, true]) {
				for (let calls = firstCall; ; calls += step) {
					const before = (await versionOf(storage)) as "one" | "two";
					const wanted = before === "one" ? "two" : "one";
					isLost = lost;
					left = calls;
					const failed = await packSwitch.apply([next[wanted]]).then(
						() => false,
						(error: unknown) => isSvcError(error, "SVC_UNAVAILABLE") || Promise.reject(error),
					);
					const isOver = left >= 0;
					left = -1;
					const after = await versionOf(storage);
					// An answer may be lost after the write.
					if (failed && !lost) assert.equal(after, before);
					if (!failed) assert.equal(after, wanted);
					await packSwitch.apply([next[wanted]]);
					assert.equal(await versionOf(storage), wanted);
					if (isOver) break;
					failures += failed ? 1 : 0;
				}
			}
			assert.ok(failures > 10 / step, String(failures));
		},
		{ onCall },
	);
});

test.run();

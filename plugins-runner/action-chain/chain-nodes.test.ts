// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { WriteOperation } from "../../core/contract/index.ts";
import { startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../core/testing/engine/shared-storage.test-support.ts";
import { tasksOf } from "./chain.test-support.ts";
import { actionChain } from "./index.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "svc chain nodes ")));
test.after(() => rmSync(root, { recursive: true }));
const pack = join(root, "chains");

const chain = {
	chain: [
		{
			name: "one",
			ref: "default.scripted",
			parameters: { lines: ["1"] },
			publish: { said: "{{ one.stdout | trim }}" },
			"on-success": "two",
		},
		{ name: "two", ref: "default.scripted", parameters: { lines: ["{{ said }}2"], outcome: "fail" }, "on-failure": "three" },
		{ name: "three", ref: "default.scripted", parameters: { lines: ["{{ two.stdout | trim }}3"] } },
	],
};
mkdirSync(join(pack, "tests/actions/chains"), { recursive: true });
writeFileSync(join(pack, "tests/pack.yaml"), "name: tests\nref: tests\nversion: 1.0.0\ndescription: d\nauthor: a\nemail: a@example.com\n");
const action = { name: "three", runner_type: "action-chain", entry_point: "chains/three.yaml" };
writeFileSync(join(pack, "tests/actions/three.yaml"), JSON.stringify(action));
writeFileSync(join(pack, "tests/actions/chains/three.yaml"), JSON.stringify(chain));

/** With it executions of tasks are stored before there is a place for them, and run with a write of its own. */
const limits = join(root, "limits");
mkdirSync(join(limits, "policies"), { recursive: true });
writeFileSync(join(limits, "pack.yaml"), "name: limits\nref: limits\nversion: 1.0.0\ndescription: d\nauthor: a\nemail: a@example.com\n");
const policy = {
	name: "few",
	resource_ref: "default.scripted",
	policy_type: "action.concurrency",
	parameters: { action: "delay", threshold: 5 },
};
writeFileSync(join(limits, "policies/few.yaml"), JSON.stringify(policy));

const isEntry = (operations: unknown) =>
	(operations as readonly WriteOperation[]).some((operation) => "insert" in operation && operation.insert === "journal_entry");

interface Found {
	readonly status: string;
	readonly tasks: readonly string[];
	/** What each execution of a task has printed; undefined where it did not run. */
	readonly printed: readonly unknown[];
}

/** Kill the node that runs a chain once an entry of its journal is stored; what another node makes of it. */
async function killAt(cut: number, packs: readonly string[]): Promise<Found> {
	const shared = createSharedStorage();
	const nodes: TestEngine[] = [];
	let entries = 0;
	const doors = [
		shared.createDoor((method, [operations]) => {
			if (method === "write" && isEntry(operations) && ++entries === cut) doors[0]?.shut();
		}),
		shared.createDoor(),
	] as const;
	const startNode = async (door: (typeof doors)[number]) => {
		const options = {
			packs,
			scheduler: { lease: 1, poll_interval: 0.02 },
			actionrunner: { exit_still_active_check: 1 },
		};
		const node = await startEngine({ storage: door.plugin, eventBus: door.eventBus, runners: [actionChain()], options });
		nodes.push(node);
		return node;
	};
	try {
		const { id } = await (await startNode(doors[0])).submit({}, { action: "tests.three" });
		await doors[0].knocked("write", "update");
		const { status, result } = await (await startNode(doors[1])).settled(id);
		const children = await shared.storage.find("execution", { where: { parent_id: id }, orderBy: [["start_timestamp", "asc"]] });
		for (const child of children) assert.equal(child.log.filter((entry) => entry.status === "running").length, 1);
		assert.equal(entries, cut);
		return { status, tasks: tasksOf({ result: result ?? {} }), printed: children.map((child) => child.result?.["stdout"]) };
	} finally {
		doors[0].open();
		for (const { stop } of nodes) await stop();
		await shared.release();
	}
}

const whole: Found = {
	status: "succeeded",
	tasks: ["one succeeded", "two failed", "three succeeded"],
	printed: ["1\n", "12\n", "123\n"],
};

/** Entries that are written with the execution of a task, and what is found then: it was stored as running, and whether it began nobody knows. */
const unsure: Record<number, Found> = {
	2: { status: "failed", tasks: ["one abandoned"], printed: [undefined] },
	4: { status: "failed", tasks: ["one succeeded", "two abandoned"], printed: ["1\n", undefined] },
	6: { status: "failed", tasks: ["one succeeded", "two failed", "three abandoned"], printed: ["1\n", "12\n", undefined] },
};

for (let cut = 1; cut <= 7; cut++) {
	const where = `a chain whose node is killed once entry ${cut} of its journal is stored`;
	const end = unsure[cut] === undefined ? "goes on on another one" : "ends on another one as the task does that it began";
	test(`${where} ${end}, and no task runs twice`, async () => {
		assert.deepEqual(await killAt(cut, [pack]), unsure[cut] ?? whole);
	});

	// After the other entries nothing of a task is under way.
	if (unsure[cut] === undefined) continue;
	test(`${where} goes on on another one where its tasks wait for a place before they run, and none runs twice`, async () => {
		assert.deepEqual(await killAt(cut, [pack, limits]), whole);
	});
}

test.run();

// test-waits
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

const pack = realpathSync(mkdtempSync(join(tmpdir(), "svc chain nodes ")));
test.after(() => rmSync(pack, { recursive: true }));

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

const isEntry = (operations: unknown) =>
	(operations as readonly WriteOperation[]).some((operation) => "insert" in operation && operation.insert === "journal_entry");

for (let cut = 1; cut <= 7; cut++) {
	test(`a chain whose node is killed once entry ${cut} of its journal is stored goes on on another one, and no task runs twice`, async () => {
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
			const options = { packs: [pack], scheduler: { lease: 1, poll_interval: 0.02 }, actionrunner: { exit_still_active_check: 1 } };
			const node = await startEngine({ storage: door.plugin, eventBus: door.eventBus, runners: [actionChain()], options });
			nodes.push(node);
			return node;
		};
		try {
			const { id } = await (await startNode(doors[0])).submit({}, { action: "tests.three" });
			await doors[0].knocked("write", "update");
			const { status, result } = await (await startNode(doors[1])).settled(id);
			assert.deepEqual({ status, tasks: tasksOf({ result: result ?? {} }) }, expected);
			const children = await shared.storage.find("execution", { where: { parent_id: id }, orderBy: [["start_timestamp", "asc"]] });
			assert.deepEqual(
				children.map((child) => child.result?.["stdout"]),
				["1\n", "12\n", "123\n"],
			);
			for (const child of children) assert.equal(child.log.filter((entry) => entry.status === "running").length, 1);
			assert.equal(entries, cut);
		} finally {
			doors[0].open();
			for (const { stop } of nodes) await stop();
			await shared.release();
		}
	});
}

const expected = { status: "succeeded", tasks: ["one succeeded", "two failed", "three succeeded"] };

test.run();

// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { workflow } from "../../plugins-runner/workflow/index.ts";
import { assertNoStall } from "../testing/http/loop-watch.test-support.ts";
import { type ServiceUnderTest, speak, type WireRecord, withService } from "../testing/http/service.test-support.ts";

const each = (action: object) => ({
	version: 1,
	input: ["list"],
	tasks: { each: { with: "<% ctx(list) %>", ...action } },
});

/** The pack `many`, whose workflow `each` runs an action for each item of a list. */
async function withMany(run: (service: ServiceUnderTest) => Promise<void>, action: object): Promise<void> {
	const packs = await mkdtemp(join(tmpdir(), "svc-many-"));
	const actions = join(packs, "many", "actions");
	await mkdir(join(actions, "workflows"), { recursive: true });
	const manifest = { ref: "many", name: "many", description: "Many items.", version: "1.0.0", author: "tests" };
	await writeFile(join(packs, "many", "pack.yaml"), JSON.stringify(manifest));
	const each1 = { name: "each", runner_type: "workflow", entry_point: "workflows/each.yaml", parameters: { list: { type: "array" } } };
	await writeFile(join(actions, "each.yaml"), JSON.stringify(each1));
	await writeFile(join(actions, "workflows", "each.yaml"), JSON.stringify(each(action)));
	try {
		await withService(run, { runners: [workflow(), speak()], packs: [packs], backend: { durable: true } });
	} finally {
		await rm(packs, { recursive: true, force: true });
	}
}

async function create({ ask }: ServiceUnderTest, action: string, parameters: object): Promise<string> {
	const response = await ask("/v1/executions", { method: "POST", body: JSON.stringify({ action, parameters }) });
	const body = (await response.json()) as WireRecord;
	assert.equal(response.status, 201, JSON.stringify(body).slice(0, 200));
	return String(body["id"]);
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

test("a hundred thousand items hold up neither the event loop nor the executions of others", () =>
	withMany(
		async (service) => {
			const started = (parent_id: string) => service.storage().count("execution", { parent_id });
			const attack = async (count: number) => {
				const id = await create(service, "many.each", { list: times(count, (index) => index) });
				// All slots are taken, and more wait.
				while ((await started(id)) < Math.min(count, 300)) await delay(20);
				const before = await started(id);
				await service.ended(await service.speak({ lines: ["x"] }));
				assert.ok((await started(id)) - before <= 1_100, "an execution waits for those alone that had begun");
				const open = await service.storage().count("execution", { parent_id: id, end_timestamp: null });
				assert.ok(open <= 1_000, `${open} executions of one workflow are open`);
				await service.ask(`/v1/executions/${id}`, { method: "DELETE" });
				return id;
			};
			// What is compiled at first use is compiled then.
			await service.ended(await attack(2));
			await assertNoStall(service, () => attack(100_000));
		},
		{ action: "default.speak", input: { lines: ["<% item() %>"] } },
	));

test.run();

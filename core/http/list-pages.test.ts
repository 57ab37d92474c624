import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ServiceUnderTest, type WireRecord, withService } from "../testing/http/service.test-support.ts";

/** Lists whose records do not come page by page from the storage. */
const paths = ["/v1/triggers", "/v1/webhooks", "/v1/timers", "/v1/rbac/role_assignments", "/v1/audit/checkpoints"];
const numbers = [1, 2, 3];

async function addRecords({ ask, storage }: ServiceUnderTest): Promise<void> {
	for (const number of numbers) {
		for (const trigger of [
			{ type: "core.svc.webhook", parameters: { url: `hook${number}` } },
			{ type: "core.svc.IntervalTimer", parameters: { unit: "days", delta: number } },
		]) {
			const rule = { name: `${trigger.type.split(".").at(-1)}${number}`, enabled: true, trigger, action: { ref: "default.speak" } };
			const response = await ask("/v1/rules", { method: "POST", body: JSON.stringify(rule) });
			assert.equal(response.status, 201, await response.text());
		}
	}
	const checkpoint = { hash: "0".repeat(64), timestamp: "2030-01-01T00:00:00.000000Z", public_key: "k", signature: "s" };
	await storage().insert(
		"audit_checkpoint",
		numbers.map((number) => ({ ...checkpoint, id: `00000000000000000000000${number}`, number })),
	);
}

test("pages of lists that are put together in memory follow each other, and their headers count all records", () =>
	withService(
		async (service) => {
			await addRecords(service);
			for (const path of paths) {
				const read = async (query: string) => {
					const response = await service.ask(path + query);
					assert.equal(response.status, 200, path);
					return { records: (await response.json()) as readonly WireRecord[], headers: response.headers };
				};
				const all = await read("?limit=-1");
				assert.ok(all.records.length >= 3, `${path}: ${all.records.length}`);
				const first = await read("?limit=2");
				assert.deepEqual(first.records, all.records.slice(0, 2), path);
				assert.deepEqual((await read("?limit=1&offset=2")).records, all.records.slice(2, 3), path);
				assert.deepEqual((await read(`?limit=5&offset=${all.records.length}`)).records, [], path);
				assert.deepEqual([first.headers.get("x-total-count"), first.headers.get("x-limit")], [String(all.records.length), "2"], path);
				for (const query of ["?limit=0", "?limit=x", "?offset=-1"])
					assert.equal((await service.ask(path + query)).status, 400, path + query);
			}
		},
		{ rbac: { assignments: ["ann", "bo", "cy"].map((username) => ({ username, roles: ["observer"] })) } },
	));

test.run();

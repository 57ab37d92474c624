import * as assert from "node:assert/strict";
import type { Check } from "./check.ts";
import { createChunk, createExecution, createToken, createTrace } from "./fixtures.ts";

/** Registers the test that data survives a restart, for storages with `capabilities.durable`. */
export function checkDurability(check: Check): void {
	check("a durable storage contains everything after it is reopened", async (storage, { reopen }) => {
		if (storage.capabilities.durable !== true) return;
		assert.ok(reopen, "a durable storage is tested with reopen");
		const [execution, token, trace] = [createExecution(), createToken("x"), createTrace("gone")];
		const chunks = [1, 2, 3].map((sequence) => createChunk(execution.id, sequence, `${sequence}\u0000\n`));
		await storage.insert("execution", [execution]);
		await storage.insert("trace", [trace]);
		await storage.write([
			{ insert: "token", entities: [token] },
			{ remove: "trace", where: { id: trace.id } },
		]);
		await storage.insert("output_chunk", chunks);
		const updated = await storage.update("execution", execution.id, { status: "succeeded", result: { stdout: "é" } });
		const again = await reopen();
		assert.deepEqual(await again.get("execution", execution.id), updated);
		assert.deepEqual(await again.find("token", {}), [token]);
		assert.equal(await again.count("trace", {}), 0);
		assert.deepEqual(await again.find("output_chunk", { orderBy: [["sequence", "asc"]] }), chunks);
	});
}

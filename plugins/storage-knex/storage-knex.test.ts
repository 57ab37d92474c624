import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { testStorage } from "../../core/testing/storage-suite.ts";
import { knexStorage } from "./index.ts";
import { toContext } from "./storage-context.test-support.ts";

testStorage({
	test,
	name: "sqlite",
	create: async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-storage-"));
		const start = async () => {
			const storage = knexStorage({ client: "sqlite" }).create();
			await storage.start?.(toContext(directory));
			return storage;
		};
		let storage = await start();
		return {
			storage,
			async reopen() {
				await storage.stop?.();
				storage = await start();
				return storage;
			},
			async stop() {
				await storage.stop?.();
				await rm(directory, { recursive: true });
			},
		};
	},
});

test.run();

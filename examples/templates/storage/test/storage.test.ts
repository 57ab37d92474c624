import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOptions, testStorage } from "svc-automation/testing";
import { test } from "uvu";
import { templateName } from "../src/storage.ts";

const ignore = () => {};
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

testStorage({
	test,
	name: "template-name",
	create: async () => {
		const dataDirectory = await mkdtemp(join(tmpdir(), "template-name-"));
		const storage = templateName().create();
		await storage.start?.({ logger, clock: { now: () => Date.now() * 1_000 }, dataDirectory, nodeId: "test", options: createOptions() });
		return {
			storage,
			stop: async () => {
				await storage.stop?.();
				await rm(dataDirectory, { recursive: true });
			},
		};
	},
});

test.run();

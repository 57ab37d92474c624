import { test } from "uvu";
import { testStorage } from "../../core/testing/storage-suite.ts";
import { memoryStorage } from "./index.ts";

testStorage({
	test,
	name: "memory",
	create: async () => {
		const storage = memoryStorage().create();
		return { storage, stop: async () => storage.stop?.() };
	},
});

test.run();

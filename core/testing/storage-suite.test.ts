import { test } from "uvu";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import type { Storage } from "../contract/index.ts";
import { assertAccepted, assertRefused } from "./broken/refusals.test-support.ts";
import { brokenStorages } from "./broken/storages.test-support.ts";
import type { RegisterTest } from "./run-kit.ts";
import { testStorage } from "./storage-suite.ts";

const register = (test: RegisterTest, spoil: (sound: Storage) => Storage) =>
	testStorage({
		test,
		name: "storage",
		create: async () => {
			const storage = spoil(memoryStorage().create());
			return { storage, stop: async () => storage.stop?.() };
		},
	});

for (const { name, spoil, ...refusal } of brokenStorages) {
	test(`the kit refuses a storage in which ${name}`, () => assertRefused(refusal, (check) => register(check, spoil)));
}

test("the kit refuses a durable storage that has forgotten everything", () =>
	assertRefused({ refusedBy: "a durable storage contains everything after it is reopened" }, (check) =>
		testStorage({
			test: check,
			name: "storage",
			create: async () => {
				const storage = memoryStorage().create();
				Object.assign(storage, { capabilities: { durable: true } });
				return { storage, stop: async () => {}, reopen: async () => memoryStorage().create() };
			},
		}),
	));

test("the kit accepts the storage that the broken ones are made of, fifty times", async () => {
	for (let round = 0; round < 50; round++) await assertAccepted((check) => register(check, (sound) => sound));
});

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import type { TriggerEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { maskTriggers } from "./trigger-secrets-exports.ts";

test("all parameters of a trigger are masked if its type has been deleted, because the secret ones are unknown", async () => {
	const trigger = { type: "site.deleted", parameters: { pin: "a secret pin", door: 1 } } as unknown as TriggerEntity;
	const [masked] = await maskTriggers(memoryStorage().create(), [trigger]);
	assert.deepEqual(masked?.parameters, { pin: secretMask, door: secretMask });
});

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity, Storage } from "../../contract/index.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import { createAttributeKeys } from "./attribute-keys.ts";

/** More executions than the cache holds. */
const many = Array.from({ length: 20_000 }, (_none, index) => `waiting-${index}`);

test("every execution has its key, also when the cache has no room for all of them", async () => {
	const read: string[] = [];
	const storage = {
		find: async (_kind: string, { where }: { readonly where: { readonly id: { readonly in: readonly string[] } } }) => {
			read.push(...where.id.in);
			return where.id.in.map((id) => ({ id, snapshot_id: "snapshot", parameters: { host: id } }) as unknown as ExecutionEntity);
		},
	} as unknown as Storage;
	const catalog = {
		snapshot: async () => ({ action: { parameters: {} }, runner: { runner_parameters: {} } }),
	} as unknown as ActionCatalog;
	const attributeKeys = createAttributeKeys({ storage, catalog });
	const before = await attributeKeys.keysOf(["first"], ["host"]);
	const keys = await attributeKeys.keysOf(["first", ...many], ["host"]);
	assert.equal(keys.size, many.length + 1);
	assert.equal(keys.get("first"), before.get("first"));
	assert.equal(new Set(keys.values()).size, keys.size);
	assert.deepEqual(read, ["first", ...many], "a cached key is not read again");
});

test.run();

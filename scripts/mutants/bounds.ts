import type { Mutant } from "./mutant.ts";

/** Limits of what one sender may take of memory, slots and the event loop. */
export const boundsMutants: readonly Mutant[] = [
	{
		name: "items-of-user",
		promise: "A user stores at most `keyvalue.user_items` items of its own.",
		file: "core/features/datastore/user-quota.ts",
		text: "if (items > user_items) {",
		replacement: "if (items < 0) {",
		tests: ["core/features/datastore/datastore.test.ts"],
	},
	{
		name: "bytes-of-user",
		promise: "A user stores at most `keyvalue.user_bytes` bytes of its own.",
		file: "core/features/datastore/user-quota.ts",
		text: "if (bytes > user_bytes) {",
		replacement: "if (bytes < -user_bytes) {",
		tests: ["core/features/datastore/datastore.test.ts"],
	},
	{
		name: "share-of-body-memory",
		promise: "One user holds at most half of the memory for bodies.",
		file: "core/http/body-memory.ts",
		text: "ofUser > this.#share || ",
		replacement: "",
		tests: ["core/http/body-memory.test.ts"],
	},
	{
		name: "total-of-body-memory",
		promise: "The bodies in memory have a limit in total.",
		file: "core/http/body-memory.ts",
		text: " || this.#held + bytes > this.#total",
		replacement: "",
		tests: ["core/http/body-memory.test.ts"],
	},
	{
		name: "release-of-body-memory",
		promise: "The memory of a body is free again after the answer.",
		file: "core/http/body-memory.ts",
		text: "release: () => count(-size),",
		replacement: "release: () => undefined,",
		tests: ["core/http/body-memory.test.ts"],
	},
	{
		name: "depth-of-body",
		promise: "A body that is nested too deeply is refused.",
		file: "core/http/body.ts",
		text: "if (depth > maximumDepth) return true;",
		replacement: "",
		tests: ["core/http/bad-bodies.test.ts"],
	},
	{
		name: "share-of-parent",
		promise: "While others wait, the children of one parent hold half of the slots of a node.",
		file: "core/kernel/executions/parent-shares.ts",
		text: "this.#share = Math.ceil(poolSize / 2);",
		replacement: "this.#share = poolSize;",
		tests: ["core/kernel/executions/parent-shares.test.ts"],
	},
];

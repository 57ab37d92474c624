import type { Mutant } from "./mutant.ts";

/** Mechanisms that keep what was answered: on the disk, for followers that come back, and for runs that follow a failure. */
export const durabilityMutants: readonly Mutant[] = [
	{
		name: "sync-of-commits",
		promise: "A write is on the disk when its promise resolves.",
		file: "plugins/storage-knex/sqlite-connection.ts",
		text: '`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`',
		replacement: '"PRAGMA synchronous = NORMAL"',
		tests: ["plugins/storage-knex/sqlite-group-commit.test.ts"],
	},
	{
		name: "sync-of-groups",
		promise: "A write that shares its transaction with output is on the disk when its promise resolves.",
		file: "plugins/storage-knex/sqlite-group-commit.ts",
		text: "!group.every(({ write }) => write.relaxed)",
		replacement: "!group.some(({ write }) => write.relaxed)",
		tests: ["plugins/storage-knex/sqlite-group-commit.test.ts"],
	},
	{
		name: "sync-of-texts",
		promise: "Large output is on the disk before a write that must not be lost.",
		file: "plugins/storage-knex/text-file.ts",
		text: "await syncData(this.#descriptor);",
		replacement: "",
		tests: ["plugins/storage-knex/text-file.test.ts"],
	},
	{
		name: "texts-before-rows",
		promise: "A durable write brings the output that was stored before it to the disk.",
		file: "plugins/storage-knex/sqlite-connection.ts",
		text: "const syncing = this.#durable ? this.#largeTexts?.sync() : undefined;",
		replacement: "const syncing = undefined;",
		tests: ["plugins/storage-knex/text-file.test.ts"],
	},
	{
		name: "sync-of-keys",
		promise: "A key is on the disk before it is used.",
		file: "core/secrets/encryption/key-file.ts",
		text: "fsyncSync(file);",
		replacement: "",
		tests: ["core/secrets/encryption/key-file.test.ts"],
	},
	{
		name: "replay-after-id",
		promise: "A follower that comes back is sent what follows the last event that it has seen.",
		file: "core/features/executions/stream-routes.ts",
		text: "const after = parseLastEventId(",
		replacement: "const after = 0 * parseLastEventId(",
		tests: ["core/features/executions/stream-routes.test.ts"],
	},
	{
		name: "count-of-retries",
		promise: "A policy runs an action again at most as often as it says.",
		file: "core/features/policies/retries.ts",
		text: 'count >= Number(cause.policy.parameters["max_retry_count"])',
		replacement: "count < 0",
		tests: ["core/features/policies/retries.test.ts"],
	},
	{
		name: "status-of-retries",
		promise: "A policy runs an action again only after an end of the kind that it names.",
		file: "core/features/policies/retries.ts",
		text: 'return status === (parameters["retry_on"] === "timeout" ? "timeout" : "failed");',
		replacement: 'return parameters !== undefined || status === "failed";',
		tests: ["core/features/policies/retries.test.ts"],
	},
];

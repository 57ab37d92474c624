import {
	booleanSchema,
	defineSchema,
	enumOf,
	followedState,
	nullable,
	objectSchema,
	recordId,
	stringSchema,
	timestamp,
} from "../../core/feature.ts";

const commit = "8ad5cf0dd9ab2f2b1a0c3b5f6f1d2e3c4b5a6978";

/** Wire schema of a submitted pack job. */
export const packJobSchema = defineSchema("PackJob", objectSchema({ execution_id: recordId }), {
	execution_id: "66a1f7009d3e4b7a51c0f001",
});

const version = objectSchema({ version: nullable(stringSchema), revision: nullable(stringSchema), commit: nullable(stringSchema) });

/** Wire schema of the versions that the source of an installed pack offers. */
export const newerSchema = defineSchema(
	"PackNewer",
	objectSchema({
		ref: stringSchema,
		version: stringSchema,
		commit: nullable(stringSchema),
		address: stringSchema,
		latest: nullable(version),
		outdated: booleanSchema,
		problem: nullable(stringSchema),
	}),
	{
		...{ ref: "disk", version: "1.4.0", commit: null, address: "https://git.example.org/disk" },
		...{ latest: { version: "1.5.0", revision: null, commit }, outdated: true, problem: null },
	},
);

/** Wire schema of one pack in a lock file. */
export const lockEntrySchema = defineSchema(
	"PackLockEntry",
	objectSchema({
		ref: stringSchema,
		version: stringSchema,
		source: objectSchema({
			kind: enumOf("git", "archive", "directory"),
			address: stringSchema,
			revision: nullable(stringSchema),
			commit: nullable(stringSchema),
			subdirectory: nullable(stringSchema),
		}),
		content: stringSchema,
	}),
	{
		...{ ref: "disk", version: "1.4.0" },
		source: { kind: "git", address: "https://git.example.org/disk", revision: "main", commit, subdirectory: null },
		content: "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7",
	},
);

/** Wire schema of a pack in git that the service follows. */
export const followedSchema = defineSchema(
	"FollowedPack",
	objectSchema({
		...{ id: recordId, source: stringSchema, pack: nullable(stringSchema), commit: nullable(stringSchema) },
		state: followedState,
		...{ reason: nullable(stringSchema), execution_id: nullable(recordId), tried_at: nullable(timestamp) },
		...{ retry_at: nullable(timestamp), checked_at: timestamp },
	}),
	{
		...{ id: "66a1f7009d3e4b7a51c0f0aa", source: "https://git.example.org/disk=main", pack: "disk", commit },
		...{ state: "failed", reason: 'pack "disk": rules/watch.yaml: attribute "trigger" is missing' },
		execution_id: "66a1f7009d3e4b7a51c0f001",
		...{ tried_at: "2031-03-05T09:31:12.000000Z", retry_at: null, checked_at: "2031-03-05T09:32:12.000000Z" },
	},
);

import type { OptionDefinitions } from "../../core/contract/index.ts";

/** The option section `audit`. Editors show the comments; a test keeps them equal to the definitions. */
export const auditOptions = {
	/**
	 * Days until entries of the audit record are deleted. 0: never.
	 * Default `0`. `SVC_AUDIT_KEEP_DAYS` takes precedence.
	 */
	keep_days: {
		type: "integer",
		default: 0,
		minimum: 0,
		maximum: 36_500,
		description: "Days until entries of the audit record are deleted. 0: never.",
	},
	/**
	 * Number of entries of this node after which it signs a checkpoint of the audit record.
	 * Default `100`. `SVC_AUDIT_CHECKPOINT_ENTRIES` takes precedence.
	 */
	checkpoint_entries: {
		type: "integer",
		default: 100,
		minimum: 1,
		description: "Number of entries of this node after which it signs a checkpoint of the audit record.",
	},
	/**
	 * Seconds after which a checkpoint of the audit record is signed even if there are fewer entries than `checkpoint_entries`.
	 * Default `600`. `SVC_AUDIT_CHECKPOINT_INTERVAL` takes precedence.
	 */
	checkpoint_interval: {
		type: "number",
		default: 600,
		minimum: 1,
		description:
			"Seconds after which a checkpoint of the audit record is signed even if there are fewer entries than `checkpoint_entries`.",
	},
	/**
	 * File to which signed checkpoints are appended, one JSON object per line. It should be on another machine, such as a mounted volume.
	 * Empty: checkpoints are only in the log and in the storage.
	 * Default `""`. `SVC_AUDIT_CHECKPOINT_FILE` takes precedence.
	 */
	checkpoint_file: {
		type: "string",
		default: "",
		description:
			"File to which signed checkpoints are appended, one JSON object per line. It should be on another machine, such as a mounted volume. Empty: checkpoints are only in the log and in the storage.",
	},
	/**
	 * Path of the Ed25519 private key (PEM) that signs checkpoints, relative to the data directory. It is created if it is missing.
	 * Empty: `audit-key.pem` in the data directory.
	 * Default `""`. `SVC_AUDIT_CHECKPOINT_KEY_PATH` takes precedence.
	 */
	checkpoint_key_path: {
		type: "string",
		default: "",
		description:
			"Path of the Ed25519 private key (PEM) that signs checkpoints, relative to the data directory. It is created if it is missing. Empty: `audit-key.pem` in the data directory.",
	},
	/**
	 * Changes of datastore items by running actions that are recorded. `all`; `none`; `some`: the first change of each item and user
	 * within an hour, at most sixty per hour on each node, and the number of further changes.
	 * Default `"some"`. `SVC_AUDIT_DATASTORE_OF_RUNS` takes precedence.
	 */
	datastore_of_runs: {
		type: "string",
		choices: ["some", "all", "none"],
		default: "some",
		description:
			"Changes of datastore items by running actions that are recorded. `all`; `none`; `some`: the first change of each item and user within an hour, at most sixty per hour on each node, and the number of further changes.",
	},
} as const satisfies OptionDefinitions;

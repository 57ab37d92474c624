import type { Migration, TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	sign_in_places: {
		columns: { id: "text", subject: "text", signed_in_at: "text" },
		unique: [["subject"]],
		indexes: [["signed_in_at"]],
	},
};

export const lockedDoors: Migration = {
	name: "0005-locked-doors",
	tables,
	// These columns are null in records of earlier versions.
	columns: {
		executions: { author: "text", scopes: "text", known_secrets: "text" },
		trigger_instances: { known_secrets: "text" },
		output_chunks: { secret_spans: "text" },
	},
};

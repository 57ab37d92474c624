import type { Migration, TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	api_keys: {
		columns: {
			id: "text",
			key_hash: "text",
			user: "text",
			enabled: "boolean",
			created_at: "text",
			last_used_at: "text",
			expires_at: "text",
			metadata: "text",
			scopes: "text",
		},
		unique: [["key_hash"]],
		indexes: [["user"]],
	},
	role_assignments: {
		columns: {
			id: "text",
			user: "text",
			role: "text",
			description: "text",
			source: "text",
		},
		unique: [["user", "role", "source"]],
	},
	sign_in_failures: {
		columns: {
			id: "text",
			subject: "text",
			failures: "integer",
			last_failure_at: "text",
			blocked_until: "text",
		},
		unique: [["subject"]],
		indexes: [["last_failure_at"]],
	},
};

export const accessControl: Migration = {
	name: "0002-access-control",
	tables,
};

import type { PostgresSettings } from "./postgres-options.ts";

type Needs = Pick<PostgresSettings, "schema">;

/** Statements that a connection of our own begins with. */
export function toSessionSettings(needs: Needs, readOnly: boolean): string {
	const settings = [...(readOnly ? ["default_transaction_read_only = on"] : []), ...toSettings(needs)];
	return [...settings.map((setting) => `set ${setting}`), toDurable("false")].join("; ");
}

/** The same for one transaction. */
export function toLocalSettings(needs: Needs, readOnly: boolean): string {
	const settings = [...(readOnly ? ["transaction_read_only = on"] : []), ...toSettings(needs)];
	return [...settings.map((setting) => `set local ${setting}`), toDurable("true")].join("; ");
}

function toSettings({ schema }: Needs): readonly string[] {
	return [
		// Statements are prepared for the sake of round trips; a plan that fits all values alike would be slow for most.
		"plan_cache_mode = force_custom_plan",
		"default_transaction_isolation = 'read committed'",
		// A statement that is stuck, or a node that was stopped in the middle of a write, must not hold up the others for long.
		"statement_timeout = '30s'",
		"lock_timeout = '5s'",
		"idle_in_transaction_session_timeout = '10s'",
		"jit = off",
		...(schema === undefined ? [] : [`search_path = "${schema}"`]),
	];
}

/** A server may be set not to wait for the disk. */
function toDurable(isLocal: "true" | "false"): string {
	return `select set_config('synchronous_commit', 'on', ${isLocal}) where current_setting('synchronous_commit') = 'off'`;
}

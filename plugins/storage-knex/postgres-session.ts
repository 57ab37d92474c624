import type { PostgresSettings } from "./postgres-options.ts";

type Needs = Pick<PostgresSettings, "schema">;

/** Statements that a connection of our own begins with. */
export function toSessionSettings(needs: Needs, readOnly: boolean): string {
	const settings = [...(readOnly ? ["default_transaction_read_only = on"] : []), ...toSettings(needs)];
	return [...settings.map((setting) => `set ${setting}`), toDurable("false"), quickCompression].join("; ");
}

/** The same, but for how texts are compressed, for one transaction. */
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

/** Large texts are stored nearly twice as fast so, in as much room; older servers, and some builds, have it not. */
const quickCompression =
	"select set_config('default_toast_compression', 'lz4', false) from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)";

/** A server may be set not to wait for the disk. */
function toDurable(isLocal: "true" | "false"): string {
	return `select set_config('synchronous_commit', 'on', ${isLocal}) where current_setting('synchronous_commit') = 'off'`;
}

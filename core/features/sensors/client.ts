import type { Api } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { SensorStateName } from "../../contract/index.ts";

/** A sensor as the API shows it, and how it does. */
export interface SensorRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	/** Where its program lies; empty for a sensor of the configuration, as are the next two. */
	readonly artifact_uri: string;
	readonly entry_point: string;
	readonly metadata_file: string;
	/** Refs of the trigger types that come with it. */
	readonly trigger_types: readonly string[];
	/** Seconds; null for one that does not poll. */
	readonly poll_interval: number | null;
	readonly enabled: boolean;
	readonly state: SensorStateName;
	readonly state_changed_at: string;
	/** Failures in a row. */
	readonly restarts: number;
	readonly last_error: string | null;
	readonly next_start_at: string | null;
	/** Id of the node that runs it. */
	readonly node: string | null;
}

/** The sensors of a service. */
export interface SensorClient {
	list(query?: ListQuery): Promise<ListPage<SensorRecord>>;
	/** By ref or id. */
	get(refOrId: string): Promise<SensorRecord>;
	/** Switch a sensor on or off. */
	setEnabled(refOrId: string, enabled: boolean): Promise<SensorRecord>;
}

export function createSensorClient({ read, list }: Api): SensorClient {
	const at = (refOrId: string) => `/sensortypes/${encodeURIComponent(refOrId)}`;
	return {
		list: (query) => list("/sensortypes", query),
		get: (refOrId) => read(at(refOrId)),
		setEnabled: (refOrId, enabled) => read(at(refOrId), { method: "PUT", body: { enabled } }),
	};
}

import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { SensorStateName } from "../../contract/index.ts";

/** Sensor as the API returns it, with its state. */
export interface SensorRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	/** Address of the program. Empty for a sensor of the configuration, like `entry_point` and `metadata_file`. */
	readonly artifact_uri: string;
	readonly entry_point: string;
	readonly metadata_file: string;
	/** Refs of the trigger types that the sensor declares. */
	readonly trigger_types: readonly string[];
	/** Seconds between polls; null for a sensor that does not poll. */
	readonly poll_interval: number | null;
	readonly enabled: boolean;
	readonly state: SensorStateName;
	readonly state_changed_at: string;
	/** Number of consecutive failures. */
	readonly restarts: number;
	readonly last_error: string | null;
	readonly next_start_at: string | null;
	/** Id of the node that runs the sensor; null if none does. */
	readonly node: string | null;
}

/** Client for the sensors of a service. */
export interface SensorClient {
	list(query?: ListQuery): Promise<ListPage<SensorRecord>>;
	/** Returns a sensor by its ref or id. */
	get(refOrId: string): Promise<SensorRecord>;
	/** Enables or disables a sensor. */
	setEnabled(refOrId: string, enabled: boolean): Promise<SensorRecord>;
}

export function createSensorClient({ read, list }: ApiClient): SensorClient {
	const at = (refOrId: string) => `/sensortypes/${encodeURIComponent(refOrId)}`;
	return {
		list: (query) => list("/sensortypes", query),
		get: (refOrId) => read(at(refOrId)),
		setEnabled: (refOrId, enabled) => read(at(refOrId), { method: "PUT", body: { enabled } }),
	};
}

import type { SensorEntity } from "../../contract/index.ts";
import type { WireRecord } from "../../http/record.ts";

/** A sensor type of the reference, which has no file here, and how the sensor does. */
export function toSensorType(sensor: SensorEntity): WireRecord {
	const { id, ref, name, pack, description, trigger_types, poll_interval, enabled } = sensor;
	const { state, state_changed_at, restarts, last_error, next_start_at, owner } = sensor;
	return {
		...{ id, uid: `sensor_type:${pack}:${name}`, ref, name, pack, description },
		...{ artifact_uri: "", entry_point: "", trigger_types, poll_interval, enabled, metadata_file: "" },
		...{ state, state_changed_at, restarts, last_error, next_start_at, node: owner },
	};
}

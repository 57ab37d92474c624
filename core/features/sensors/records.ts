import type { SensorEntity } from "../../contract/index.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { SensorTypes } from "./sensor-types-api.ts";

/** Sensor types of the reference, and how the sensors do. */
export async function toSensorTypes(sensors: readonly SensorEntity[], types: Pick<SensorTypes, "artifacts">): Promise<WireRecord[]> {
	const artifacts = await types.artifacts(sensors);
	return sensors.map((sensor, index) => toSensorType(sensor, artifacts[index] ?? ""));
}

function toSensorType(sensor: SensorEntity, artifact: string): WireRecord {
	const { id, ref, name, pack, description, trigger_types, poll_interval, enabled } = sensor;
	const { state, state_changed_at, restarts, last_error, next_start_at, owner } = sensor;
	return {
		...{ id, uid: `sensor_type:${pack}:${name}`, ref, name, pack, description },
		...{ artifact_uri: artifact, entry_point: toEntryPoint(sensor), trigger_types, poll_interval, enabled },
		metadata_file: sensor.metadata_file ?? "",
		...{ state, state_changed_at, restarts, last_error, next_start_at, node: owner },
	};
}

/** Module and class, as the reference shows them; empty for a sensor of the configuration. */
function toEntryPoint({ entry_point, name }: SensorEntity): string {
	if (entry_point === null) return "";
	const module = entry_point.replace(/\.\w+$/, "").replaceAll("/", ".");
	return `sensors.${module}.${name}`;
}

import { sensorKind } from "../../contract/entities/sensor.ts";
import { arrayOf, defineSchema, fieldsOf, nullable, object, oneOf, partOf, text, timestamp } from "../../http/openapi/schema.ts";

const stored = fieldsOf(sensorKind, [
	"id",
	"ref",
	"name",
	"pack",
	"description",
	"enabled",
	"poll_interval",
	"restarts",
	"state_changed_at",
]);

/** Sensor in API responses, with its state. */
export const sensorSchema = defineSchema(
	"Sensor",
	object({
		...stored,
		...{ uid: text, artifact_uri: text, entry_point: text, metadata_file: text, trigger_types: arrayOf(text) },
		poll_interval: nullable(stored.poll_interval),
		state: oneOf("stopped", "running", "waiting", "failed"),
		last_error: nullable(text),
		next_start_at: nullable(timestamp),
		node: nullable(text),
	}),
	{
		id: "66a1e0019d3e4b7a51c00060",
		uid: "sensor_type:disk:VolumeSensor",
		ref: "disk.VolumeSensor",
		name: "VolumeSensor",
		pack: "disk",
		description: "Watches volumes.",
		artifact_uri: "file:///opt/svc/packs/disk/sensors/volume.py",
		entry_point: "sensors.volume.VolumeSensor",
		trigger_types: ["disk.volume_full"],
		poll_interval: 30,
		enabled: true,
		metadata_file: "sensors/volume.yaml",
		state: "running",
		state_changed_at: "2031-03-04T09:15:02.418273Z",
		restarts: 0,
		last_error: null,
		next_start_at: null,
		node: "66a1e0019d3e4b7a51c00070",
	},
);
export const sensorPart = partOf(sensorSchema);

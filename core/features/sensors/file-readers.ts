import { resolveEntryPoint } from "../packs/entry-point-exports.ts";
import type { FileReader } from "../packs/file-reader-exports.ts";
import { toSensorInput } from "./sensor-file.ts";

const anyEntryPoint = "any_entry_point";

export const sensorFileReaders: readonly FileReader[] = [
	{
		kind: "sensor",
		folder: "sensors",
		nameIn: "class_name",
		standIns: { class_name: "AnyName", entry_point: anyEntryPoint },
		async read(metadata, place) {
			const { entry_point } = toSensorInput(metadata, place);
			if (entry_point !== anyEntryPoint) await resolveEntryPoint(place.directory, entry_point, "sensors");
		},
	},
];

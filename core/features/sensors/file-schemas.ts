import { type FileSchema, toFileSchema } from "../../language/file-schema.ts";
import { sensorAttributes } from "./sensor-file.ts";

export const sensorFileSchemas: readonly FileSchema[] = [
	{ name: "sensor", schema: toFileSchema("Sensor of a pack", sensorAttributes, true) },
];

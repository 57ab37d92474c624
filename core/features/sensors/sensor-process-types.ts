import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";

export const processSpawn = "core.svc.sensor.process_spawn";
export const processExit = "core.svc.sensor.process_exit";

const text = { type: "string" };
const integer = { type: "integer" };

/** Trigger types for the start and the end of a sensor. */
export const sensorProcessTypes: readonly TriggerTypeDefinition[] = [
	defineTriggerType(processSpawn, "A sensor was started.", ofObject({ id: text, timestamp: { type: "number" }, pid: integer, cmd: text })),
	defineTriggerType(processExit, "A sensor ended.", ofObject({ id: text, timestamp: { type: "number" }, exit_code: integer })),
].map((type) => ({ type }));

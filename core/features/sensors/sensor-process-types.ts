import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/own-trigger-types.ts";
import { triggerRefs } from "../triggers/trigger-refs-api.ts";

const text = { type: "string" };
const integer = { type: "integer" };

/** Start and end of a sensor (reference 2.6). */
export const sensorProcessTypes: readonly TriggerTypeDefinition[] = [
	{
		type: defineTriggerType(
			triggerRefs.processSpawn,
			"A sensor was started.",
			ofObject({ id: text, timestamp: { type: "number" }, pid: integer, cmd: text }),
		),
	},
	{
		type: defineTriggerType(
			triggerRefs.processExit,
			"A sensor came to its end.",
			ofObject({ id: text, timestamp: { type: "number" }, exit_code: integer }),
		),
	},
];

import { defineRunner, type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";

/** Dispatches a trigger with a payload; both are parameters of the action. */
export const injectTrigger = defineRunner("inject-trigger", () => ({
	description: "Dispatches a trigger.",
	parameters: {},
	capabilities: {},
	entryPoint: "forbidden",
	async run({ actionParameters, dispatch }) {
		const trigger = toTrigger(actionParameters);
		const traceTag = toText("trace_tag", actionParameters["trace_tag"]);
		const payload = toPayload(actionParameters["payload"]);
		const id = await dispatch(trigger, payload, traceTag === undefined ? {} : { traceTag });
		return { succeeded: true, result: { trigger, trigger_instance: id } };
	},
}));

function toTrigger({ trigger, trigger_name }: JsonObject): string {
	const [name, older] = [toText("trigger", trigger), toText("trigger_name", trigger_name)];
	if ((name === undefined) === (older === undefined)) throw new SvcError("SVC_RUNNER", "give exactly one of trigger and trigger_name");
	return name ?? older ?? "";
}

function toPayload(value: JsonValue | undefined): JsonObject {
	if (value === undefined || value === null) return {};
	if (typeof value === "object" && !Array.isArray(value)) return value as JsonObject;
	throw new SvcError("SVC_RUNNER", "payload: must be an object");
}

function toText(name: string, value: JsonValue | undefined): string | undefined {
	if (value === undefined || value === null || value === "") return undefined;
	if (typeof value === "string") return value;
	throw new SvcError("SVC_RUNNER", `${name}: must be a string`);
}

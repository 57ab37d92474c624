import type { JsonObject, JsonValue, SensorContext, SensorState, TriggerReference } from "../../../core/contract/index.ts";
import { SvcError } from "../../../core/contract/index.ts";

type Call = (context: SensorContext, given: JsonObject) => Promise<JsonValue | undefined>;

/** What sensors may have the service do, by method (python/svc/sensor_service.py). */
const calls: Readonly<Record<string, Call>> = {
	dispatch: async ({ dispatch }, { trigger, payload, trace_tag, trace_id }) => {
		if (!isObject(payload)) throw new SvcError("SVC_INVALID", "payload: must be an object");
		const trace = {
			...(typeof trace_tag === "string" && { traceTag: trace_tag }),
			...(typeof trace_id === "string" && { traceId: trace_id }),
		};
		return dispatch(toReference(trigger), payload, trace);
	},
	get: async (context, given) => toState(context, given).get(toText(given, "name")),
	async set(context, given) {
		const { ttl, secret } = given;
		if (ttl !== null && ttl !== undefined && typeof ttl !== "number") throw new SvcError("SVC_INVALID", "ttl: must be a number of seconds");
		const options = { ...(typeof ttl === "number" && { ttl }), secret: secret === true };
		await toState(context, given).set(toText(given, "name"), toText(given, "value"), options);
		return true;
	},
	delete: async (context, given) => toState(context, given).delete(toText(given, "name")),
	list: async (context, given) => (await toState(context, given).list(toText(given, "prefix"))).map((item) => ({ ...item })),
};

/** Do what a sensor asks for. Rejects with why not. */
export async function callService(context: SensorContext, method: string, given: JsonObject): Promise<JsonValue | undefined> {
	const call = Object.hasOwn(calls, method) ? calls[method] : undefined;
	if (call === undefined) throw new SvcError("SVC_INVALID", `method: there is no "${method.slice(0, 100)}"`);
	return call(context, given);
}

/** The sensor's own items, or those of the system by their whole names. */
function toState({ state, datastore }: SensorContext, { local }: JsonObject): SensorState {
	return local === false ? datastore : state;
}

function toReference(trigger: JsonValue | undefined): TriggerReference {
	if (typeof trigger === "string") return trigger;
	const { type, parameters } = isObject(trigger) ? trigger : {};
	if (typeof type !== "string" || !isObject(parameters))
		throw new SvcError("SVC_INVALID", "trigger: must be a ref, or a type with parameters");
	return { type, parameters };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toText(given: JsonObject, member: string): string {
	const value = given[member];
	if (typeof value !== "string") throw new SvcError("SVC_INVALID", `${member}: must be a text`);
	return value;
}

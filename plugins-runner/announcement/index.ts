import {
	defineRunner,
	type JsonObject,
	type ParameterDefinitions,
	type ParameterValues,
	SvcError,
	secretMask,
} from "../../core/contract/index.ts";

const parameters = {
	experimental: {
		type: "boolean",
		required: true,
		default: false,
		description: "Must be true, to confirm the use of an experimental runner.",
	},
	route: {
		type: "string",
		default: "general",
		minLength: 1,
		maxLength: 255,
		pattern: "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$",
		description: "Route of the message: words separated by dots. It becomes part of the event name.",
	},
} as const satisfies ParameterDefinitions;

/** Publishes the action's parameters on the general event stream. */
export const announcement = defineRunner("announcement", () => ({
	description: "Publishes an event on the general event stream.",
	parameters,
	capabilities: {},
	entryPoint: "forbidden",
	async run({ runnerParameters, actionParameters, actionSchema, action_ref, announce }) {
		const { experimental, route }: ParameterValues<typeof parameters> = runnerParameters;
		if (!experimental) throw new SvcError("SVC_RUNNER", `Experimental flag is missing for action ${action_ref}`);
		const payload = withoutSecrets(actionParameters, actionSchema);
		announce(route, payload);
		return { succeeded: true, result: { ...payload, output: payload } };
	},
}));

/** Masks parameters that contain a secret at any depth, because all users with access to the stream can read the event. */
function withoutSecrets(values: JsonObject, schema: ParameterDefinitions): JsonObject {
	return Object.fromEntries(
		Object.entries(values).map(([name, value]) => [name, value !== null && holdsSecret(schema[name]) ? secretMask : value]),
	);
}

function holdsSecret(definition: unknown): boolean {
	if (typeof definition !== "object" || definition === null) return false;
	return Object.entries(definition).some(([key, value]) => (key === "secret" && value === true) || holdsSecret(value));
}

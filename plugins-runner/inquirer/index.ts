import { defineRunner, type JsonObject, type ParameterDefinitions } from "../../core/contract/index.ts";

/** Default schema: a question whether to continue. */
const defaultSchema: JsonObject = {
	title: "response_data",
	type: "object",
	properties: { continue: { type: "boolean", required: true, description: "Would you like to continue the workflow?" } },
};

const names = { type: "array", items: { type: "string" }, default: [] } as const;

const parameters = {
	schema: { type: "object", required: true, default: defaultSchema, description: "Schema of the answer." },
	route: { type: "string", default: "", description: "Keyword for the rules that notify users of the question." },
	roles: { ...names, description: "Roles, one of which is required to answer. Empty: all users may answer." },
	users: { ...names, description: "Users who may answer. Empty: all users." },
	ttl: { type: "integer", required: true, default: 1_440, description: "Minutes to wait for an answer; 0: no limit." },
} as const satisfies ParameterDefinitions;

/** Creates an inquiry. The execution is pending until a user answers through the inquiries endpoints. */
export const inquirer = defineRunner("inquirer", () => ({
	description: "Asks a question and waits for the answer.",
	parameters,
	capabilities: {},
	entryPoint: "forbidden",
	async run({ runnerParameters: { schema, roles, users, route, ttl } }) {
		return { succeeded: false, status: "pending", result: { schema, roles, users, route, ttl } };
	},
}));

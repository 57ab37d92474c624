import type { JsonObject } from "../../../core/contract/index.ts";

const text = { type: "string" };
const neededText = { type: "string", minLength: 1 };
const target = { type: ["string", "null"], description: "Name of the next node. Empty: the chain ends." };
const named = (description: string) => ({
	description,
	type: ["object", "null"],
	propertyNames: { pattern: "^\\w+$" },
});
const object = (description: string) => ({ description, type: ["object", "null"] });

const node: JsonObject = {
	type: "object",
	required: ["name", "ref"],
	properties: {
		name: { ...neededText, maxLength: 200, description: "Name by which other nodes refer to it." },
		ref: { ...neededText, description: "The action, as <pack>.<action>." },
		description: text,
		parameters: object("Parameters of the action. Templates can use the results of earlier nodes."),
		params: object("Alias of parameters in old chains."),
		publish: named("Values for later nodes and the result of the chain."),
		"on-success": target,
		"on-failure": target,
		notify: object("Notifications about the end of the node."),
	},
	not: { required: ["parameters", "params"], properties: { parameters: { type: "object" }, params: { type: "object" } } },
};

/** JSON schema of the files of chains, for editors. A node may have unknown members. */
export const chainFileSchema: JsonObject = {
	$schema: "http://json-schema.org/draft-07/schema#",
	title: "Action chain",
	type: "object",
	required: ["chain"],
	properties: {
		chain: { type: "array", minItems: 1, items: node },
		default: { type: ["string", "null"], description: "Name of the first node of the chain." },
		vars: named("Values for the templates of all nodes."),
	},
	additionalProperties: false,
};

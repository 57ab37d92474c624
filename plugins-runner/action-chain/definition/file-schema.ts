import type { JsonObject } from "../../../core/contract/index.ts";

const text = { type: "string" };
const neededText = { type: "string", minLength: 1 };
const target = { type: ["string", "null"], description: "Name of the next node; empty: the chain ends." };
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
		name: { ...neededText, maxLength: 200, description: "What other nodes call it." },
		ref: { ...neededText, description: "The action, as <pack>.<action>." },
		description: text,
		parameters: object("Parameters of the action; templates see the results of nodes before."),
		params: object("The same as parameters, which old chains write."),
		publish: named("What further nodes and the result of the chain get."),
		"on-success": target,
		"on-failure": target,
		notify: object("Who is told of the end of the node."),
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
		default: { type: ["string", "null"], description: "Name of the node that the chain begins with." },
		vars: named("Values that templates of all nodes see."),
	},
	additionalProperties: false,
};

/** A description that can be made wrong. */
export interface MutableDocument {
	readonly paths: Record<string, Record<string, MutableOperation>>;
	readonly components: { readonly schemas: Record<string, MutableSchema>; readonly responses: Record<string, MutableResponse> };
}

interface MutableOperation {
	security: readonly unknown[];
	readonly responses: Record<string, MutableResponse>;
}

interface MutableResponse {
	content: Record<string, { schema: unknown }>;
	headers: Record<string, unknown>;
}

interface MutableSchema {
	readonly properties: Record<string, unknown>;
	readonly required: string[];
}

interface Mutant {
	readonly name: string;
	/** Of the answers that show it. */
	readonly path: string;
	/** Whether types made of it are others. */
	readonly changesTypes?: boolean;
	mutate(document: MutableDocument): void;
}

/** One wrong thing in a description each, which tests and the fuzzer have to find. */
export const mutants: readonly Mutant[] = [
	{
		name: "a status missing",
		path: "/v1/executions",
		mutate: ({ paths }) => void delete paths["/v1/executions"]?.["post"]?.responses["404"],
	},
	{
		name: "a wrong type",
		path: "/v1/rules",
		changesTypes: true,
		mutate({ components }) {
			(components.schemas["Rule"] as MutableSchema).properties["enabled"] = { type: "string" };
		},
	},
	{
		name: "a member missing",
		path: "/v1/policies",
		changesTypes: true,
		mutate: ({ components }) => void delete components.schemas["Policy"]?.properties["resource_ref"],
	},
	{
		name: "a member required that may be absent",
		path: "/v1/triggerinstances",
		changesTypes: true,
		mutate: ({ components }) => void components.schemas["TriggerInstance"]?.required.push("failure_reason"),
	},
	{
		name: "a wrong content type",
		path: "/v1/executions/{id}/output",
		mutate({ paths }) {
			const output = paths["/v1/executions/{id}/output"]?.["get"]?.responses["200"] as MutableResponse;
			output.content = { "application/json": { schema: {} } };
		},
	},
	{
		name: "a method missing",
		path: "/v1/keys/{name}",
		mutate: ({ paths }) => void delete paths["/v1/keys/{name}"]?.["delete"],
	},
	{
		name: "a credential that is not asked for",
		path: "/v1/health/live",
		mutate({ paths }) {
			(paths["/v1/health/live"]?.["get"] as MutableOperation).security = [{ token: [] }];
		},
	},
	{
		name: "a header that is not there",
		path: "/v1/apikeys",
		mutate({ paths }) {
			const listed = paths["/v1/apikeys"]?.["get"]?.responses["200"];
			if (listed !== undefined) listed.headers["X-Pages"] = { required: true, schema: {} };
		},
	},
];

import {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	integerSchema,
	nullable,
	objectSchema,
	recordId,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";

/** A problem in a definition. */
export const findingSchema = defineSchema(
	"DefinitionFinding",
	objectSchema(
		{
			type: enumOf("syntax", "semantic", "expression", "context", "content", "warning"),
			message: stringSchema,
			spec_path: nullable(stringSchema),
			schema_path: nullable(stringSchema),
			line: nullable(integerSchema),
			language: enumOf("yaql", "jinja"),
			expression: stringSchema,
			missing_action: stringSchema,
		},
		["language", "expression", "missing_action"],
	),
	{
		type: "context",
		language: "yaql",
		expression: "<% ctx(x) %>",
		message: 'Variable "x" is referenced before assignment.',
		schema_path: "properties.tasks.patternProperties.^\\w+$.properties.input",
		spec_path: "tasks.one.input",
		line: 7,
	},
);

const node = {
	id: stringSchema,
	kind: enumOf("task", "command"),
	action: nullable(stringSchema),
	join: { anyOf: [{ ...stringSchema, const: "all" }, integerSchema, { type: "null" }] },
	items: nullable(stringSchema),
	is_start: booleanSchema,
};
const edge = {
	from: stringSchema,
	to: stringSchema,
	transition: integerSchema,
	when: nullable(stringSchema),
	publish: arrayOf(stringSchema),
};
const fetchNode = { id: "fetch", kind: "task", action: "core.http", join: null, items: null, is_start: true };
const storeNode = { id: "store", kind: "task", action: "core.local", join: null, items: null, is_start: false };
const fetched = { from: "fetch", to: "store", transition: 0, when: "<% succeeded() %>" };

/** A definition as a graph. */
export const graphSchema = defineSchema(
	"WorkflowGraph",
	objectSchema({ nodes: arrayOf(objectSchema(node)), edges: arrayOf(objectSchema(edge, ["publish"])) }),
	{
		nodes: [fetchNode, storeNode],
		edges: [fetched],
	},
);

const taskExample = {
	id: "66a1f0c29d3e4b7a51c08d30",
	name: "fetch",
	route: 0,
	status: "succeeded",
	action: "core.http",
	attempts: 1,
	start_timestamp: "2031-03-04T09:15:02.418273Z",
	end_timestamp: "2031-03-04T09:15:03.018273Z",
	execution_ids: ["66a1f0c29d3e4b7a51c08d31"],
	items: null,
	next: [{ to: "store", transition: 0 }],
};

/** A task of a run, with its progress. */
export const taskSchema = defineSchema(
	"Task",
	objectSchema({
		id: recordId,
		name: stringSchema,
		route: integerSchema,
		status: enumOf(
			...["requested", "delayed", "running", "succeeded", "failed", "timeout"],
			...["canceled", "pending", "pausing", "paused", "retrying"],
		),
		action: nullable(stringSchema),
		attempts: integerSchema,
		start_timestamp: timestamp,
		end_timestamp: nullable(timestamp),
		execution_ids: arrayOf(recordId),
		items: nullable(objectSchema({ total: integerSchema, succeeded: integerSchema, failed: integerSchema, active: integerSchema })),
		next: arrayOf(objectSchema({ to: stringSchema, transition: integerSchema })),
	}),
	taskExample,
);

/** A definition as a graph, with the tasks of a run. */
export const runGraphSchema = defineSchema(
	"RunGraph",
	objectSchema({
		nodes: arrayOf(objectSchema({ ...node, tasks: arrayOf(taskSchema) })),
		edges: arrayOf(objectSchema({ ...edge, taken: integerSchema }, ["publish"])),
	}),
	{
		nodes: [
			{ ...fetchNode, tasks: [taskExample] },
			{ ...storeNode, tasks: [] },
		],
		edges: [{ ...fetched, taken: 1 }],
	},
);

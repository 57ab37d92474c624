import { arrayOf, defineSchema, flag, nullable, object, oneOf, recordId, text, timestamp, whole } from "../../http/openapi/schema.ts";

/** A problem in a definition. */
export const findingSchema = defineSchema(
	"DefinitionFinding",
	object(
		{
			type: oneOf("syntax", "semantic", "expression", "context", "content", "warning"),
			message: text,
			spec_path: nullable(text),
			schema_path: nullable(text),
			line: nullable(whole),
			language: oneOf("yaql", "jinja"),
			expression: text,
			missing_action: text,
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
	id: text,
	kind: oneOf("task", "command"),
	action: nullable(text),
	join: { anyOf: [{ ...text, const: "all" }, whole, { type: "null" }] },
	items: nullable(text),
	is_start: flag,
};
const edge = { from: text, to: text, transition: whole, when: nullable(text), publish: arrayOf(text) };
const fetchNode = { id: "fetch", kind: "task", action: "core.http", join: null, items: null, is_start: true };
const storeNode = { id: "store", kind: "task", action: "core.local", join: null, items: null, is_start: false };
const fetched = { from: "fetch", to: "store", transition: 0, when: "<% succeeded() %>" };

/** A definition as a graph. */
export const graphSchema = defineSchema(
	"WorkflowGraph",
	object({ nodes: arrayOf(object(node)), edges: arrayOf(object(edge, ["publish"])) }),
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
	object({
		id: recordId,
		name: text,
		route: whole,
		status: oneOf(
			...["requested", "delayed", "running", "succeeded", "failed", "timeout"],
			...["canceled", "pending", "pausing", "paused", "retrying"],
		),
		action: nullable(text),
		attempts: whole,
		start_timestamp: timestamp,
		end_timestamp: nullable(timestamp),
		execution_ids: arrayOf(recordId),
		items: nullable(object({ total: whole, succeeded: whole, failed: whole, active: whole })),
		next: arrayOf(object({ to: text, transition: whole })),
	}),
	taskExample,
);

/** A definition as a graph, with the tasks of a run. */
export const runGraphSchema = defineSchema(
	"RunGraph",
	object({
		nodes: arrayOf(object({ ...node, tasks: arrayOf(taskSchema) })),
		edges: arrayOf(object({ ...edge, taken: whole }, ["publish"])),
	}),
	{
		nodes: [
			{ ...fetchNode, tasks: [taskExample] },
			{ ...storeNode, tasks: [] },
		],
		edges: [{ ...fetched, taken: 1 }],
	},
);

import { nodeKind } from "../../contract/entities/node.ts";
import { nodeRoles } from "../../contract/index.ts";
import {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	fieldsOf,
	integerSchema,
	nullable,
	numberSchema,
	objectSchema,
	stringSchema,
} from "../../http/openapi/schema-builders.ts";
import { statusSchema } from "../executions/schemas-exports.ts";

const members = {
	...fieldsOf(nodeKind, ["id", "name", "hostname", "pid", "version", "drain", "running", "started_at", "heartbeat_at", "late_writes"]),
	...fieldsOf(nodeKind, ["event_bus", "addresses"]),
	state: enumOf("starting", "ready", "draining", "drained", "gone"),
	clock_offset: nullable(numberSchema),
	roles: arrayOf(enumOf(...nodeRoles)),
};
const example = {
	id: "66a1e0019d3e4b7a51c00070",
	name: "one",
	hostname: "one",
	pid: 4711,
	version: "0.1.0",
	state: "ready",
	drain: false,
	running: 1,
	started_at: "2031-03-04T09:15:02.418273Z",
	heartbeat_at: "2031-03-04T09:15:12.418273Z",
	late_writes: 0,
	clock_offset: null,
	event_bus: "memory",
	roles: ["api", "worker"],
	addresses: { api: "http://127.0.0.1:9101" },
};

/** Wire schema of a node. */
export const nodeSchema = defineSchema("Node", objectSchema(members), example);

/** Wire schema of a node with its running executions. */
export const singleNodeSchema = defineSchema(
	"SingleNode",
	objectSchema({ ...members, executions: arrayOf(objectSchema({ id: stringSchema, action_ref: stringSchema, status: statusSchema })) }),
	{ ...example, executions: [] },
);

const capabilities = objectSchema(
	{
		...{
			name: stringSchema,
			hostname: stringSchema,
			pid: integerSchema,
			type: stringSchema,
			state: stringSchema,
			version: stringSchema,
			node: stringSchema,
		},
		...{ listen_host: stringSchema, listen_port: integerSchema },
	},
	["listen_host", "listen_port"],
);

/** Wire schema of the roles that at least one node has. */
export const groupsSchema = objectSchema({ groups: arrayOf(enumOf(...nodeRoles)) });

/** Wire schema of the nodes with a role. */
export const membersSchema = objectSchema({
	members: arrayOf(objectSchema({ group_id: stringSchema, member_id: stringSchema, capabilities })),
});

const warnings = arrayOf(enumOf("clock"));

/** Wire schema of a ready node. */
export const readySchema = defineSchema("Ready", objectSchema({ ready: booleanSchema, warnings }, ["warnings"]), { ready: true });

/** Wire schema of a node that is not ready, with the reasons. */
export const unreadySchema = defineSchema(
	"Unready",
	objectSchema(
		{
			ready: booleanSchema,
			reasons: arrayOf(enumOf("starting", "draining", "drained", "stopping", "storage")),
			warnings,
			faultstring: stringSchema,
		},
		["warnings"],
	),
	{ ready: false, reasons: ["starting"], faultstring: "not ready: starting" },
);

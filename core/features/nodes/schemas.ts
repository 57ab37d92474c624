import { nodeKind } from "../../contract/entities/node.ts";
import { nodeRoles } from "../../contract/index.ts";
import { arrayOf, defineSchema, fieldsOf, flag, nullable, object, oneOf, real, text, whole } from "../../http/openapi/schema.ts";
import { statusSchema } from "../executions/schemas-api.ts";

const members = {
	...fieldsOf(nodeKind, ["id", "name", "hostname", "pid", "version", "drain", "running", "started_at", "heartbeat_at", "late_writes"]),
	...fieldsOf(nodeKind, ["event_bus", "addresses"]),
	state: oneOf("starting", "ready", "draining", "drained", "gone"),
	clock_offset: nullable(real),
	roles: arrayOf(oneOf(...nodeRoles)),
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
export const nodeSchema = defineSchema("Node", object(members), example);

/** Wire schema of a node with its running executions. */
export const singleNodeSchema = defineSchema(
	"SingleNode",
	object({ ...members, executions: arrayOf(object({ id: text, action_ref: text, status: statusSchema })) }),
	{ ...example, executions: [] },
);

const capabilities = object(
	{
		...{ name: text, hostname: text, pid: whole, type: text, state: text, version: text, node: text },
		...{ listen_host: text, listen_port: whole },
	},
	["listen_host", "listen_port"],
);

/** Wire schema of the roles that at least one node has. */
export const groupsSchema = object({ groups: arrayOf(oneOf(...nodeRoles)) });

/** Wire schema of the nodes with a role. */
export const membersSchema = object({ members: arrayOf(object({ group_id: text, member_id: text, capabilities })) });

const warnings = arrayOf(oneOf("clock"));

/** Wire schema of a ready node. */
export const readySchema = defineSchema("Ready", object({ ready: flag, warnings }, ["warnings"]), { ready: true });

/** Wire schema of a node that is not ready, with the reasons. */
export const unreadySchema = defineSchema(
	"Unready",
	object({ ready: flag, reasons: arrayOf(oneOf("starting", "draining", "drained", "stopping", "storage")), warnings, faultstring: text }, [
		"warnings",
	]),
	{ ready: false, reasons: ["starting"], faultstring: "not ready: starting" },
);

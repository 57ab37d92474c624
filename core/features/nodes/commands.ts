import { setTimeout as delay } from "node:timers/promises";
import { withExamples } from "../../cli/commands/examples.ts";
import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printRecord } from "../../cli/print-records.ts";
import { Progress } from "../../cli/progress.ts";
import { createNodeClient, type NodeClient, type SingleNodeRecord } from "./client.ts";

const columns = ["id", "name", "state", "roles", "running", "clock_offset", "heartbeat_at"];
const attributes = [
	...["id", "name", "hostname", "pid", "version", "state", "drain", "roles", "running", "executions"],
	...["late_writes", "clock_offset", "event_bus", "addresses", "started_at", "heartbeat_at"],
];

/** Milliseconds between polls of a draining node. */
const pause = 500;

export const addNodeCommands: AddCommands = (parent, context) => {
	const group = parent.command("node").description("Show the nodes of the service and drain them for maintenance.");
	withNames(group, { path: "/nodes", name: "name" });
	const nodes = new RecordCommands(group, context, { noun: "node", createClient: createNodeClient });

	nodes.addList("List nodes, ordered by name.", columns, (client) => client.list());
	nodes.addShow("get <nodes...>", "Show nodes and their running executions, by id or name.", attributes, (client, name) =>
		client.get(name),
	);
	nodes
		.addForEach<{ wait?: boolean }>(
			"drain <nodes...>",
			"Drain nodes: running executions continue, and no new executions start.",
			async (client, name, options) => {
				const { id } = await client.drain(name);
				if (options.wait) await waitUntilDrained(client, id, context);
				await printRecord(await getOne(client, id), columns, options, context);
			},
		)
		.option("--wait", "wait until no executions run on the nodes, and list those that still do");
	nodes.addShow("resume <nodes...>", "Resume drained nodes.", columns, (client, name) => client.resume(name));
	withExamples(group, {
		list: ["svc node list"],
		get: ["svc node get node1"],
		drain: ["svc node drain node1 --wait"],
		resume: ["svc node resume node1"],
	});
};

const getOne = (client: NodeClient, name: string) => orNotFound(client.get(name), "node", name, "svc node list");

async function waitUntilDrained(client: NodeClient, id: string, context: CliContext): Promise<void> {
	const progress = new Progress("draining", context);
	try {
		await watchDrain(client, id, (text) => progress.aside(() => write(context.stderr, text)));
	} finally {
		progress.stop();
	}
}

async function watchDrain(client: NodeClient, id: string, tell: (text: string) => Promise<void>): Promise<void> {
	let told = "";
	for (;;) {
		const record = await getOne(client, id);
		if (record.state === "drained") return;
		if (record.state === "gone") throw new CliExit(1, `node "${record.name}" is gone; other nodes take over its executions`);
		if (!record.drain) throw new CliExit(1, `node "${record.name}" was resumed in the meantime; drain it again`);
		const text = describe(record);
		if (text !== told) await tell(`${text}\n`);
		told = text;
		await delay(pause);
	}
}

function describe({ name, executions }: SingleNodeRecord): string {
	if (executions.length === 0) return `node "${name}" is draining`;
	const running = executions.map(({ id, action_ref, status }) => `  ${id} ${action_ref} ${status}`);
	return [`node "${name}" is draining; still running:`, ...running].join("\n");
}

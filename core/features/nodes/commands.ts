import { setTimeout as delay } from "node:timers/promises";
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
	const group = parent.command("node").description("Look at the nodes of the service, and empty them before maintenance.");
	withNames(group, { path: "/nodes", name: "name" });
	const nodes = new RecordCommands(group, context, { noun: "node", createClient: createNodeClient });

	nodes.addList("List nodes by name.", columns, (client) => client.list());
	nodes.addShow("get <nodes...>", "Show nodes, by id or name, and what runs there.", attributes, (client, name) => client.get(name));
	nodes
		.addForEach<{ wait?: boolean }>(
			"drain <nodes...>",
			"Let nodes take on nothing new; what runs there goes on to its end.",
			async (client, name, options) => {
				const { id } = await client.drain(name);
				if (options.wait) await waitUntilDrained(client, id, context);
				await printRecord(await getOne(client, id), columns, options, context);
			},
		)
		.option("--wait", "wait until nothing runs there any more, and say what does");
	nodes.addShow("resume <nodes...>", "Let nodes that were drained take on work again.", columns, (client, name) => client.resume(name));
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
		if (record.state === "gone") throw new CliExit(1, `node "${record.name}" has gone; what ran there is taken over by others`);
		if (!record.drain) throw new CliExit(1, `node "${record.name}" was told to resume meanwhile`);
		const text = describe(record);
		if (text !== told) await tell(`${text}\n`);
		told = text;
		await delay(pause);
	}
}

function describe({ name, executions }: SingleNodeRecord): string {
	if (executions.length === 0) return `node "${name}" drains`;
	const running = executions.map(({ id, action_ref, status }) => `  ${id} ${action_ref} ${status}`);
	return [`node "${name}" drains; still there:`, ...running].join("\n");
}

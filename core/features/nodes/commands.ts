import { setTimeout as delay } from "node:timers/promises";
import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { Progress } from "../../cli/progress.ts";
import { openSession } from "../../cli/session.ts";
import { createNodeClient, type NodeClient, type SingleNodeRecord } from "./client.ts";

const columns = ["id", "name", "state", "roles", "running", "clock_offset", "heartbeat_at"];
const attributes = [
	...["id", "name", "hostname", "pid", "version", "state", "drain", "roles", "running", "executions"],
	...["late_writes", "clock_offset", "event_bus", "addresses", "started_at", "heartbeat_at"],
];

/** Milliseconds between polls of a draining node. */
const pause = 500;

export const addNodeCommands: AddCommands = (parent, context) => {
	const node = parent.command("node").description("Look at the nodes of the service, and empty them before maintenance.");
	withNames(node, { path: "/nodes", name: "name" });

	withCommonOptions(node.command("list").description("List nodes by name.")).action(async (_options, command) => {
		const options = optionsOf(command);
		const client = createNodeClient(await openSession(options, context));
		await printList(await client.list(), columns, options, context);
	});

	withCommonOptions(node.command("get <nodes...>").description("Show nodes, by id or name, and what runs there.")).action(
		async (nodes: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createNodeClient(await openSession(options, context));
			for (const name of nodes) await printRecord(await getOne(client, name), attributes, options, context);
		},
	);

	withCommonOptions(node.command("drain <nodes...>").description("Let nodes take on nothing new; what runs there goes on to its end."))
		.option("-w, --wait", "wait until nothing runs there any more, and say what does")
		.action(async (nodes: string[], _options, command) => {
			const options = optionsOf<{ wait?: boolean }>(command);
			const client = createNodeClient(await openSession(options, context));
			for (const name of nodes) {
				const { id } = await orNotFound(client.drain(name), "Node", name, "svc node list");
				if (options.wait) await waitUntilDrained(client, id, context);
				await printRecord(await getOne(client, id), columns, options, context);
			}
		});

	withCommonOptions(node.command("resume <nodes...>").description("Let nodes that were drained take on work again.")).action(
		async (nodes: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createNodeClient(await openSession(options, context));
			for (const name of nodes) {
				const record = await orNotFound(client.resume(name), "Node", name, "svc node list");
				await printRecord(record, columns, options, context);
			}
		},
	);
};

const getOne = (client: NodeClient, name: string) => orNotFound(client.get(name), "Node", name, "svc node list");

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

import {
	type AddCommands,
	CliExit,
	printRecord,
	RecordCommands,
	readAllPages,
	withExamples,
	withFeature,
	withNames,
	write,
} from "../../core/cli.ts";
import { createExecutionClient, type ExecutionClient } from "../../core/features/clients.ts";
import { type AliasClient, type AliasExecutionRecord, createAliasClient } from "./client.ts";

const columns = ["ref", "pack", "description", "enabled"];
const attributes = [
	...["id", "ref", "description", "enabled", "action_ref", "formats", "ack", "result", "extra", "immutable_parameters"],
	"metadata_file",
];
const matchAttributes = ["actionalias.ref", "actionalias.action_ref", "display", "representation"];
const startedAttributes = ["execution.id", "execution.status", "actionalias.ref", "message", "extra"];

/** Source channel of commands from the command line. */
const channel = "svc";

interface CommandOptions {
	readonly user?: string;
}

const examples = {
	list: ["svc action-alias list --pack site"],
	get: ["svc action-alias get site.disk"],
	create: ["svc action-alias create disk.yaml"],
	update: ["svc action-alias update site.disk disk.yaml"],
	delete: ["svc action-alias delete site.disk"],
	enable: ["svc action-alias enable site.disk"],
	disable: ["svc action-alias disable site.disk"],
	match: ['svc action-alias match "check disk of db1"'],
	execute: ['svc action-alias execute "check disk of db1"'],
	test: ['svc action-alias test "check disk of db1" --user maria'],
};

export const addAliasCommands: AddCommands = (parent, context) => {
	const group = parent.command("action-alias").description("Manage action aliases, which are chat commands for actions.");
	withNames(group, { path: "/actionalias", name: "ref" });
	withFeature(group, { name: "aliases", add: "aliases() of svc-automation/plugins/feature-aliases" });
	const aliases = new RecordCommands(group, context, {
		noun: "action alias",
		createClient: (api) => ({ ...createAliasClient(api), ...createExecutionClient(api) }),
	});

	aliases
		.addList<{ pack?: string }>("List action aliases.", columns, (client, { pack }) => readAllPages(client.list, { pack }))
		.option("-p, --pack <pack>", "list the action aliases of this pack");
	aliases.addShow("get <refs...>", "Show action aliases.", attributes, (client, ref) => client.get(ref));
	aliases.addChanges("action aliases", attributes);
	aliases.addSwitches(
		"<refs...>",
		{ enable: "Enable action aliases.", disable: "Disable action aliases." },
		columns,
		async (client, ref, enabled) => client.update(ref, { ...(await client.get(ref)), enabled }),
	);

	aliases.addRun<object, [text: string]>(
		"match <text>",
		"Show the action alias that matches a chat command.",
		async (open, options, command) => {
			await printRecord(await (await open()).match(command), matchAttributes, options, context);
		},
	);
	aliases
		.addRun<CommandOptions, [text: string]>("execute <text>", "Run the action of a chat command.", async (open, options, text) => {
			for (const started of await start(await open(), text, options)) await printRecord(started, startedAttributes, options, context);
		})
		.option("-u, --user <user>", "user who wrote the command");
	aliases
		.addRun<CommandOptions, [text: string]>(
			"test <text>",
			"Run the action of a chat command and show the reply at its end.",
			async (open, options, text) => {
				const client = await open();
				for (const { execution, message } of await start(client, text, options)) {
					if (message !== undefined) await write(context.stderr, `${message}\n`);
					await toEnd(client, execution.id);
					const { id } = await client.executions.create({
						action: "chatops.format_execution_result",
						parameters: { execution_id: execution.id },
					});
					const { status, result = {} } = await toEnd(client, id);
					if (status !== "succeeded") throw new CliExit(1, String(result["error"] ?? status));
					await printRecord(result, ["message", "extra"], options, context);
				}
			},
		)
		.option("-u, --user <user>", "user who wrote the command");
	withExamples(group, examples);
};

function start(client: AliasClient, command: string, { user }: CommandOptions): Promise<readonly AliasExecutionRecord[]> {
	return client.matchAndExecute({ command, source_channel: channel, ...(user !== undefined && { user }) });
}

/** Waits for the end of an execution, and returns it. */
async function toEnd({ followOutput, executions }: ExecutionClient, id: string) {
	for await (const _chunk of followOutput(id));
	return executions.get(id);
}

import type { Command } from "commander";
import {
	type AddCommands,
	type CliContext,
	CliExit,
	type CommonOptions,
	openSession,
	optionsOf,
	orNotFound,
	printList,
	printRecord,
	readAllPages,
	readObject,
	withCommonOptions,
	withFeature,
	withNames,
	write,
} from "../../core/cli.ts";
import { createExecutionClient, type ExecutionClient } from "../../core/features/clients.ts";
import { type AliasClient, type AliasExecutionRecord, type AliasRequest, createAliasClient } from "./client.ts";

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

export const addAliasCommands: AddCommands = (parent, context) => {
	const alias = parent.command("action-alias").description("Make and manage action aliases: what people write in a chat.");
	withNames(alias, { path: "/actionalias", name: "ref" });
	withFeature(alias, { name: "aliases", add: "aliases() of svc-automation/plugins/feature-aliases" });
	addReading(alias, context);
	addWriting(alias, context);
	addSaying(alias, context);
};

function addReading(alias: Command, context: CliContext): void {
	withCommonOptions(alias.command("list").description("List action aliases."))
		.option("-p, --pack <pack>", "of this pack")
		.action(async (_options, command) => {
			const { pack, ...options } = optionsOf<{ pack?: string }>(command);
			const client = createAliasClient(await openSession(options, context));
			await printList(await readAllPages(client.list, { pack }), columns, options, context);
		});

	withCommonOptions(alias.command("get <refs...>").description("Show action aliases.")).action(
		forEach(context, async (client, ref, options) => printRecord(await client.get(ref), attributes, options, context)),
	);
}

function addWriting(alias: Command, context: CliContext): void {
	withCommonOptions(alias.command("create <file>").description("Make an action alias from a JSON or YAML file.")).action(
		async (file: string, _options, command) => {
			const options = optionsOf(command);
			const input = readObject(file) as unknown as AliasRequest;
			await printRecord(await createAliasClient(await openSession(options, context)).create(input), attributes, options, context);
		},
	);

	withCommonOptions(alias.command("update <ref> <file>").description("Replace an action alias by what a JSON or YAML file says.")).action(
		async (ref: string, file: string, _options, command) => {
			const options = optionsOf(command);
			const client = createAliasClient(await openSession(options, context));
			const updated = client.update(ref, readObject(file) as unknown as AliasRequest);
			await printRecord(await orNotFound(updated, "Action alias", ref, "svc action-alias list"), attributes, options, context);
		},
	);

	withCommonOptions(alias.command("delete <refs...>").description("Delete action aliases.")).action(
		forEach(context, async (client, ref) => {
			await client.remove(ref);
			await write(context.stdout, `Action alias ${ref} deleted\n`);
		}),
	);

	for (const [verb, enabled] of [
		["enable", true],
		["disable", false],
	] as const) {
		const description = enabled ? "Let commands fit action aliases." : "Let no command fit action aliases.";
		withCommonOptions(alias.command(`${verb} <refs...>`).description(description)).action(
			forEach(context, async (client, ref, options) => {
				await printRecord(await client.update(ref, { ...(await client.get(ref)), enabled }), columns, options, context);
			}),
		);
	}
}

function addSaying(alias: Command, context: CliContext): void {
	withCommonOptions(alias.command("match <text>").description("Show the action alias that a command fits.")).action(
		async (said: string, _options, command) => {
			const options = optionsOf(command);
			const client = createAliasClient(await openSession(options, context));
			await printRecord(await client.match(said), matchAttributes, options, context);
		},
	);

	withCommonOptions(alias.command("execute <text>").description("Start what a command asks for."))
		.option("-u, --user <user>", "user who has written the command")
		.action(async (text: string, _options, command) => {
			const { user, ...options } = optionsOf<CommandOptions>(command);
			const client = createAliasClient(await openSession(options, context));
			for (const started of await start(client, text, user)) await printRecord(started, startedAttributes, options, context);
		});

	withCommonOptions(alias.command("test <text>").description("Start what a command asks for, and show what is said of its end."))
		.option("-u, --user <user>", "user who has written the command")
		.action(async (text: string, _options, command) => {
			const { user, ...options } = optionsOf<CommandOptions>(command);
			const api = await openSession(options, context);
			const executions = createExecutionClient(api);
			for (const { execution, message } of await start(createAliasClient(api), text, user)) {
				if (message !== undefined) await write(context.stderr, `${message}\n`);
				await toEnd(executions, execution.id);
				const { id } = await executions.executions.create({
					action: "chatops.format_execution_result",
					parameters: { execution_id: execution.id },
				});
				const { status, result = {} } = await toEnd(executions, id);
				if (status !== "succeeded") throw new CliExit(1, String(result["error"] ?? status));
				await printRecord(result, ["message", "extra"], options, context);
			}
		});
}

function start(client: AliasClient, command: string, user: string | undefined): Promise<readonly AliasExecutionRecord[]> {
	return client.matchAndExecute({ command, source_channel: channel, ...(user !== undefined && { user }) });
}

/** Waits for the end of an execution, and returns it. */
async function toEnd({ followOutput, executions }: ExecutionClient, id: string) {
	for await (const _chunk of followOutput(id));
	return executions.get(id);
}

/** Returns a command handler that calls `act` for each given alias. */
function forEach(context: CliContext, act: (client: AliasClient, ref: string, options: CommonOptions) => Promise<void>) {
	return async (refs: string[], _options: unknown, command: Command) => {
		const options = optionsOf(command);
		const client = createAliasClient(await openSession(options, context));
		for (const ref of refs) await orNotFound(act(client, ref, options), "Action alias", ref, "svc action-alias list");
	};
}

import { type Command, Option } from "commander";
import { type AddCommands, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord, toIncluded } from "../../cli/output.ts";
import { parseParameters } from "../../cli/parameters.ts";
import { openSession } from "../../cli/session.ts";
import type { OutputType } from "../../contract/index.ts";
import { createExecutionClient, type ExecutionClient, type ExecutionRecord } from "./client.ts";
import { followRun, toExitCode, toSummary } from "./follow-run.ts";
import { finish, toSchemas, withRunOptions } from "./run-commands.ts";

const columns = ["id", "action.ref", "context.user", "status", "start_timestamp", "end_timestamp"];
const attributes = [
	"id",
	"action.ref",
	"context.user",
	"parameters",
	"status",
	"start_timestamp",
	"end_timestamp",
	"elapsed_seconds",
	"result",
];

interface ListOptions {
	readonly limit: number;
	readonly sort: "asc" | "desc";
	readonly action?: string;
	readonly status?: string;
	readonly user?: string;
	readonly timestampGt?: string;
	readonly timestampLt?: string;
	readonly showall?: boolean;
}

const getOne = (client: ExecutionClient, id: string, query: Record<string, string> = {}) =>
	orNotFound(client.executions.get(id, { query }), "Execution", id, "svc execution list");

export const addExecutionCommands: AddCommands = (parent, context) => {
	const execution = parent.command("execution").description("Look at executions, follow and cancel them.");
	withNames(execution, { path: "/executions", name: "id", query: { limit: 20, sort_desc: "True", include_attributes: "id" } });
	addReading(execution, context);
	addTail(execution, context);
	addActing(execution, context);
};

function addReading(execution: Command, context: CliContext): void {
	withCommonOptions(execution.command("list").description("List executions, the newest last."))
		.option("-n, --limit <count>", "how many; -1 for all", toInteger, 50)
		.addOption(new Option("-s, --sort <order>", "take the newest (desc) or the oldest (asc)").choices(["asc", "desc"]).default("desc"))
		.option("--action <ref>", "of this action")
		.option("--status <status>", "in this state")
		.option("--user <user>", "started by this user")
		.option("--timestamp-gt <time>", "started after this time")
		.option("--timestamp-lt <time>", "started before this time")
		.option("-l, --showall", "also those that other executions started")
		.action(async (_options, command) => {
			const options = optionsOf<ListOptions>(command);
			const client = createExecutionClient(await openSession(options, context));
			const page = await client.executions.list({
				limit: options.limit,
				...(options.sort === "desc" ? { sort_desc: "True" } : { sort_asc: "True" }),
				...(options.showall ? {} : { parent: "null" }),
				action: options.action,
				status: options.status,
				user: options.user,
				timestamp_gt: options.timestampGt,
				timestamp_lt: options.timestampLt,
				include_attributes: toIncluded(columns, options),
			});
			const items = options.sort === "desc" ? page.items.toReversed() : page.items;
			await printList({ ...page, items }, columns, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(execution.command("get <ids...>").description("Show executions; `last` is the most recently scheduled one."))
		.option("-x, --exclude-result", "leave out the result")
		.action(async (ids: string[], _options, command) => {
			const options = optionsOf<{ excludeResult?: boolean }>(command);
			const client = createExecutionClient(await openSession(options, context));
			const query: Record<string, string> = options.excludeResult ? { exclude_attributes: "result" } : {};
			for (const id of ids) await printRecord(await getOne(client, id, query), attributes, options, context);
		});
}

function addTail(execution: Command, context: CliContext): void {
	withCommonOptions(execution.command("tail [id]").description("Show the output of an execution from its beginning to its end."))
		.addOption(new Option("--type <type>", "only this kind of output").choices(["stdout", "stderr", "other"]))
		.action(async (id: string | undefined, _options, command) => {
			const options = optionsOf<{ type?: OutputType }>(command);
			const client = createExecutionClient(await openSession(options, context));
			// `last` is looked up once: it may mean another execution when the connection has to be opened again.
			const { id: found } = await getOne(client, id ?? "last", { exclude_attributes: "result" });
			const type = options.type === undefined ? {} : { type: options.type };
			const { record } = await followRun(client, found, { print: true, cancelOnInterrupt: false, ...type }, context);
			await write(context.stderr, toSummary(record));
			if (toExitCode(record) !== 0) throw new CliExit(1);
		});
}

function addActing(execution: Command, context: CliContext): void {
	withCommonOptions(execution.command("cancel <ids...>").description("Ask for the end of executions.")).action(
		async (ids: string[], _options, command) => {
			const client = createExecutionClient(await openSession(optionsOf(command), context));
			for (const id of ids) {
				const { refused } = await orNotFound(client.executions.cancel(id), "Execution", id, "svc execution list");
				await write(context.stdout, `${refused ?? `execution ${id} canceled`}\n`);
			}
		},
	);

	withRunOptions(
		execution
			.command("re-run <id> [parameters...]")
			.alias("rerun")
			.description("Run an execution's action again; given parameters replace the old ones."),
	).action(async (id: string, words: string[], _options, command) => {
		const options = optionsOf<{ async?: boolean; delay?: number; user?: string; autoDict?: boolean }>(command);
		const client = createExecutionClient(await openSession(options, context));
		const parameters = parseParameters(words, schemasOf(await getOne(client, id)), options);
		const { delay, user } = options;
		const input = { parameters, ...(delay === undefined ? {} : { delay }), ...(user === undefined ? {} : { user }) };
		await finish(client, await client.executions.rerun(id, input), options, context);
	});
}

function schemasOf({ action, runner }: ExecutionRecord) {
	return toSchemas(action, runner);
}

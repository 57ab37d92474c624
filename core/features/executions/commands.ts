import { type Command, Option } from "commander";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, optionsOf, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { parseParameters } from "../../cli/parameters.ts";
import { type FormatOptions, printList, printRecord, toIncluded } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import type { ListPage } from "../../client/page.ts";
import { escapeControlCharactersInLines } from "../../contract/control-characters.ts";
import type { OutputType } from "../../contract/index.ts";
import { createExecutionClient, type ExecutionClient, type ExecutionRecord } from "./client.ts";
import { followRun, toExitCode, toSummary } from "./follow-run.ts";
import { finish, type StartOptions, toSchemas, withRunOptions } from "./run-commands.ts";
import { readTaskTree, type TaskNode, toTaskLines } from "./task-tree.ts";

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

interface GetOptions {
	readonly excludeResult?: boolean;
	readonly depth?: number;
}

interface RerunOptions extends StartOptions {
	readonly tasks?: readonly string[];
	/** Tasks that `--no-reset` names; true if the option was not given. */
	readonly reset: true | readonly string[];
}

const reasonOption = ["--reason <text>", "reason, stored with the name of the user"] as const;

interface ReasonOptions {
	readonly reason?: string;
}

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
	orNotFound(client.executions.get(id, { query }), "execution", id, "svc execution list");

export const addExecutionCommands: AddCommands = (parent, context) => {
	const group = parent.command("execution").description("Manage executions: show, follow, cancel and repeat them.");
	withNames(group, { path: "/executions", name: "id", query: { limit: 20, sort_desc: "True", include_attributes: "id" } });
	const executions = new RecordCommands(group, context, {
		noun: "execution",
		createClient: createExecutionClient,
		// The `last` of the API may be a child of the first execution in the list.
		readNewest: (client) => client.executions.list({ parent: "null", sort_desc: "True", limit: 1, include_attributes: "id" }),
	});
	addReading(executions, context);
	addTail(executions, context);
	addActing(executions, context);
	addRerun(group, executions, context);
	withExamples(group, {
		list: ["svc execution list --status failed,timeout --timestamp-gt -1d", "svc execution list -n 5 -o wide"],
		get: ["svc execution get last", "svc execution get last --attr status,result.stdout"],
		tail: ["svc execution tail", "svc execution tail last --type stderr"],
		cancel: ['svc execution cancel 65f0a1b2c3d4e5f6a7b8c9d0 --reason "wrong host"'],
		pause: ["svc execution pause 65f0a1b2c3d4e5f6a7b8c9d0"],
		resume: ["svc execution resume 65f0a1b2c3d4e5f6a7b8c9d0"],
		"re-run": ["svc execution re-run 65f0a1b2c3d4e5f6a7b8c9d0", "svc execution re-run 65f0a1b2c3d4e5f6a7b8c9d0 --tasks build deploy"],
	});
};

function addReading(executions: RecordCommands<ExecutionClient>, context: CliContext): void {
	executions
		.addList<ListOptions>("List executions, newest first.", columns, readList, "-n")
		.option(...limitOption, toInteger, 50)
		.addOption(
			new Option("-s, --sort <order>", "order: newest first (desc) or oldest first (asc)").choices(["asc", "desc"]).default("desc"),
		)
		.option("--action <ref>", "list the executions of this action")
		.option("--status <status>", "list the executions with this status; several separated by commas")
		.option("-u, --user <user>", "list the executions of this user")
		.option("--timestamp-gt <time>", "list the executions started after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--timestamp-lt <time>", "list the executions started before this time")
		.option("-l, --showall", "include the executions that other executions started");

	executions
		.addRun<GetOptions, [ids: readonly string[]]>(
			"get <ids...>",
			"Show executions. `last` is the first one that `svc execution list` shows.",
			async (open, options, ids) => {
				const client = await open();
				const query: Record<string, string> = options.excludeResult ? { exclude_attributes: "result" } : {};
				for (const id of ids) {
					const record = await getOne(client, await executions.resolve(client, id), query);
					await printRecord(record, attributes, options, context);
					if (options.json || options.yaml || options.attr !== undefined) continue;
					await printActors(record, context);
					if (record.liveaction.action_is_workflow)
						await printTasks(await readTaskTree(client.executions, record.id, options), options, context);
				}
			},
		)
		.option("-x, --exclude-result", "omit the result")
		.option("--depth <levels>", "levels of tasks to show for a workflow; 0 for none; default: all", toInteger);
}

/** Reads the list. A list without a limit is read page by page, so that it needs no additional permission or memory in the service. */
async function readList({ executions }: ExecutionClient, options: ListOptions & FormatOptions): Promise<ListPage<ExecutionRecord>> {
	const { limit, sort } = options;
	const query = {
		...(options.showall ? {} : { parent: "null" }),
		action: options.action,
		status: options.status,
		user: options.user,
		timestamp_gt: options.timestampGt,
		timestamp_lt: options.timestampLt,
		include_attributes: toIncluded(columns, options),
	};
	if (limit !== -1) return executions.list({ limit, ...(sort === "desc" ? { sort_desc: "True" } : { sort_asc: "True" }), ...query });
	const items: ExecutionRecord[] = [];
	for await (const execution of executions.walk(query, { oldestFirst: sort === "asc" })) items.push(execution);
	return { items, total: items.length, limit: undefined };
}

function addTail(executions: RecordCommands<ExecutionClient>, context: CliContext): void {
	executions
		.addRun<{ type?: OutputType }, [id: string | undefined]>(
			"tail [id]",
			"Print the output of an execution from beginning to end, by default of the last one. For a workflow, each line begins with the task.",
			async (open, options, id = "last") => {
				const client = await open();
				const { id: found, liveaction } = await getOne(client, await executions.resolve(client, id), { exclude_attributes: "result" });
				const type = options.type === undefined ? {} : { type: options.type };
				const tasks = liveaction.action_is_workflow ? "output" : undefined;
				const { record } = await followRun(client, found, { print: true, cancelOnInterrupt: false, tasks, ...type }, context);
				await write(context.stderr, toSummary(record));
				if (toExitCode(record) !== 0) throw new CliExit(1);
			},
		)
		.addOption(new Option("--type <type>", "print only this type of output").choices(["stdout", "stderr", "other"]));
}

function addActing(executions: RecordCommands<ExecutionClient>, { stdout }: CliContext): void {
	executions
		.addForEach<ReasonOptions>("cancel <ids...>", "Cancel executions.", async (client, id, { reason }) => {
			const { refused } = await client.executions.cancel(id, { reason });
			await write(stdout, `${refused ?? `execution ${id} canceled`}\n`);
		})
		.option(...reasonOption);
	for (const [verb, description] of [
		["pause", "Pause workflows: running tasks continue, and no new tasks start."],
		["resume", "Resume paused workflows."],
	] as const) {
		executions
			.addForEach<ReasonOptions>(`${verb} <ids...>`, description, async (client, id, { reason }) => {
				const { status } = await client.executions[verb](id, { reason });
				await write(stdout, `execution ${id} ${status}\n`);
			})
			.option(...reasonOption);
	}
}

function addRerun(group: Command, executions: RecordCommands<ExecutionClient>, context: CliContext): void {
	withRunOptions(
		group
			.command("re-run <id> [parameters...]")
			.alias("rerun")
			.description("Run the action of an execution again. Given parameters replace the old ones."),
	)
		.option("--tasks <names...>", "tasks of a workflow to run again, with all tasks after them; a.b is a task of a nested workflow")
		.option("--no-reset <names...>", "tasks with items that repeat only the items that did not succeed")
		.action(async (given: string, words: readonly string[], _options, command) => {
			const options = optionsOf<RerunOptions>(command);
			const { delay, user, tasks } = options;
			const client = createExecutionClient(await openSession(options, context));
			const id = await executions.resolve(client, given);
			const chosen =
				tasks === undefined
					? { parameters: parseParameters(words, schemasOf(await getOne(client, id)), options) }
					: toChosenTasks(tasks, words, options.reset);
			const input = { ...chosen, ...(delay === undefined ? {} : { delay }), ...(user === undefined ? {} : { user }) };
			await finish(client, await client.executions.rerun(id, input), options, context);
		});
}

/** Returns the request to run only some tasks again. Each of them is reset, unless `--no-reset` names it. */
function toChosenTasks(tasks: readonly string[], words: readonly string[], reset: RerunOptions["reset"]) {
	if (words.length > 0)
		throw new CliExit(2, "--tasks: cannot be combined with parameters, because tasks keep their parameters; omit one of them");
	const kept = reset === true ? [] : reset;
	const unknown = kept.find((name) => !tasks.includes(name));
	if (unknown !== undefined) throw new CliExit(2, `--no-reset: "${unknown}" must be one of the tasks in --tasks`);
	return { tasks, reset: tasks.filter((name) => !kept.includes(name)) };
}

/** Prints the users who changed the state or answered an inquiry, with their credentials and reasons. */
async function printActors({ log }: ExecutionRecord, context: CliContext): Promise<void> {
	for (const { status, timestamp, by } of log) {
		if (by === undefined) continue;
		const credential = by.credential === null ? "" : ` (${by.credential})`;
		const reason = by.reason === null ? "" : `: ${by.reason}`;
		await write(context.stdout, escapeControlCharactersInLines(`${status} by ${by.user}${credential} at ${timestamp}${reason}\n`));
	}
}

/** Prints a table of tasks, with nested tasks below their parent. */
async function printTasks(tasks: readonly TaskNode[], options: FormatOptions, context: CliContext): Promise<void> {
	if (tasks.length === 0) return;
	await write(context.stdout, "tasks:\n");
	const items = toTaskLines(tasks).map(([lead, { name, status, elapsed_seconds, action, id }]) => ({
		task: lead + name,
		status,
		elapsed: elapsed_seconds === undefined ? "" : `${elapsed_seconds.toFixed(2)} s`,
		action: action ?? "",
		id: id ?? "",
	}));
	await printList({ items, total: items.length, limit: undefined }, ["task", "status", "elapsed", "action", "id"], options, context);
}

function schemasOf({ action, runner }: ExecutionRecord) {
	return toSchemas(action, runner);
}

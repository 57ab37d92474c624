import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import {
	type AddCommands,
	type CliContext,
	CliExit,
	limitOption,
	openSession,
	optionsOf,
	printList,
	printRecord,
	toFileProblem,
	toInteger,
	withCommonOptions,
	withExamples,
	withFeature,
	write,
} from "../../core/cli.ts";
import { isJsonObject, parseJson, stringifyJson, toErrorMessage } from "../../core/contract/index.ts";
import type { AuditCheckpoint } from "./checkpoint.ts";
import { createAuditClient } from "./client.ts";
import type { AuditEntry } from "./entry-hash.ts";
import { type AuditReport, verifyRecord } from "./verify-chain.ts";

const columns = ["number", "timestamp", "user", "verb", "record_kind", "ref", "outcome", "address"];
const reportAttributes = ["entries", "first", "last", "checkpoints", "keys"];

interface ListOptions {
	readonly user?: string;
	readonly kind?: string;
	readonly ref?: string;
	readonly verb?: string;
	readonly outcome?: string;
	readonly since?: string;
	readonly until?: string;
	readonly limit: number;
}

interface VerifyCommandOptions {
	readonly checkpoint?: readonly string[];
	readonly key?: readonly string[];
}

const collect = (value: string, earlier: readonly string[] = []) => [...earlier, value];

export const addAuditCommands: AddCommands = (parent, context) => {
	const audit = parent.command("audit").description("Show and verify the audit record, which contains all changes.");
	withFeature(audit, { name: "audit", add: "audit() of svc-automation/plugins/feature-audit" });

	withCommonOptions(audit.command("list").description("List audit entries, newest first."))
		.option("-u, --user <user>", "list the entries of this user")
		.option("--kind <kind>", "list the entries about records of this kind, such as rule")
		.option("--ref <name>", "list the entries about the record with this name")
		.option(
			"--verb <verb>",
			"list the entries with this verb: create, update, delete, sign_in, sign_out or request; several separated by commas",
		)
		.option("--outcome <outcome>", "list the entries with this outcome: done, begun or refused; several separated by commas")
		.option("--since <time>", "list the entries after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--until <time>", "list the entries before this time")
		.option(...limitOption, toInteger, 50)
		.action(async (_options, command) => {
			const { user, kind, ref, verb, outcome, since, until, limit, ...options } = optionsOf<ListOptions>(command);
			const client = createAuditClient(await openSession(options, context));
			const times = { timestamp_gt: since, timestamp_lt: until };
			const page = await client.list({ user, kind, ref, verb, outcome, ...times, limit });
			await printList(page, columns, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(
		audit.command("export").description("Print audit entries and checkpoints as lines of JSON, which `svc audit verify` reads."),
	)
		.option("--after <number>", "number of the entry to start after", toInteger, 0)
		.action(async (_options, command) => {
			const options = optionsOf<{ after: number }>(command);
			const client = createAuditClient(await openSession(options, context));
			for (const checkpoint of await client.checkpoints()) await write(context.stdout, `${stringifyJson({ checkpoint })}\n`);
			for await (const entry of client.entries(options.after)) await write(context.stdout, `${stringifyJson({ entry })}\n`);
		});

	withCommonOptions(audit.command("checkpoint").description("Create and print a signed checkpoint of the audit record.")).action(
		async (_options, command) => {
			const client = createAuditClient(await openSession(optionsOf(command), context));
			await write(context.stdout, `${stringifyJson({ checkpoint: await client.checkpoint() })}\n`);
		},
	);

	addVerify(withCommonOptions(audit.command("verify [files...]")), context);
	withExamples(audit, {
		list: ["svc audit list --kind rule --since -1d", "svc audit list --user maria --outcome refused"],
		export: ["svc audit export > audit.jsonl", "svc audit export --after 1000"],
		checkpoint: ["svc audit checkpoint >> checkpoints.jsonl"],
		verify: ["svc audit verify", "svc audit verify audit.jsonl --checkpoint checkpoints.jsonl"],
	});
};

function addVerify(command: ReturnType<typeof withCommonOptions>, context: CliContext): void {
	command
		.description("Verify that the audit record of the service, or of exported files, was not altered. The exit code is 1 if it was.")
		.option("--checkpoint <file>", "file with checkpoints stored elsewhere; may be repeated", collect)
		.option("--key <id>", "id of a trusted key, as `verify` prints it; may be repeated", collect)
		.action(async (files: string[], _options, command) => {
			const { checkpoint, key, ...options } = optionsOf<VerifyCommandOptions>(command);
			const kept = await readCheckpoints(checkpoint ?? []);
			const { entries, checkpoints } = files.length > 0 ? await ofFiles(files) : await ofService();
			await tell(await verifyRecord(entries, { checkpoints: [...checkpoints, ...kept], keys: key }), options, context);

			async function ofService() {
				const client = createAuditClient(await openSession(options, context));
				return { entries: client.entries(), checkpoints: await client.checkpoints() };
			}
		});
}

async function readCheckpoints(files: readonly string[]): Promise<readonly AuditCheckpoint[]> {
	const checkpoints: AuditCheckpoint[] = [];
	for (const file of files) for await (const { checkpoint } of readRecord(file)) if (checkpoint !== undefined) checkpoints.push(checkpoint);
	return checkpoints;
}

/**
 * Returns the contents of exported files. Reads the files twice, because checkpoints can be on any line, and all entries may not fit into
 * memory.
 */
async function ofFiles(files: readonly string[]): Promise<{ entries: AsyncIterable<AuditEntry>; checkpoints: readonly AuditCheckpoint[] }> {
	async function* entries() {
		for (const file of files) for await (const { entry } of readRecord(file)) if (entry !== undefined) yield entry;
	}
	return { entries: entries(), checkpoints: await readCheckpoints(files) };
}

async function tell(report: AuditReport, options: Parameters<typeof printRecord>[2], context: CliContext): Promise<void> {
	const isData = options.json === true || options.yaml === true;
	await printRecord(report, reportAttributes, options, context);
	const { findings } = report;
	if (!isData)
		await write(
			context.stdout,
			findings.length === 0 ? "The audit record is unaltered.\n" : findings.map(({ problem }) => `${problem}\n`).join(""),
		);
	if (findings.length > 0) throw new CliExit(1, "the audit record was altered; the findings name the entries");
}

/** Line of an exported record: an entry or a checkpoint. */
interface RecordLine {
	readonly entry?: AuditEntry;
	readonly checkpoint?: AuditCheckpoint;
}

/** Yields the lines of an exported file in order. Also accepts a file of log lines with checkpoints. */
async function* readRecord(file: string): AsyncIterable<RecordLine> {
	let number = 0;
	try {
		for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
			number += 1;
			if (line.trim() !== "") yield toLine(parseJson(line));
		}
	} catch (error) {
		throw new CliExit(2, number === 0 ? toFileProblem(file, error) : `file "${file}", line ${number}: ${toErrorMessage(error)}`);
	}
}

/** Parses a line. A checkpoint need not be wrapped in an object, because the API returns it unwrapped. */
function toLine(value: unknown): RecordLine {
	if (!isJsonObject(value)) throw new Error("must be an object");
	const { entry, checkpoint } = value;
	if (isJsonObject(entry)) return { entry: entry as unknown as AuditEntry };
	const given = isJsonObject(checkpoint) ? checkpoint : value;
	if (typeof given["number"] === "number" && typeof given["hash"] === "string" && typeof given["signature"] === "string")
		return { checkpoint: given as unknown as AuditCheckpoint };
	throw new Error("must hold an entry or a checkpoint");
}

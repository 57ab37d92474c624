import { setTimeout as delay } from "node:timers/promises";
import { type CliContext, CliExit, write, writeOutput } from "../../cli/context.ts";
import { Progress } from "../../cli/progress.ts";
import type { OutputType } from "../../contract/index.ts";
import type { ExecutionClient, ExecutionRecord } from "./client.ts";
import { retryRequest } from "./retry-requests.ts";
import { hasEnded, type TaskChunk, tailTasks } from "./tail-tasks.ts";
import { readTaskTree, toTaskLines, toTaskText } from "./task-tree.ts";

export interface FollowRunOptions {
	/** True to print the output as it arrives: stdout to stdout, everything else to stderr. */
	readonly print: boolean;
	readonly type?: OutputType;
	/** True if the first Ctrl-C cancels the execution and the second one stops following it. Otherwise the first one stops following it. */
	readonly cancelOnInterrupt: boolean;
	/**
	 * Display of the tasks of a workflow. `output` prints the output of the tasks in addition to that of the workflow. `tree` shows the
	 * tree of the tasks instead of the output if stderr is a terminal. Default: neither.
	 */
	readonly tasks?: "output" | "tree" | undefined;
}

/** Final record of a followed execution, and the output types that were printed. */
export interface FollowedRun {
	readonly record: ExecutionRecord;
	/** Types of output that were printed. */
	readonly streamed: ReadonlySet<OutputType>;
}

interface Following extends FollowRunOptions {
	readonly progress: Progress;
	readonly signal: AbortSignal;
	/** Reports a lost connection. */
	readonly onReconnect: (error: Error) => void;
}

/** Milliseconds between polls of records, for which there are no notifications. */
const interval = 1_000;

/** Follows an execution until it has ended. Throws `CliExit` if the user leaves with Ctrl-C or stdout is closed. */
export async function followRun(client: ExecutionClient, id: string, options: FollowRunOptions, context: CliContext): Promise<FollowedRun> {
	const leave = new AbortController();
	const progress = new Progress(`execution ${id} runs`, context);
	let interrupts = options.cancelOnInterrupt ? 0 : 1;
	const forget = context.onInterrupt(() => {
		interrupts += 1;
		if (interrupts > 1)
			leave.abort(
				new CliExit(
					130,
					options.cancelOnInterrupt ? `detached from execution ${id}, which continues; show it with: svc execution get ${id}` : "",
				),
			);
		else void progress.aside(() => cancel(client, id, context)).catch((error: unknown) => leave.abort(error));
	});
	const readerLeft = () => leave.abort(new CliExit(0));
	context.stdout.once("error", readerLeft);
	const onReconnect = (error: Error) => void progress.aside(() => write(context.stderr, `${error.message}; trying again\n`));
	const following = { ...options, progress, signal: leave.signal, onReconnect };
	try {
		if (options.tasks === "tree" && options.print && progress.isShown) {
			return { record: await showTasks(client, id, following, context), streamed: new Set() };
		}
		const [streamed] = await Promise.all([
			printOutput(client, id, following, context),
			...(options.tasks === "output" && options.print ? [printTaskOutput(client, id, following, context)] : []),
		]);
		return { record: await awaitFinal(client, id, leave.signal), streamed };
	} catch (error) {
		leave.abort(error);
		throw error;
	} finally {
		progress.stop();
		context.stdout.off("error", readerLeft);
		forget();
	}
}

async function cancel(client: ExecutionClient, id: string, context: CliContext): Promise<void> {
	context.stderr.write(`canceling execution ${id} (Ctrl-C again detaches)\n`);
	const { refused } = await client.executions.cancel(id);
	if (refused !== undefined) await write(context.stderr, `${refused}\n`);
}

async function printOutput(client: ExecutionClient, id: string, options: Following, context: CliContext): Promise<ReadonlySet<OutputType>> {
	const { signal, progress, onReconnect } = options;
	const streamed = new Set<OutputType>();
	const chunks = client.followOutput(id, { signal, onReconnect, ...(options.type === undefined ? {} : { type: options.type }) });
	for await (const chunk of chunks) {
		if (!options.print) continue;
		streamed.add(chunk.output_type);
		const target = chunk.output_type === "stdout" ? context.stdout : context.stderr;
		progress.hide();
		await writeOutput(target, chunk.data);
		// After an incomplete line the progress stays hidden, so that the next chunk continues that line.
		if (chunk.data.endsWith("\n")) await progress.aside(async () => {});
	}
	signal.throwIfAborted();
	return streamed;
}

/** Prints the output of all executions that a workflow starts, each line after the name of its task. */
async function printTaskOutput(client: ExecutionClient, id: string, options: Following, context: CliContext): Promise<void> {
	const { type, progress, signal, onReconnect } = options;
	const lines = new LabelledLines();
	const print = async (piece: { readonly type: OutputType; readonly text: string }) => {
		if (piece.text === "") return;
		await progress.aside(() => writeOutput(piece.type === "stdout" ? context.stdout : context.stderr, piece.text));
	};
	await tailTasks(client, id, {
		type,
		signal,
		hasEnded: async () => hasEnded(await client.executions.get(id, { query: { include_attributes: "status" }, signal })),
		onReconnect,
		onChunk: (piece) => print({ type: piece.chunk.output_type, text: lines.add(piece) }),
	});
	for (const piece of lines.rest()) await print(piece);
}

/** Draws the tree of tasks of a workflow until the workflow has ended. The final tree stays on the terminal. */
async function showTasks(client: ExecutionClient, id: string, { progress, signal, onReconnect }: Following, context: CliContext) {
	const look = async () => {
		// Read the record first: if it has ended, the tree read after it is final.
		const record = await client.executions.get(id, { signal });
		return { record, lines: toTaskLines(await readTaskTree(client.executions, id, { signal })).map(toTaskText) };
	};
	for (;;) {
		const { record, lines } = await retryRequest(look, { signal, onReconnect });
		if (hasEnded(record)) {
			if (lines.length > 0) await progress.aside(() => write(context.stderr, `${lines.join("\n")}\n`));
			return record;
		}
		progress.update(`execution ${id} ${record.status}`);
		progress.updateBelow(lines);
		await delay(interval, undefined, { signal }).catch(() => signal.throwIfAborted());
	}
}

async function awaitFinal(client: ExecutionClient, id: string, signal: AbortSignal): Promise<ExecutionRecord> {
	for (;;) {
		const record = await client.executions.get(id, { signal });
		if (hasEnded(record)) return record;
		// The output also ends when an execution is paused; then only the record can be polled.
		await delay(interval, undefined, { signal }).catch(() => signal.throwIfAborted());
	}
}

/**
 * Returns the exit code for a final record. It is 0 if the execution succeeded, the return code of the run (1 to 255) if the action failed
 * with one, and 1 otherwise.
 */
export function toExitCode({ status, result }: ExecutionRecord): number {
	if (status === "succeeded") return 0;
	const code = result?.["return_code"];
	return status === "failed" && typeof code === "number" && Number.isInteger(code) && code >= 1 && code <= 255 ? code : 1;
}

/** Returns the line printed after the output: id, status, and the error or return code of a failure. */
export function toSummary({ id, status, elapsed_seconds, result }: ExecutionRecord): string {
	const seconds = elapsed_seconds === undefined ? "" : ` in ${elapsed_seconds.toFixed(2)} s`;
	const error = result?.["error"];
	const code = result?.["return_code"];
	const reason =
		typeof error === "string" ? `: ${error}` : status === "failed" && typeof code === "number" ? ` with return code ${code}` : "";
	return `execution ${id} ${status}${seconds}${reason}\n`;
}

/** Characters of an incomplete line after which it is printed as a line. */
const maxLineLength = 16_384;

/** Prefixes each line of output with the name of its task. Incomplete lines are buffered until they end. */
export class LabelledLines {
	readonly #begun = new Map<string, { readonly label: string; readonly type: OutputType; readonly text: string }>();

	/** Adds a chunk. Returns the complete lines, including text buffered before; an empty string if no line is complete. */
	add({ label, chunk: { execution_id, output_type: type, data } }: TaskChunk): string {
		const key = `${execution_id} ${type}`;
		const text = (this.#begun.get(key)?.text ?? "") + data;
		const end = text.length > maxLineLength && !text.includes("\n") ? text.length : text.lastIndexOf("\n") + 1;
		if (end === text.length) this.#begun.delete(key);
		else this.#begun.set(key, { label, type, text: text.slice(end) });
		return toLabelled(label, text.slice(0, end));
	}

	/** Returns and clears the incomplete lines. */
	rest(): readonly { readonly type: OutputType; readonly text: string }[] {
		const rest = [...this.#begun.values()].map(({ label, type, text }) => ({ type, text: toLabelled(label, text) }));
		this.#begun.clear();
		return rest;
	}
}

function toLabelled(label: string, text: string): string {
	if (text === "") return "";
	const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
	return `${lines
		.split("\n")
		.map((line) => `${label} | ${line}`)
		.join("\n")}\n`;
}
